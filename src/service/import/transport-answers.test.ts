// Answers as strange servers give them: whole all the same, too early, in bits, packed.

import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'

import { Secret } from '../../core/secret.ts'
import type { Outcome } from '../../core/types.ts'
import { rawAnswer } from '../http/testing/raw-answer.ts'
import { startRawServer } from '../http/testing/raw-server.ts'
import { createTransport } from './transport.ts'

const BODY = Buffer.from('[{"keys":["id"],"id":1}]')
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n'
const OK = rawAnswer('200 OK', '{"code":200}')
const { signal } = new AbortController()
const OPTIONS = {
  addressOption: 'import_url',
  clientId: 7,
  apiKey: new Secret('canary'),
  requestTimeoutMs: 10_000,
  scrub: (text: string) => text,
  connections: 1,
}

/** Two upserts, one after the other: what is wrong after the first shows in the second. */
async function send(
  onRequest: (socket: Socket) => void,
  body: Uint8Array = BODY,
  onConnection: (socket: Socket) => void = () => {},
): Promise<Outcome> {
  await using server = await startRawServer(onRequest, { onConnection })
  await using transport = createTransport({ ...OPTIONS, baseUrl: `http://127.0.0.1:${server.port}` })
  const request = { table: 'orders', body, points: 1 }
  const first = await transport.send(request, signal)
  expect(await transport.send(request, signal)).toEqual(first)
  return first
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

test.each<[string, string]>([
  ['100 Continue', `${CONTINUE}${OK}`],
  ['100 three times', `${CONTINUE.repeat(3)}${OK}`],
  ['100 with headers', `HTTP/1.1 100 Go on\r\nserver: old\r\nx: y\r\n\r\n${OK}`],
  ['103 Early Hints', `${EARLY_HINTS}${OK}`],
  ['100, 103, 103', `${CONTINUE}${EARLY_HINTS}${EARLY_HINTS}${OK}`],
  ['64 kB of headers', rawAnswer('200 OK', '{}', `set-cookie: ${'c'.repeat(65_536)}\r\n`)],
  ['a thousand headers', rawAnswer('200 OK', '{}', 'x-many: of them\r\n'.repeat(1_000))],
  ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n2\r\n{}\r\n0\r\nx: {\r\n\r\n'],
  ['no reason phrase', 'HTTP/1.1 201 \r\ncontent-length: 0\r\n\r\n'],
])('delivered: %s', async (_, text) => {
  expect(await send((socket) => socket.write(text))).toEqual({ status: 'delivered' })
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

test.each([600, 999])('an answer with the status %i stops, as HTTP does not know it', async (status) => {
  await using server = await startRawServer((socket) => socket.write(rawAnswer(`${status} Odd`, '{}')))
  await using transport = createTransport({ ...OPTIONS, baseUrl: `http://127.0.0.1:${server.port}` })
  const outcome = await transport.send({ table: 'orders', body: BODY, points: 1 }, signal)
  expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'system' } })
})

test.each([3, 14, 26])('delivered: 1xx before the answer, in bits of %i bytes', async (size) => {
  const text = `${EARLY_HINTS}${OK}`
  expect(await send(inBits(text, size))).toEqual({ status: 'delivered' })
  if (size > 12) expect(await send(inBits(`${CONTINUE}${OK}`, size))).toEqual({ status: 'delivered' })
})

test('delivered: a 100 long before the answer', async () => {
  const act = (socket: Socket): void => {
    socket.write(CONTINUE)
    setTimeout(() => socket.write(OK), 50)
  }
  expect(await send(act)).toEqual({ status: 'delivered' })
})

test.each<[string, string]>([
  ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\n{"code":200}'],
  ['HTTP/1.0 without a body', 'HTTP/1.0 200 OK\r\n\r\n'],
  ['HTTP/1.0 with a length', 'HTTP/1.0 201 Created\r\ncontent-length: 2\r\n\r\n{}'],
  ['Connection: close', rawAnswer('200 OK', '{}', 'connection: close\r\n')],
])('delivered: %s, ended by the connection', async (_, text) => {
  expect(await send((socket) => socket.end(text))).toEqual({ status: 'delivered' })
})

test('a 100 that never ends is passed on, and is a network fault', async () => {
  const outcome = await send((socket) => socket.write(`HTTP/1.1 100 Continue\r\nx: ${'y'.repeat(200_000)}`))
  expect(outcome).toMatchObject({ status: 'retry', cause: 'network', ambiguous: true })
})

test('what an answer says beyond its length belongs to nobody', async () => {
  expect(await send((socket) => socket.write(`${OK}${rawAnswer('401 No', '')}`))).toEqual({ status: 'delivered' })
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

test('a switch of protocols that nobody asked for is a network fault', async () => {
  const text = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'
  expect(await send((socket) => socket.write(text))).toMatchObject({ status: 'retry', ambiguous: true })
})

function packed(bytes: Buffer, encoding: string): (socket: Socket) => void {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\ncontent-encoding: ${encoding}\r\n\r\n`
  return (socket) => socket.write(Buffer.concat([Buffer.from(head), bytes]))
}

test('no encoding is asked for; one that comes all the same is unpacked', async () => {
  const object = Buffer.from('{"status":"complete"}')
  expect(await send(packed(gzipSync(object), 'gzip'))).toEqual({ status: 'delivered' })
  expect(await send(packed(brotliCompressSync(object), 'br'))).toEqual({ status: 'delivered' })
  expect(await send(packed(object, 'identity'))).toEqual({ status: 'delivered' })
})

test('what it packs is judged as ever', async () => {
  const outcome = await send(packed(gzipSync('<html><title>Sign in</title>'), 'gzip'))
  expect(outcome).toMatchObject({ status: 'stop', error: { message: expect.stringContaining('titled "Sign in"') } })
  const broken = await send(packed(Buffer.from('rubbish'), 'gzip'))
  expect(broken).toMatchObject({ status: 'stop', error: { message: expect.stringContaining('not asked for') } })
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
  const answered = async (status: string): Promise<Outcome> =>
    await send(() => {}, body, early(rawAnswer(status, '{"message":"no"}', 'connection: close\r\n'), after))
  expect(await answered('413 Too Large')).toEqual({ status: 'too-large' })
  expect(await answered('401 Unauthorized')).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  expect(await answered('429 Too Many')).toMatchObject({ status: 'retry', cause: 'throttled', ambiguous: false })
})

/** A body whose end is that of its connection. */
const ended = (body: string | Buffer, headers = '', status = '200 OK') => {
  const head = Buffer.from(`HTTP/1.1 ${status}\r\nconnection: close\r\n${headers}\r\n`)
  return (socket: Socket) => socket.end(Buffer.concat([head, Buffer.from(body)]))
}
const LOST = { status: 'retry', cause: 'network', ambiguous: true, congestion: false }

test.each([
  '{',
  ' \r\n{',
  '{"code":200,"mess',
  '{"code":200,"message":"\\u00',
  Buffer.from('{"message":"é').subarray(0, -1),
  '{"code":200,"done":tru',
  `{"echo":"${'x'.repeat(70_000)}`,
])('an object cut off where its connection ends is a lost answer: the upsert may have landed: %j', async (body) => {
  expect(await send(ended(body))).toMatchObject({
    ...LOST,
    reason: expect.stringContaining('closed the connection without answering') as unknown,
  })
  expect(await send(ended(body, '', '201 Created'))).toMatchObject(LOST)
  expect(await send(ended(body, 'transfer-encoding: identity\r\n'))).toMatchObject(LOST)
})

test.each([
  '<html><title>Sign in',
  '[{"code":200',
  'OK',
  '"comple',
  '{"code":200}x',
  '{"code":200}{',
  '{ "code": 200; ',
  `{"echo":1,${'x'.repeat(70_000)}`,
])('any other body that is no object stops the run, also where its connection ends: %j', async (body) => {
  expect(await send(ended(body))).toMatchObject({ status: 'stop', error: { kind: 'config' } })
})

const LONG = 'x'.repeat(70_000)

test.each([
  ['behind a brace within a text', `{"echo":"${LONG} }`],
  ['behind an object of its own', `{"echo":["${LONG}",{"id":1}`],
  ['in a text', `{"echo":"${LONG}`],
  ['behind a bracket', `{"echo":["${LONG}"]`],
])('an object of over 64 KiB that its connection cut off is a lost answer: %s', async (_, body) => {
  expect(await send(ended(body))).toMatchObject(LOST)
})

test.each([
  ['by its own length', rawAnswer('200 OK', `{"echo":"${LONG} }`)],
  ['with the end of its connection', rawAnswer('200 OK', `{"echo":"${LONG}"} {}`, 'connection: close\r\n')],
])('one that is broken but ends in a brace stops the run, whole %s', async (_, answer) => {
  const outcome = await send((socket) => socket.end(answer))
  expect(outcome).toMatchObject({ status: 'stop', error: { message: expect.stringContaining('broken JSON object') } })
})

test.each([
  ['in bits', `{"echo":"${LONG} }","rows":[{"id":1},{}]}\n`, undefined],
  ['after a byte order mark', `\uFEFF{"echo":"${LONG}"}`, undefined],
  ['packed', `{"echo":"${LONG}"}`, 'gzip'],
])('one that is whole is an acknowledgement: %s', async (_, body, encoding) => {
  const headers = encoding === undefined ? '' : `content-encoding: ${encoding}\r\n`
  expect(await send(ended(encoding === undefined ? body : gzipSync(body), headers))).toEqual({ status: 'delivered' })
})

test.each(['', '\r\n', '{}', ' {"code":200} \n'])('delivered: %j, ended by the connection', async (body) => {
  expect(await send(ended(body))).toEqual({ status: 'delivered' })
})

test.each([
  ['content-length: 20\r\n', '{"code":200'],
  ['content-length: 20\r\n', ''],
  ['content-length: 20\r\n', '<html>'],
  ['transfer-encoding: chunked\r\n', 'b\r\n{"code":200\r\n'],
  ['transfer-encoding: chunked\r\n', 'c\r\n{"code":200}\r\n'],
  ['transfer-encoding: chunked\r\n', ''],
])('an answer shorter than its own head says (%j, %j) is a lost answer', async (headers, body) => {
  expect(await send(ended(body, headers))).toMatchObject(LOST)
})

test('half an object that is whole by its own length was never an acknowledgement: it stops the run', async () => {
  const outcome = await send((socket) => socket.end(rawAnswer('200 OK', '{"code":')))
  expect(outcome).toMatchObject({ status: 'stop', error: { message: expect.stringContaining('broken JSON object') } })
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
    expect(await send(ended(bytes, headers))).toEqual({ status: 'delivered' })
    for (const length of [1, 5, bytes.length >> 1, bytes.length - 20]) {
      expect(await send(ended(bytes.subarray(0, length), headers)), `${length} bytes`).toMatchObject(LOST)
    }
  },
)

test.each([
  ['a page', gzipSync(`<html><title>Sign in</title>${Array.from({ length: 300 }, (_, nth) => nth * 7919).join(' ')}`)],
  ['nothing', gzipSync('')],
])('whatever else is packed and breaks with its connection is a lost answer: %s', async (_, bytes) => {
  expect(await send(ended(bytes.subarray(0, -9), 'content-encoding: gzip\r\n'))).toMatchObject(LOST)
})

test.each([
  [401, 'stop'],
  [400, 'refused'],
  [503, 'retry'],
  [413, 'too-large'],
])('any other status says by itself what it means, however its body ends: %i', async (status, expected) => {
  expect(await send(ended('{"mess', '', `${status} No`))).toMatchObject({ status: expected })
})
