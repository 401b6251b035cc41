// One upsert against servers that keep to HTTP, and servers that don't.

import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { Secret } from '../../core/secret.ts'
import type { Outcome } from '../../core/types.ts'
import type { ServiceOptions } from '../http/http.ts'
import { rawAnswer as answer } from '../http/testing/raw-answer.ts'
import type { RawServer } from '../http/testing/raw-server.ts'
import { startRawServer } from '../http/testing/raw-server.ts'
import { createTransport } from './transport.ts'

const KEY = 'a&b=c#d%2F+é"\\'
const REQUEST = { table: 'orders', body: new TextEncoder().encode('[{"keys":["id"],"id":1}]'), points: 1 }

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

function options(baseUrl: string, more: Partial<ServiceOptions> = {}): ServiceOptions {
  return {
    baseUrl,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret(KEY),
    requestTimeoutMs: 5_000,
    scrub: (text) => text,
    wallClock: () => Date.parse('2030-01-01T00:00:00Z'),
    ...more,
  }
}

async function send(baseUrl: string, more: Partial<ServiceOptions> = {}): Promise<Outcome> {
  await using transport = createTransport(options(baseUrl, more))
  return await transport.send(REQUEST, new AbortController().signal)
}

const answered = async (text: string): Promise<Outcome> => await send(await serve((socket) => socket.write(text)))

test('the request is the one the service document shows, key and path encoded', async () => {
  const seen: string[] = []
  const origin = await serve((socket, request) => {
    seen.push(request)
    socket.write(answer('201 Created', '{"status":"complete"}'))
  })
  expect(await send(`${origin}/sandbox/`)).toEqual({ status: 'delivered' })
  const [head, body] = seen.join('').split('\r\n\r\n')
  expect(head).toMatch(
    /^POST \/sandbox\/v2\/client\/7\/table\/orders\/data\?apikey=a%26b%3Dc%23d%252F%2B%C3%A9%22%5C HTTP\/1\.1\r\n/,
  )
  expect(head).toContain('content-type: application/json')
  expect(head).toContain('content-length: 24')
  expect(head).not.toContain('transfer-encoding')
  expect(body).toBe('[{"keys":["id"],"id":1}]')
})

test.each([
  ['200 and an object', answer('200 OK', '{"code":200}')],
  ['200 and nothing', answer('200 OK', '')],
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'],
  ['an answer before the answer', `HTTP/1.1 102 Processing\r\n\r\n${answer('200 OK', '{}')}`],
  ['a long object', answer('200 OK', `{"echo":"${'x'.repeat(300_000)}"}\n`)],
])('delivered: %s', async (_, text) => {
  expect(await answered(text)).toEqual({ status: 'delivered' })
})

test('delivered: a body that ends with the connection', async () => {
  const origin = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"code":200}'))
  expect(await send(origin)).toEqual({ status: 'delivered' })
})

test('a page, a redirect and a wrong key stop, and no message holds the query', async () => {
  const texts = [
    answer('200 OK', `<html>${'x'.repeat(100_000)}}`),
    answer('302 Found', '', 'location: https://elsewhere.example.com/x?y=z\r\n'),
    answer('401 Unauthorized', '{"message":"authorization failed"}'),
  ]
  for (const text of texts) {
    const outcome = await answered(text)
    expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
    if (outcome.status === 'stop') expect(`${outcome.error.message} ${outcome.error.stack}`).not.toContain('apikey')
  }
})

test('Retry-After arrives in both forms', async () => {
  const seconds = answer('429 Too Many', '', 'retry-after: 7\r\n')
  expect(await answered(seconds)).toMatchObject({ status: 'retry', cause: 'throttled', afterMs: 7_000 })
  const date = answer('503 Busy', '', 'Retry-After: Tue, 01 Jan 2030 00:00:30 GMT\r\n')
  expect(await answered(date)).toMatchObject({ status: 'retry', cause: 'server', afterMs: 30_000 })
})

