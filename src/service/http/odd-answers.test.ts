// Answers as strange servers give them: whole all the same, too early, in bits, packed, cut off. What they say of an upsert is in
// import/classify.test.ts.

import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'

import { acknowledges, isCutOff } from './answer.ts'
import { CALL, callsTo, type Told } from './testing/calls.ts'
import { rawAnswer } from './testing/raw-answer.ts'
import { startRawServer } from './testing/raw-server.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n'
const OK = rawAnswer('200 OK', '{"code":200}')

/** Two calls, one after the other: what is wrong after the first shows in the second. */
async function send(
  onRequest: (socket: Socket) => void,
  body = CALL.body!,
  onConnection: (socket: Socket) => void = () => {},
): Promise<Told> {
  await using server = await startRawServer(onRequest, { onConnection })
  await using calls = callsTo(`http://127.0.0.1:${server.port}`, { connections: 1 })
  const first = await calls.send({ body })
  expect(await calls.send({ body })).toEqual(first)
  return first
}

/** Its body is whole too: an object, or nothing. */
function expectWhole(told: Told, status = 200): void {
  expect(told).toMatchObject({ status, end: 'whole' })
  expect('headers' in told && acknowledges(told)).toBe(true)
}

function isLost(told: Told): boolean {
  return 'headers' in told && (told.end === 'lost' || isCutOff(told))
}

const inBits = (text: string, size: number) => (socket: Socket) => {
  socket.setNoDelay(true)
  let at = 0
  const more = (): void => {
    socket.write(text.slice(at, (at += size)))
    if (at < text.length) setTimeout(more, 2)
  }
  more()
}

