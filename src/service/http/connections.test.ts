// What becomes of connections: used again, gone stale, ended with their attempt, never leaked.

import type { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'

import type { HttpOptions } from './http.ts'
import { callsTo, CERTIFICATES, DONE, type Calls, type Told } from './testing/calls.ts'
import { rawAnswer } from './testing/raw-answer.ts'
import { startRawServer, type RawServer } from './testing/raw-server.ts'

const OK = rawAnswer('200 OK', '{}')
const tls = { cert: CERTIFICATES.trusted.certificate, key: CERTIFICATES.trusted.key }

function callsOf({ port }: RawServer, more: Partial<HttpOptions> = {}): Calls {
  const scheme = more.caCertificate === undefined ? 'http' : 'https'
  return callsTo(`${scheme}://localhost:${port}`, { connections: 1, ...more })
}

/** A first answer, then `act` instead of the second. */
async function second(act: (socket: Socket) => unknown, overTls: boolean): Promise<{ outcome: Told; next: Told }> {
  const onRequest = (socket: Socket, _: string, nth: number): void => {
    if (nth === 1) socket.write(OK)
    else act(socket)
  }
  await using server = await startRawServer(onRequest, overTls ? { tls } : {})
  await using calls = callsOf(server, overTls ? { caCertificate: tls.cert } : {})
  expect(await calls.send()).toMatchObject(DONE)
  const outcome = await calls.send()
  return { outcome, next: await calls.send() }
}

const ENDINGS: [string, (socket: Socket) => void][] = [
  ['ends', (socket) => socket.end()],
  ['is cut', (socket) => socket.destroy()],
]

test.each([false, true])(
  'a used connection that ends without a byte of an answer was stale (TLS: %s)',
  async (over) => {
    for (const [, act] of ENDINGS) {
      const { outcome, next } = await second(act, over)
      expect(outcome).toMatchObject({
        status: 'retry',
        cause: 'network',
        ambiguous: true,
        congestion: false,
        stale: true,
      })
      expect(next).toMatchObject(DONE)
    }
  },
)

test.each(['HTTP', 'HTTP/1.1 200 OK\r\ncontent-le', 'HTTP/1.1 102 Processing\r\n\r\n'])(
  'one that ends in an answer was not: %j',
  async (text) => {
    const { outcome } = await second((socket) => socket.end(text), false)
    expect(outcome).toMatchObject({ status: 'retry', ambiguous: true })
    expect(outcome).not.toHaveProperty('stale')
  },
)

test.each([
  ...ENDINGS.map(([name, act]) => [name, act, false] as const),
  ...ENDINGS.map(([name, act]) => [`${name}, over TLS`, act, true] as const),
])('nor was a new one: %s', async (_, act, overTls) => {
  await using server = await startRawServer(act, overTls ? { tls } : {})
  await using calls = callsOf(server, overTls ? { caCertificate: tls.cert } : {})
  const outcome = await calls.send()
  expect(outcome).toMatchObject({ status: 'retry', cause: 'network', ambiguous: true })
  expect(outcome).not.toHaveProperty('stale')
})

test('nor one that timed out', async () => {
  await using server = await startRawServer((socket, _, nth) => nth === 1 && socket.write(OK))
  await using calls = callsOf(server, { requestTimeoutMs: 300 })
  expect(await calls.send()).toMatchObject(DONE)
  const outcome = await calls.send()
  expect(outcome).toMatchObject({ cause: 'timeout', congestion: true, ambiguous: true })
  expect(outcome).not.toHaveProperty('stale')
})

test('all connections of a service that restarts go stale at once, and none is lost', async () => {
  let restarting = false
  await using server = await startRawServer((socket, _, nth) => {
    if (restarting && nth > 1) socket.resetAndDestroy()
    else setTimeout(() => socket.write(OK), 20)
  })
  await using calls = callsOf(server, { connections: 16 })
  const all = async (): Promise<Told[]> => await Promise.all(Array.from({ length: 16 }, async () => await calls.send()))
  expect(await all()).toMatchObject(Array.from({ length: 16 }, () => DONE))
  restarting = true
  for (const outcome of await all()) expect(outcome).toMatchObject({ status: 'retry', stale: true })
  expect(await all()).toMatchObject(Array.from({ length: 16 }, () => DONE))
  expect(server.accepted()).toBe(32)
})

test.each([
  ['nothing said', '', 1],
  ['a limit of one second', 'keep-alive: timeout=1\r\n', 1],
  ['a limit of five seconds', 'Keep-Alive: timeout=5, max=1000\r\n', 1],
  ['a limit of nothing', 'keep-alive: timeout=0\r\n', 6],
  ['close each time', 'connection: close\r\n', 6],
])('connections are used again: %s', async (_, headers, connections) => {
  await using server = await startRawServer((socket) => socket.write(rawAnswer('200 OK', '{"a":"b"}', headers)))
  await using calls = callsOf(server)
  for (let n = 0; n < 6; n++) expect(await calls.send()).toMatchObject(DONE)
  expect(server.accepted()).toBe(connections)
})

test('a connection left idle is closed before a service that gives it two seconds would', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await using server = await startRawServer((socket) => socket.write(OK))
    await using calls = callsOf(server)
    await calls.send()
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.sockets.size).toBe(1)
    vi.advanceTimersByTime(1_600)
    await expect.poll(() => server.sockets.size).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['error answers', rawAnswer('500 Oops', 'x'.repeat(70_000))],
  ['refusals', rawAnswer('400 Bad', '{"message":"no"}')],
  ['chunks and trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-sum: 1\r\n\r\n'],
  ['a megabyte of JSON', rawAnswer('200 OK', `{"echo":"${'x'.repeat(1_000_000)}"}`)],
])('the connection is used again after %s', async (_, text) => {
  await using server = await startRawServer((socket) => socket.write(text))
  await using calls = callsOf(server)
  for (let n = 0; n < 4; n++) await calls.send()
  expect(server.accepted()).toBe(1)
})

