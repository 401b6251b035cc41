// Calls through a proxy: what it gets to see, and what is said when it does not open a way.

import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'

import { Secret } from '../../core/secret.ts'
import { routeTo, type Proxy } from './proxy.ts'
import { callsTo, CERTIFICATES, DONE, sent, wordsOf } from './testing/calls.ts'
import { rawAnswer } from './testing/raw-answer.ts'
import { startRawServer } from './testing/raw-server.ts'

const { trusted, otherHost, client } = CERTIFICATES
const OK = rawAnswer('200 OK', '{}')

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
  expect(await sent(`https://localhost:${target.port}`, { ...more, proxy: proxyAt(proxy.port) })).toMatchObject(DONE)
  expect(proxy.seen).toEqual([expect.stringContaining(`CONNECT localhost:${target.port} `)])
  expect(proxy.seen.join('')).not.toMatch(/canary|apikey|authorization/)
})

test('the host name is that of the address, not of the proxy', async () => {
  const other = { cert: otherHost.certificate, key: otherHost.key }
  await using target = await listen(createTlsServer(other, service))
  await using proxy = await startProxy()
  const more = { caCertificate: otherHost.certificate }
  const outcome = await sent(`https://localhost:${target.port}`, { ...more, proxy: proxyAt(proxy.port) })
  expect(outcome).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  expect(wordsOf(outcome)).toContain('not valid for the name localhost')
  expect(wordsOf(outcome)).toContain(`(through the proxy http://localhost:${proxy.port}, HTTPS_PROXY)`)
})

test('an http address too, so that the head the proxy gets holds no key; the connection is used again', async () => {
  await using target = await startRawServer((socket) => socket.write(OK))
  await using proxy = await startProxy()
  await using calls = callsTo(`http://localhost:${target.port}/sandbox`, { proxy: proxyAt(proxy.port), connections: 1 })
  for (let n = 0; n < 5; n++) expect(await calls.send()).toMatchObject(DONE)
  expect(proxy.seen).toHaveLength(1)
  expect(proxy.seen[0]).toContain(`CONNECT localhost:${target.port} `)
  expect(proxy.seen[0]).not.toContain('canary')
})

test('the port of an address without one', async () => {
  await using proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  await sent('https://import.example.com', { proxy: proxyAt(proxy.port) })
  await sent('http://import.example.com', { proxy: proxyAt(proxy.port) })
  await sent('http://[2001:db8::1]', { proxy: proxyAt(proxy.port) })
  expect(proxy.seen.map((head) => head.split(' ')[1])).toEqual([
    'import.example.com:443',
    'import.example.com:80',
    '[2001:db8::1]:80',
  ])
})

test('a used tunnel that ends is stale, a new one is not', async () => {
  await using target = await startRawServer((socket, _, nth) => {
    if (nth === 1) socket.write(OK)
    else socket.end()
  })
  await using silent = await startRawServer((socket) => socket.end())
  await using proxy = await startProxy()
  await using calls = callsTo(`http://localhost:${target.port}`, { proxy: proxyAt(proxy.port), connections: 1 })
  expect(await calls.send()).toMatchObject(DONE)
  expect(await calls.send()).toMatchObject({ status: 'retry', ambiguous: true, stale: true })
  const fresh = await sent(`http://localhost:${silent.port}`, { proxy: proxyAt(proxy.port) })
  expect(fresh).not.toHaveProperty('stale')
  expect(wordsOf(fresh)).toMatch(
    /answering \(UND_ERR_SOCKET\) \(through the proxy http:\/\/localhost:\d+, HTTPS_PROXY\)$/,
  )
})

