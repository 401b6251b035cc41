// Upserts through a proxy: what it gets to see, and what is said when it does not open a way.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { ServerOptions } from 'node:https'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'

import { Secret } from '../../core/secret.ts'
import type { Outcome } from '../../core/types.ts'
import { createImportApi } from './import-api.ts'
import type { ServiceOptions } from '../http/http.ts'
import type { Proxy } from '../http/proxy.ts'
import { routeTo } from '../http/proxy.ts'
import { startRawServer } from '../http/testing/raw-server.ts'
import { createTransport } from './transport.ts'

interface Pair {
  certificate: string
  key: string
}

const made = JSON.parse(readFileSync(new URL('../http/certificates.test.json', import.meta.url), 'utf8')) as Record<
  'trusted' | 'otherHost' | 'client',
  Pair
>
const { trusted, otherHost, client } = made
const { signal } = new AbortController()
const REQUEST = { table: 'orders', body: Buffer.from('[{"keys":["id"],"id":1}]'), points: 1 }

interface Running extends AsyncDisposable {
  readonly port: number
}

async function listen(server: Server): Promise<Running> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ProxyServer extends Running {
  /** Each head it was sent, and each byte of a plain tunnel. */
  readonly seen: string[]
}

/** `answer`: what it says instead of opening a way. */
async function startProxy(answer?: string, tls?: ServerOptions): Promise<ProxyServer> {
  const seen: string[] = []
  const server = tls === undefined ? createServer() : createTlsServer(tls)
  server.on('connect', (request, socket: Duplex) => {
    socket.on('error', () => {})
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    if (answer !== undefined) {
      socket.end(answer)
      return
    }
    const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1])
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
  })
  return { seen, ...(await listen(server)) }
}

function proxyAt(port: number, userInfo = '', scheme = 'http'): Proxy {
  const route = routeTo('https://import.example.com', { HTTPS_PROXY: `${scheme}://${userInfo}localhost:${port}` })
  if (!('proxy' in route) || route.proxy === undefined) throw new Error('no proxy')
  return route.proxy
}

function optionsFor(baseUrl: string, proxy: Proxy, more: Partial<ServiceOptions> = {}): ServiceOptions {
  return {
    baseUrl,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret('canary'),
    requestTimeoutMs: 10_000,
    scrub: (text) => text,
    proxy,
    ...more,
  }
}

async function send(baseUrl: string, proxy: Proxy, more: Partial<ServiceOptions> = {}): Promise<Outcome> {
  await using transport = createTransport(optionsFor(baseUrl, proxy, more))
  return await transport.send(REQUEST, signal)
}

function wordsOf(outcome: Outcome): string {
  if (outcome.status === 'stop') return outcome.error.message
  return outcome.status === 'retry' ? outcome.reason : outcome.status
}

const service: RequestListener = (request, response) => {
  request.resume()
  request.on('end', () => response.end('{"code":200}'))
}

test('an https address is reached through CONNECT, with its own authority and the client certificate', async () => {
  const asked = { cert: trusted.certificate, key: trusted.key, requestCert: true, ca: client.certificate }
  await using target = await listen(createTlsServer(asked, service))
  await using proxy = await startProxy()
  const more = {
    caCertificate: trusted.certificate,
    clientCertificate: client.certificate,
    clientKey: new Secret(client.key),
  }
  expect(await send(`https://localhost:${target.port}`, proxyAt(proxy.port), more)).toEqual({ status: 'delivered' })
  expect(proxy.seen).toEqual([expect.stringContaining(`CONNECT localhost:${target.port} `)])
  expect(proxy.seen.join('')).not.toMatch(/canary|apikey|authorization/)
})

test('the host name is that of the address, not of the proxy', async () => {
  const other = { cert: otherHost.certificate, key: otherHost.key }
  await using target = await listen(createTlsServer(other, service))
  await using proxy = await startProxy()
  const more = { caCertificate: otherHost.certificate }
  const outcome = await send(`https://localhost:${target.port}`, proxyAt(proxy.port), more)
  expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  expect(wordsOf(outcome)).toContain('not valid for the name localhost')
  expect(wordsOf(outcome)).toContain(`(through the proxy http://localhost:${proxy.port}, HTTPS_PROXY)`)
})