test('each timeout ends its connection, and none of them leaks', async () => {
  await using server = await startRawServer(() => {})
  await using calls = callsOf(server, { connections: 20, requestTimeoutMs: 100 })
  for (let round = 1; round <= 10; round++) {
    const outcomes = await Promise.all(Array.from({ length: 20 }, async () => await calls.send()))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ cause: 'timeout' })
    await expect.poll(() => server.sockets.size, { timeout: 10_000 }).toBe(0)
  }
  expect(server.accepted()).toBeLessThanOrEqual(200)
})

test('attempts that ended before they got a connection are never written and cost none', async () => {
  let requests = 0
  let free = false
  await using server = await startRawServer((socket) => {
    requests++
    if (free) socket.write(OK)
    else setTimeout(() => socket.write(OK), 500)
  })
  await using calls = callsOf(server)
  const stopped = new AbortController()
  const first = calls.send()
  const rest = Array.from({ length: 20 }, async () => await calls.send({}, stopped.signal))
  await expect.poll(() => requests).toBe(1)
  stopped.abort()
  free = true
  for (const outcome of await Promise.all(rest)) expect(outcome).toMatchObject({ status: 'retry', ambiguous: false })
  expect(await first).toMatchObject(DONE)
  expect(await calls.send()).toMatchObject(DONE)
  expect([requests, server.accepted()]).toEqual([2, 1])
})

test('an answer in drips ends at the deadline, however steady', async () => {
  await using server = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{')
    const timer = setInterval(() => socket.write(' '), 10)
    socket.once('close', () => clearInterval(timer))
  })
  await using calls = callsOf(server, { requestTimeoutMs: 200 })
  expect(await calls.send()).toMatchObject({ status: 200, end: 'timeout' })
  await expect.poll(() => server.sockets.size).toBe(0)
})

test('headers in drips end there too', async () => {
  await using server = await startRawServer((socket) => {
    const timer = setInterval(() => socket.write('x'), 10)
    socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
    socket.once('close', () => clearInterval(timer))
  })
  await using calls = callsOf(server, { requestTimeoutMs: 200 })
  expect(await calls.send()).toMatchObject({ cause: 'timeout', ambiguous: true })
  await expect.poll(() => server.sockets.size).toBe(0)
})