test('user and password are shown to the proxy only, decoded', async () => {
  const heads: string[] = []
  await using target = await startRawServer((socket, request) => {
    heads.push(request)
    socket.write(OK)
  })
  await using proxy = await startProxy()
  const withPassword = proxyAt(proxy.port, 'ada:p%40ss%3A%C3%A9@')
  expect(await sent(`http://localhost:${target.port}`, { proxy: withPassword })).toMatchObject(DONE)
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
  const outcome = await sent('https://import.example.com', { proxy: proxyAt(proxy.port, userInfo) })
  expect(outcome.status).toBe(expected)
  expect(wordsOf(outcome)).toContain(words)
  expect(wordsOf(outcome)).toContain(`the proxy http://localhost:${proxy.port}`)
  expect(wordsOf(outcome)).not.toContain('secret')
  if (outcome.status === 'retry') {
    const remedy = expect.stringContaining('put import.example.com into no_proxy') as unknown
    expect(outcome).toMatchObject({ cause: 'network', ambiguous: false, remedy })
  }
})

test.each<[string, (socket: Socket) => void, string]>([
  ['closes', (socket) => socket.end(), 'closed the connection before it had opened a way'],
  ['resets', (socket) => socket.resetAndDestroy(), 'closed the connection before it had opened a way'],
  ['speaks no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'had opened a way'],
  ['gives half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nx'), 'had opened a way'],
])('a proxy that %s is retried and not ambiguous', async (_, act, words) => {
  await using proxy = await startRawServer(act)
  const outcome = await sent('https://import.example.com', { proxy: proxyAt(proxy.port) })
  expect(outcome).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false, congestion: false })
  expect(wordsOf(outcome)).toContain(words)
})

test('a proxy that says nothing is a timeout, and its connections are closed', async () => {
  await using proxy = await startRawServer(() => {})
  const more = { connectTimeoutMs: 100 }
  const outcome = await sent('https://import.example.com', { ...more, proxy: proxyAt(proxy.port) })
  expect(outcome).toMatchObject({ status: 'retry', cause: 'timeout', ambiguous: false })
  expect(wordsOf(outcome)).toContain('in time')
  await expect.poll(() => proxy.sockets.size).toBe(0)
})

test('disposing breaks off a tunnel that is being opened', async () => {
  let asked = (): void => {}
  const asking = new Promise<void>((resolve) => (asked = resolve))
  await using proxy = await startRawServer(() => asked())
  const calls = callsTo('https://import.example.com', { proxy: proxyAt(proxy.port) })
  const told = calls.send()
  await asking
  await calls[Symbol.asyncDispose]()
  expect(await told).toMatchObject({ status: 'retry', ambiguous: false })
  await proxy.close()
})

test('a proxy that is down, and one whose name nobody knows', async () => {
  const proxy = await startRawServer(() => {})
  await proxy[Symbol.asyncDispose]()
  const refused = await sent('https://import.example.com', { proxy: proxyAt(proxy.port) })
  expect(refused).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false })
  expect(wordsOf(refused)).toContain(`the proxy http://localhost:${proxy.port} refused the connection (ECONNREFUSED)`)
  const nowhere = { origin: 'http://proxy.invalid:3128', variable: 'https_proxy', authorization: undefined }
  const unknown = await sent('https://import.example.com', { proxy: nowhere })
  expect(unknown).toMatchObject({ status: 'retry', cause: 'network', ambiguous: false })
  expect(wordsOf(unknown)).toContain('the name of the proxy http://proxy.invalid:3128 could not be resolved')
})

test('a proxy that is spoken to over TLS must be trusted by this machine', async () => {
  const tls = { cert: trusted.certificate, key: trusted.key }
  const more = { caCertificate: trusted.certificate }
  await using plain = await listen(createServer(service))
  await using target = await listen(createTlsServer(tls, service))
  await using proxy = await startProxy(undefined, tls)
  const over = proxyAt(proxy.port, '', 'https')
  const distrusted = await sent(`https://localhost:${target.port}`, { ...more, proxy: over })
  expect(distrusted).toMatchObject({ status: 'stop', error: { kind: 'config' } })
  expect(wordsOf(distrusted)).toMatch(/the proxy https:\/\/localhost:\d+ .*NODE_EXTRA_CA_CERTS/)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, trusted.certificate])
  try {
    expect(await sent(`http://localhost:${plain.port}`, { proxy: over })).toMatchObject(DONE)
    expect(await sent(`https://localhost:${target.port}`, { ...more, proxy: over })).toMatchObject(DONE)
  } finally {
    setDefaultCACertificates(before)
  }
})