test.each<[string, number, string]>([
  ['100 Continue', 200, `${CONTINUE}${OK}`],
  ['100 three times', 200, `${CONTINUE.repeat(3)}${OK}`],
  ['100 with headers', 200, `HTTP/1.1 100 Go on\r\nserver: old\r\nx: y\r\n\r\n${OK}`],
  ['103 Early Hints', 200, `${EARLY_HINTS}${OK}`],
  ['100, 103, 103', 200, `${CONTINUE}${EARLY_HINTS}${EARLY_HINTS}${OK}`],
  ['64 kB of headers', 200, rawAnswer('200 OK', '{}', `set-cookie: ${'c'.repeat(65_536)}\r\n`)],
  ['a thousand headers', 200, rawAnswer('200 OK', '{}', 'x-many: of them\r\n'.repeat(1_000))],
  ['chunks', 200, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'],
  ['trailers', 200, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n2\r\n{}\r\n0\r\nx: {\r\n\r\n'],
  ['no reason phrase', 201, 'HTTP/1.1 201 \r\ncontent-length: 0\r\n\r\n'],
  ['no content', 204, 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['a status that HTTP does not know', 600, rawAnswer('600 Odd', '{}')],
  ['the last such status', 999, rawAnswer('999 Odd', '{}')],
])('whole: %s', async (_, status, text) => {
  expectWhole(await send((socket) => socket.write(text)), status)
})

test.each(['000', '001', '099', '99', '1000', '10000', 'abc', '-12', ''])(
  'an answer with the status %j is not HTTP: tried again, as the service may have got it',
  async (status) => {
    const text = `HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n{}`
    const outcome = await send((socket) => socket.write(text))
    expect(outcome).toMatchObject({ status: 'retry', cause: 'network', ambiguous: true, congestion: false })
    expect(outcome).toMatchObject({
      reason: expect.stringMatching(/is not HTTP\/1\.1 \(\w+\)$/) as unknown,
      remedy: 'Check scheme and port in import_url, and any proxy in between.',
    })
  },
)

test.each([3, 14, 26])('whole: 1xx before the answer, in bits of %i bytes', async (size) => {
  expectWhole(await send(inBits(`${EARLY_HINTS}${OK}`, size)))
  if (size > 12) expectWhole(await send(inBits(`${CONTINUE}${OK}`, size)))
})

test('whole: a 100 long before the answer', async () => {
  const act = (socket: Socket): void => {
    socket.write(CONTINUE)
    setTimeout(() => socket.write(OK), 50)
  }
  expectWhole(await send(act))
})

test.each<[string, number, string]>([
  ['HTTP/1.0 without a length', 200, 'HTTP/1.0 200 OK\r\n\r\n{"code":200}'],
  ['HTTP/1.0 without a body', 200, 'HTTP/1.0 200 OK\r\n\r\n'],
  ['HTTP/1.0 with a length', 201, 'HTTP/1.0 201 Created\r\ncontent-length: 2\r\n\r\n{}'],
  ['Connection: close', 200, rawAnswer('200 OK', '{}', 'connection: close\r\n')],
  ['a length, and no word of the end', 200, OK],
])('whole: %s, ended by the connection', async (_, status, text) => {
  expectWhole(await send((socket) => socket.end(text)), status)
})

test('a 100 that never ends is passed on, and is a network fault', async () => {
  const outcome = await send((socket) => socket.write(`HTTP/1.1 100 Continue\r\nx: ${'y'.repeat(200_000)}`))
  expect(outcome).toMatchObject({ status: 'retry', cause: 'network', ambiguous: true })
})

test('what an answer says beyond its length belongs to nobody', async () => {
  expectWhole(await send((socket) => socket.write(`${OK}${rawAnswer('401 No', '')}`)))
})

test('more headers than can be true are named as such', async () => {
  const text = rawAnswer('200 OK', '{}', `x: ${'y'.repeat(200_000)}\r\n`)
  expect(await send((socket) => socket.write(text))).toMatchObject({
    status: 'retry',
    cause: 'network',
    ambiguous: true,
    reason: expect.stringContaining('too many headers'),
  })
})

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'
const LENGTH = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n'

test.each<[string, string, RegExp]>([
  ['a switch of protocols', SWITCH, /switched to another protocol \(101\)/],
  ['the same length twice', `${LENGTH}content-length: 2\r\n\r\n{}`, /two lengths/],
  ['two lengths', `${LENGTH}content-length: 3\r\n\r\n{}`, /two lengths/],
  ['a length, then chunks', `${LENGTH}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, /two lengths/],
  ['a header that is none', `${LENGTH}a b: c\r\n\r\n{}`, /headers that break HTTP/],
])('%s is a network fault, told as what it is', async (_, text, found) => {
  const outcome = await send((socket) => socket.write(text))
  expect(outcome).toMatchObject({ status: 'retry', cause: 'network', ambiguous: true })
  expect(outcome).toMatchObject({ reason: expect.stringMatching(found), why: { words: 'invalid HTTP response' } })
})

test('a connection that ends within headers was closed', async () => {
  expect(await send((socket) => socket.end(LENGTH))).toMatchObject({ why: { words: 'connection closed' } })
})

function packed(bytes: Buffer, encoding: string): (socket: Socket) => void {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\ncontent-encoding: ${encoding}\r\n\r\n`
  return (socket) => socket.write(Buffer.concat([Buffer.from(head), bytes]))
}

test('no encoding is asked for; one that comes all the same is unpacked', async () => {
  const object = Buffer.from('{"status":"complete"}')
  expectWhole(await send(packed(gzipSync(object), 'gzip')))
  expectWhole(await send(packed(brotliCompressSync(object), 'br')))
  expectWhole(await send(packed(object, 'identity')))
})

test('what cannot be unpacked stays as it came', async () => {
  const body = Buffer.from('rubbish')
  expect(await send(packed(body, 'gzip'))).toMatchObject({ status: 200, end: 'whole', body })
})

/** Answers as soon as bytes come, and reads no more of them. */
const early = (text: string, after: (socket: Socket) => void) => (socket: Socket) => {
  socket.once('data', () => {
    socket.pause()
    socket.write(text, () => after(socket))
  })
}

test.each<[string, (socket: Socket) => void]>([
  ['stays', () => {}],
  ['ends its side', (socket) => socket.end()],
  ['closes', (socket) => socket.destroy()],
])('an answer counts that comes before the body was sent, from a service that then %s', async (_, after) => {
  const body = Buffer.alloc(20_000_000, 0x20)
  const answer = rawAnswer('413 Too Large', '{"message":"no"}', 'connection: close\r\n')
  expect(await send(() => {}, body, early(answer, after))).toMatchObject({ status: 413, end: 'whole' })
})

/** A body whose end is that of its connection. */
const ended = (body: string | Buffer, headers = '') => {
  const head = Buffer.from(`HTTP/1.1 200 OK\r\nconnection: close\r\n${headers}\r\n`)
  return (socket: Socket) => socket.end(Buffer.concat([head, Buffer.from(body)]))
}
const LONG = 'x'.repeat(70_000)

test.each<[boolean, string]>([
  [true, '{"code":200,"mess'],
  [true, `{"echo":"${LONG}`],
  // behind a brace within a text, and behind an object of its own
  [true, `{"echo":"${LONG} }`],
  [true, `{"echo":["${LONG}",{"id":1}`],
  [false, '<html><title>Sign in'],
  [false, '{"code":200}x'],
  [false, `{"echo":"${LONG}"} {}`],
  [false, `{"echo":1,${LONG}`],
])('cut off with its connection? %j: %j', async (expected, body) => {
  const told = await send(ended(body))
  expect(isLost(told)).toBe(expected)
  expect('headers' in told && acknowledges(told)).toBe(false)
})

test.each([
  ['in bits', `{"echo":"${LONG} }","rows":[{"id":1},{}]}\n`, undefined],
  ['after a byte order mark', `\uFEFF{"echo":"${LONG}"}`, undefined],
  ['packed', `{"echo":"${LONG}"}`, 'gzip'],
  ['packed, after a byte order mark', `\uFEFF{"echo":"${LONG}"}`, 'gzip'],
])('a long object that is whole: %s', async (_, body, encoding) => {
  const headers = encoding === undefined ? '' : `content-encoding: ${encoding}\r\n`
  expectWhole(await send(ended(encoding === undefined ? body : gzipSync(body), headers)))
})

test.each([
  ['content-length: 20\r\n', '{"code":200'],
  ['content-length: 20\r\n', ''],
  ['content-length: 20\r\n', '<html>'],
  ['transfer-encoding: chunked\r\n', 'b\r\n{"code":200\r\n'],
  ['transfer-encoding: chunked\r\n', 'c\r\n{"code":200}\r\n'],
  ['transfer-encoding: chunked\r\n', ''],
])('an answer shorter than its own head says (%j, %j) is a lost answer', async (headers, body) => {
  expect(await send(ended(body, headers))).toMatchObject({ status: 200, end: 'lost' })
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)(
  'a packed object (%s) that its connection cut off is a lost answer, wherever that was',
  async (name, pack) => {
    const object = Buffer.from(JSON.stringify({ echo: Array.from({ length: 300 }, (_, nth) => `${nth * 7919} é`) }))
    const headers = `content-encoding: ${name}\r\n`
    const bytes = pack(object)
    expectWhole(await send(ended(bytes, headers)))
    for (const length of [1, 5, bytes.length >> 1, bytes.length - 20]) {
      expect(isLost(await send(ended(bytes.subarray(0, length), headers))), `${length} bytes`).toBe(true)
    }
  },
)

test.each([
  ['a page', gzipSync(`<html><title>Sign in</title>${Array.from({ length: 300 }, (_, nth) => nth * 7919).join(' ')}`)],
  ['nothing', gzipSync('')],
])('whatever else is packed and breaks with its connection is a lost answer: %s', async (_, bytes) => {
  expect(isLost(await send(ended(bytes.subarray(0, -9), 'content-encoding: gzip\r\n')))).toBe(true)
})
