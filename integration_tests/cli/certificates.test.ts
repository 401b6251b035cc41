// NODE_TLS_REJECT_UNAUTHORIZED=0 turns off nothing: every connection of every command is refused where nobody trusts the
// certificate, and no byte goes there.

import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import { told, workFolder } from '../connector.ts'
import { configOf, SECRETS } from '../onboard/driver.ts'
import { record, stream } from '../write/driver.ts'

interface Pair {
  readonly certificate: string
  readonly key: string
}
const { trusted, otherHost } = JSON.parse(
  readFileSync(new URL('../../src/service/http/certificates.test.json', import.meta.url), 'utf8'),
) as Record<'trusted' | 'otherHost', Pair>
const tlsOf = ({ certificate, key }: Pair) => ({ cert: certificate, key })

const API_KEY = 'canary-api-key'
const DISTRUSTED = /SELF_SIGNED_CERT|self-signed certificate/
const ANSWER = 'HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'

interface Listener extends AsyncDisposable {
  readonly place: string
}

async function listen(server: Server): Promise<Listener> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    place: `localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Speaks TLS, and remembers all that it was told under it. */
async function startEar(pair: Pair): Promise<Listener & { heard(): string }> {
  let heard = ''
  const server = createTlsServer(tlsOf(pair), (socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1')
      socket.end(ANSWER)
    })
  })
  return { ...(await listen(server)), heard: () => heard }
}

/** Lets everybody through to one place, whatever was asked for. @param tls absent: none */
async function startProxy(to: string, tls?: Pair): Promise<Listener & { heard(): string }> {
  let heard = ''
  const refuse: RequestListener = (_, response) => response.writeHead(405).end()
  const server = tls ? createHttpsServer(tlsOf(tls), refuse) : createServer(refuse)
  server.on('connect', ({ headers }, socket: Socket) => {
    heard += `CONNECT ${headers['proxy-authorization'] ?? ''}`
    const [host, port] = to.split(':')
    const onward = connect(Number(port), host)
    for (const end of [socket, onward]) end.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.pipe(onward).pipe(socket)
  })
  return { ...(await listen(server)), heard: () => heard }
}

interface Command {
  readonly args: (file: string, catalog: string) => readonly string[]
  readonly config: (place: string) => object
}

const toService = (place: string): object => ({ import_url: `https://${place}`, client_id: 7, api_key: API_KEY })
const reading = (kafka: object, topic: object, registry?: object): object => ({
  ...toService('localhost:1'),
  api_key: '${API_KEY}',
  retry_for_seconds: 1,
  kafka: { group: 'g', ...kafka },
  topics: [{ topic: 't', keys: ['id'], ...topic }],
  ...(registry && { schema_registry: registry }),
})
const sasl = { mechanism: 'plain', username: 'ada', password: '${PASSWORD}' }
const toKafka = (place: string): object => reading({ brokers: place, tls: true, sasl }, {})
const toRegistry = (place: string): object =>
  reading({ brokers: 'localhost:1' }, { value_encoding: 'registry' }, { url: `https://${place}`, token: '${PASSWORD}' })

const COMMANDS: Readonly<Record<string, Command>> = {
  check: { args: (file) => ['check', '--config', file], config: toService },
  write: { args: (file, catalog) => ['write', '--config', file, '--catalog', catalog], config: toService },
  onboard: { args: (file) => ['onboard', '--config', file], config: (place) => configOf(`https://${place}`) },
  'stream, the broker': { args: (file) => ['stream', '--config', file], config: toKafka },
  'stream --check, the broker': { args: (file) => ['stream', '--check', '--config', file], config: toKafka },
  'stream --check, the registry': { args: (file) => ['stream', '--check', '--config', file], config: toRegistry },
}

/** All that the command says until it ends. */
async function said({ args, config }: Command, place: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  await using work = await workFolder()
  const file = await work.file('config.json', config(place))
  const catalog = await work.file('catalog.json', { streams: [stream('orders')] })
  const ca = env['NODE_EXTRA_CA_CERTS']
  const authority = ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: await work.file('ca.pem', ca) }
  const { PATH } = process.env
  const whole = { PATH, ...SECRETS, API_KEY, NODE_TLS_REJECT_UNAUTHORIZED: '0', ...env, ...authority }
  return (await told(args(file, catalog), { env: whole, input: record('{"id":1}') })).text
}

test.concurrent.each(Object.keys(COMMANDS))('%s tells nothing to whom it does not trust', async (name) => {
  await using ear = await startEar(trusted)
  const text = await said(COMMANDS[name]!, ear.place)
  expect(ear.heard()).toBe('')
  expect(text).toMatch(DISTRUSTED)
})

const { write } = COMMANDS as { write: Command }
const proxied = (scheme: string, place: string): NodeJS.ProcessEnv => ({
  https_proxy: `${scheme}://ada:lovelace@${place}`,
})

test.concurrent('nor through a proxy', async () => {
  await using ear = await startEar(trusted)
  await using proxy = await startProxy(ear.place)
  const text = await said(write, 'import.example.com', proxied('http', proxy.place))
  expect(proxy.heard()).toMatch(/^CONNECT Basic/)
  expect(ear.heard()).toBe('')
  expect(text).toMatch(DISTRUSTED)
})

test.concurrent('nor to a proxy that it does not trust', async () => {
  await using ear = await startEar(trusted)
  await using proxy = await startProxy(ear.place, trusted)
  const text = await said(write, 'import.example.com', proxied('https', proxy.place))
  expect(proxy.heard() + ear.heard()).toBe('')
  expect(text).toMatch(DISTRUSTED)
})

test.concurrent('nor through a proxy that it trusts, by an authority that is added', async () => {
  await using ear = await startEar(otherHost)
  await using proxy = await startProxy(ear.place, trusted)
  const env = { ...proxied('https', proxy.place), NODE_EXTRA_CA_CERTS: trusted.certificate }
  const text = await said(write, 'import.example.com', env)
  expect(proxy.heard()).toMatch(/^CONNECT Basic/)
  expect(ear.heard()).toBe('')
  expect(text).toMatch(DISTRUSTED)
})

test.concurrent('a certificate for another name is refused too', async () => {
  await using ear = await startEar(otherHost)
  const text = await said(write, ear.place, { NODE_EXTRA_CA_CERTS: otherHost.certificate })
  expect(ear.heard()).toBe('')
  expect(text).toMatch(/not valid for the name localhost/)
})

test.concurrent('whom it trusts it tells', async () => {
  await using ear = await startEar(trusted)
  const text = await said(write, ear.place, { NODE_EXTRA_CA_CERTS: trusted.certificate })
  expect(ear.heard()).toContain(API_KEY)
  expect(text).toMatch(/401/)
})