test.each<[string, (socket: Socket) => void]>([
  ['a reset after the request', (socket) => socket.resetAndDestroy()],
  ['an end without an answer', (socket) => socket.end()],
  ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
  ['half a body of a 200', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"code":')],
  [
    'half a chunked body of a 200',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{}'),
  ],
  ['no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
])('an ambiguous network retry: %s', async (_, act) => {
  expect(await send(await serve(act))).toMatchObject({
    status: 'retry',
    cause: 'network',
    ambiguous: true,
    congestion: false,
  })
})

test('a 500 that breaks off is a 500, a 401 that breaks off is a 401', async () => {
  const broken = (status: string): Promise<string> =>
    serve((socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 50\r\n\r\noh`))
  expect(await send(await broken('500 Oops'))).toMatchObject({ status: 'retry', cause: 'server', ambiguous: false })
  expect(await send(await broken('401 No'))).toMatchObject({ status: 'stop' })
})

test.each([
  ['no answer', ''],
  ['half an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{'],
])('the deadline ends %s as an ambiguous timeout and closes the socket', async (_, text) => {
  let closed: Promise<void> | undefined
  const origin = await serve((socket) => {
    closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.write(text)
  })
  await using transport = createTransport(options(origin, { requestTimeoutMs: 100 }))
  expect(await transport.send(REQUEST, new AbortController().signal)).toMatchObject({
    status: 'retry',
    cause: 'timeout',
    ambiguous: true,
    congestion: true,
  })
  await closed
})

test('a request that had no connection until its deadline was never written', async () => {
  // a proxy that never opens a way
  const proxy = { origin: await serve(() => {}), variable: 'http_proxy', authorization: undefined }
  await using transport = createTransport(
    options('http://import.example.com', { requestTimeoutMs: 100, connections: 1, proxy }),
  )
  const { signal } = new AbortController()
  for (const outcome of await Promise.all([transport.send(REQUEST, signal), transport.send(REQUEST, signal)]))
    expect(outcome).toMatchObject({ status: 'retry', cause: 'timeout', ambiguous: false })
})

test('an abort ends an attempt: ambiguous once it has begun', async () => {
  const abort = new AbortController()
  const origin = await serve(() => abort.abort())
  await using transport = createTransport(options(origin))
  expect(await transport.send(REQUEST, abort.signal)).toMatchObject({ status: 'retry', ambiguous: true })
  expect(await transport.send(REQUEST, abort.signal)).toMatchObject({ status: 'retry', ambiguous: false })
})

test('disposing ends what is in flight, and nothing can be sent afterwards', async () => {
  let arrived = (): void => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  const origin = await serve(() => arrived())
  const transport = createTransport(options(origin))
  const { signal } = new AbortController()
  const inFlight = transport.send(REQUEST, signal)
  await arrival
  await transport[Symbol.asyncDispose]()
  expect(await inFlight).toMatchObject({ status: 'retry', cause: 'network', ambiguous: true })
  expect(await transport.send(REQUEST, signal)).toMatchObject({ status: 'retry', ambiguous: false })
})

test('after disposing no connection stays open, so that the process can end', async () => {
  const origin = await serve((socket) => socket.write(answer('200 OK', '{}')))
  const transport = createTransport(options(origin))
  const { signal } = new AbortController()
  await Promise.all([transport.send(REQUEST, signal), transport.send(REQUEST, signal)])
  await transport[Symbol.asyncDispose]()
  // resolves only when no connection is open
  await expect(servers.pop()!.close()).resolves.toBeUndefined()
})

test('a refused connection and an unknown name are retried and not ambiguous', async () => {
  const origin = await serve(() => {})
  await servers.pop()!.close()
  expect(await send(origin)).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false })
  expect(await send('http://nowhere.invalid')).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false })
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
  expect(await send(origin)).toMatchObject({ status: 'stop', error: { kind: 'config' } })
})

test('many at once over few connections, each with its own answer', async () => {
  const origin = await serve((socket, request) => {
    const table = /table\/t(\d+)\//.exec(request)![1]!
    socket.write(Number(table) % 2 === 0 ? answer('200 OK', '{}') : answer('400 Bad', `odd ${table}`))
  })
  await using transport = createTransport(options(origin, { connections: 8 }))
  const { signal } = new AbortController()
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  const outcomes = await Promise.all(numbers.map((n) => transport.send({ ...REQUEST, table: `t${n}` }, signal)))
  expect(outcomes).toEqual(
    numbers.map((n) => (n % 2 === 0 ? { status: 'delivered' } : { status: 'refused', reason: `odd ${n}` })),
  )
  expect(servers[0]!.sockets.size).toBeLessThanOrEqual(8)
})

test('an idle connection that the server closed is no failure', async () => {
  const origin = await serve((socket) => {
    socket.write(answer('200 OK', '{}'))
    setImmediate(() => socket.end())
  })
  await using transport = createTransport(options(origin))
  const { signal } = new AbortController()
  for (let n = 0; n < 5; n++) {
    expect(await transport.send(REQUEST, signal)).toEqual({ status: 'delivered' })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
})

test('the service’s words are scrubbed', async () => {
  const origin = await serve((socket, request) => {
    socket.write(answer('400 Bad', `no: ${request.split('\r\n')[0]}`))
  })
  const outcome = await send(origin, { scrub: (text) => text.replaceAll(encodeURIComponent(KEY), '******') })
  expect(outcome).toEqual({
    status: 'refused',
    reason: 'no: POST /v2/client/7/table/orders/data?apikey=****** HTTP/1.1',
  })
})
