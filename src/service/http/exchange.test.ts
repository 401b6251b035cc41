// One call against servers that keep to HTTP, and servers that do not: what ends it, and what stays open behind it.

import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { callsTo, DONE, sent } from './testing/calls.ts'
import { rawAnswer } from './testing/raw-answer.ts'
import { startRawServer, type RawServer } from './testing/raw-server.ts'

const OK = rawAnswer('200 OK', '{}')
const servers: RawServer[] = []
const strays: unknown[] = []
const stray = (reason: unknown): number => strays.push(reason)

beforeEach(() => {
  process.on('unhandledRejection', stray)
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', stray)
  expect(strays.splice(0)).toEqual([])
})

async function serve(onRequest: (socket: Socket, request: string) => void): Promise<string> {
  const server = await startRawServer(onRequest)
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

test.each<[string, (socket: Socket) => void]>([
  ['a reset after the request', (socket) => socket.resetAndDestroy()],
  ['an end without an answer', (socket) => socket.end()],
  ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
  ['no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
])('an ambiguous network retry: %s', async (_, act) => {
  const outcome = { status: 'retry', cause: 'network', ambiguous: true, congestion: false }
  expect(await sent(await serve(act))).toMatchObject(outcome)
})

test.each([
  ['no answer', '', { status: 'retry', cause: 'timeout', ambiguous: true, congestion: true }],
  ['half an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{', { status: 200, end: 'timeout' }],
])('the deadline ends %s and closes the socket', async (_, text, expected) => {
  let closed: Promise<void> | undefined
  const origin = await serve((socket) => {
    closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.write(text)
  })
  await using calls = callsTo(origin, { requestTimeoutMs: 100 })
  expect(await calls.send()).toMatchObject(expected)
  await closed
})

test('a request that had no connection until its deadline was never written', async () => {
  // a proxy that never opens a way
  const proxy = { origin: await serve(() => {}), variable: 'http_proxy', authorization: undefined }
  await using calls = callsTo('http://import.example.com', { requestTimeoutMs: 100, connections: 1, proxy })
  for (const outcome of await Promise.all([calls.send(), calls.send()]))
    expect(outcome).toMatchObject({ status: 'retry', cause: 'timeout', ambiguous: false })
})

test('an abort ends an attempt: ambiguous once it has begun', async () => {
  const abort = new AbortController()
  await using calls = callsTo(await serve(() => abort.abort()))
  expect(await calls.send({}, abort.signal)).toMatchObject({ status: 'retry', ambiguous: true })
  expect(await calls.send({}, abort.signal)).toMatchObject({ status: 'retry', ambiguous: false })
})

test('disposing ends what is in flight, and nothing can be sent afterwards', async () => {
  let arrived = (): void => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  const calls = callsTo(await serve(() => arrived()))
  const inFlight = calls.send()
  await arrival
  await calls[Symbol.asyncDispose]()
  expect(await inFlight).toMatchObject({ status: 'retry', cause: 'network', ambiguous: true })
  expect(await calls.send()).toMatchObject({ status: 'retry', ambiguous: false })
})

test('after disposing no connection stays open, so that the process can end', async () => {
  const calls = callsTo(await serve((socket) => socket.write(OK)))
  await Promise.all([calls.send(), calls.send()])
  await calls[Symbol.asyncDispose]()
  // resolves only when no connection is open
  await expect(servers.pop()!.close()).resolves.toBeUndefined()
})

test('a refused connection and an unknown name are retried and not ambiguous', async () => {
  const origin = await serve(() => {})
  await servers.pop()!.close()
  for (const baseUrl of [origin, 'http://nowhere.invalid'])
    expect(await sent(baseUrl)).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false })
})

test('an endless body is cut off', async () => {
  const origin = await serve((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const more = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(1_048_576, 0x20)));
    }
    socket.on('drain', more)
    more()
  })
  expect(await sent(origin)).toMatchObject({ status: 200, end: 'endless' })
})

test('many at once over few connections, each with its own answer', async () => {
  const origin = await serve((socket, request) => socket.write(rawAnswer('200 OK', /\/t\d+/.exec(request)![0])))
  await using calls = callsTo(origin, { connections: 8 })
  const paths = Array.from({ length: 200 }, (_, n) => `/t${n}`)
  const told = await Promise.all(paths.map((path) => calls.send({ path })))
  expect(told).toMatchObject(paths.map((path) => ({ status: 200, body: Buffer.from(path) })))
  expect(servers[0]!.sockets.size).toBeLessThanOrEqual(8)
})

test('an idle connection that the server closed is no failure', async () => {
  const origin = await serve((socket) => {
    socket.write(OK)
    setImmediate(() => socket.end())
  })
  await using calls = callsTo(origin)
  for (let n = 0; n < 5; n++) {
    expect(await calls.send()).toMatchObject(DONE)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
})