test('an http address too, so that the head the proxy gets holds no key; the connection is used again', async () => {
  await using target = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'))
  await using proxy = await startProxy()
  await using transport = createTransport(
    optionsFor(`http://localhost:${target.port}/sandbox`, proxyAt(proxy.port), { connections: 1 }),
  )
  for (let n = 0; n < 5; n++) expect(await transport.send(REQUEST, signal)).toEqual({ status: 'delivered' })
  expect(proxy.seen).toHaveLength(1)
  expect(proxy.seen[0]).toContain(`CONNECT localhost:${target.port} `)
  expect(proxy.seen[0]).not.toContain('canary')
})

test('the port of an address without one', async () => {
  await using proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  await send('https://import.example.com', proxyAt(proxy.port))
  await send('http://import.example.com', proxyAt(proxy.port))
  await send('http://[2001:db8::1]', proxyAt(proxy.port))
  expect(proxy.seen.map((head) => head.split(' ')[1])).toEqual([
    'import.example.com:443',
    'import.example.com:80',
    '[2001:db8::1]:80',
  ])
})

test('a used tunnel that ends is stale, a new one is not', async () => {
  await using target = await startRawServer((socket, _, nth) => {
    if (nth === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
    else socket.end()
  })
  await using silent = await startRawServer((socket) => socket.end())
  await using proxy = await startProxy()
  await using transport = createTransport(
    optionsFor(`http://localhost:${target.port}`, proxyAt(proxy.port), { connections: 1 }),
  )
  expect(await transport.send(REQUEST, signal)).toEqual({ status: 'delivered' })
  expect(await transport.send(REQUEST, signal)).toMatchObject({ status: 'retry', ambiguous: true, stale: true })
  const fresh = await send(`http://localhost:${silent.port}`, proxyAt(proxy.port))
  expect(fresh).not.toHaveProperty('stale')
  expect(wordsOf(fresh)).toMatch(
    /answering \(UND_ERR_SOCKET\) \(through the proxy http:\/\/localhost:\d+, HTTPS_PROXY\)$/,
  )
})

test('user and password are shown to the proxy only, decoded', async () => {
  const heads: string[] = []
  await using target = await startRawServer((socket, request) => {
    heads.push(request)
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
  })
  await using proxy = await startProxy()
  const withPassword = proxyAt(proxy.port, 'ada:p%40ss%3A%C3%A9@')
  expect(await send(`http://localhost:${target.port}`, withPassword)).toEqual({ status: 'delivered' })
  const basic = Buffer.from('ada:p@ss:é').toString('base64')
  expect(proxy.seen[0]).toContain(`"proxy-authorization":"Basic ${basic}"`)
  expect(heads.join('')).not.toMatch(/proxy-authorization/i)
  expect(JSON.stringify(withPassword)).not.toContain(basic)
})

test.each([
  [407, '', 'stop', 'wants a user name and a password (407). Write HTTPS_PROXY as http://USER:PASSWORD@localhost:'],
  [407, 'ada:secret@', 'stop', 'did not accept the user name and password in HTTPS_PROXY (407)'],
  [403, '', 'stop', 'opened no way to https://import.example.com (it answered 403). Check the host in import_url'],
  [302, '', 'stop', 'answered 302'],
  [429, '', 'retry', 'answered 429'],
  [502, '', 'retry', 'opened no way to https://import.example.com (it answered 502)'],
  [503, '', 'retry', 'answered 503'],
  [600, '', 'stop', 'answered 600'],
])('a proxy that answers %i %s: %s, %s', async (status, userInfo, expected, words) => {
  await using proxy = await startProxy(`HTTP/1.1 ${status} No\r\ncontent-length: 4\r\n\r\nsorry`)
  const outcome = await send('https://import.example.com', proxyAt(proxy.port, userInfo))
  expect(outcome.status).toBe(expected)
  expect(wordsOf(outcome)).toContain(words)
  expect(wordsOf(outcome)).toContain(`the proxy http://localhost:${proxy.port}`)
  expect(wordsOf(outcome)).not.toContain('secret')
  if (outcome.status === 'retry') expect(outcome).toMatchObject({ cause: 'network', ambiguous: false })
})

test.each<[string, (socket: Socket) => void, string]>([
  ['closes', (socket) => socket.end(), 'closed the connection before it had opened a way'],
  ['resets', (socket) => socket.resetAndDestroy(), 'closed the connection before it had opened a way'],
  ['speaks no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'had opened a way'],
  ['gives half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nx'), 'had opened a way'],
])('a proxy that %s is retried and not ambiguous', async (_, act, words) => {
  await using proxy = await startRawServer(act)
  const outcome = await send('https://import.example.com', proxyAt(proxy.port))
  expect(outcome).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false, congestion: false })
  expect(wordsOf(outcome)).toContain(words)
})

test('a proxy that says nothing is a timeout, and its connections are closed', async () => {
  await using proxy = await startRawServer(() => {})
  const more = { connectTimeoutMs: 100 }
  const outcome = await send('https://import.example.com', proxyAt(proxy.port), more)
  expect(outcome).toMatchObject({ status: 'retry', cause: 'timeout', ambiguous: false })
  expect(wordsOf(outcome)).toContain('in time')
  await expect.poll(() => proxy.sockets.size).toBe(0)
})

test('disposing breaks off a tunnel that is being opened', async () => {
  let asked = (): void => {}
  const asking = new Promise<void>((resolve) => (asked = resolve))
  await using proxy = await startRawServer(() => asked())
  const transport = createTransport(optionsFor('https://import.example.com', proxyAt(proxy.port)))
  const sent = transport.send(REQUEST, signal)
  await asking
  await transport[Symbol.asyncDispose]()
  expect(await sent).toMatchObject({ status: 'retry', ambiguous: false })
  await proxy.close()
})

test('a proxy that is down, and one whose name nobody knows', async () => {
  const proxy = await startRawServer(() => {})
  await proxy[Symbol.asyncDispose]()
  const refused = await send('https://import.example.com', proxyAt(proxy.port))
  expect(refused).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false })
  expect(wordsOf(refused)).toContain(`the proxy http://localhost:${proxy.port} refused the connection (ECONNREFUSED)`)
  const nowhere = { origin: 'http://proxy.invalid:3128', variable: 'https_proxy', authorization: undefined }
  const unknown = await send('https://import.example.com', nowhere)
  expect(unknown).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false })
  expect(wordsOf(unknown)).toContain('the name of the proxy http://proxy.invalid:3128 could not be resolved')
})

test('`check` says what to do about a proxy', async () => {
  await using proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  await using api = createImportApi(optionsFor('https://import.example.com', proxyAt(proxy.port)))
  expect(await api.status(signal)).toMatchObject({
    status: 'unreachable',
    problem: expect.stringContaining('put import.example.com into no_proxy'),
  })
})

test('a proxy that is spoken to over TLS must be trusted by this machine', async () => {
  const tls = { cert: trusted.certificate, key: trusted.key }
  const more = { caCertificate: trusted.certificate }
  await using plain = await listen(createServer(service))
  await using target = await listen(createTlsServer(tls, service))
  await using proxy = await startProxy(undefined, tls)
  const over = proxyAt(proxy.port, '', 'https')
  const distrusted = await send(`https://localhost:${target.port}`, over, more)
  expect(distrusted).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  expect(wordsOf(distrusted)).toMatch(/the proxy https:\/\/localhost:\d+ .*NODE_EXTRA_CA_CERTS/)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, trusted.certificate])
  try {
    expect(await send(`http://localhost:${plain.port}`, over)).toEqual({ status: 'delivered' })
    expect(await send(`https://localhost:${target.port}`, over, more)).toEqual({ status: 'delivered' })
  } finally {
    setDefaultCACertificates(before)
  }
})
