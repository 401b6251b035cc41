// A server that fails in every way there is, and tells everybody the key it was asked with. The first part of the path says
// how.

import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { listening } from '../../src/process/testing/listening.ts'
import { inAllForms } from './forms.ts'

const { trusted } = JSON.parse(
  readFileSync(new URL('../../src/service/http/certificates.test.json', import.meta.url), 'utf8'),
) as { trusted: { certificate: string; key: string } }

interface Asked {
  readonly response: ServerResponse
  readonly socket: Socket
  /** Of the request, whole, with the key. */
  readonly url: string
  readonly key: string
  readonly body: string
}

type Trouble = (asked: Asked) => void

/** A body in the service's own shape. */
const told = ({ url, key, body }: Asked): string =>
  JSON.stringify({ code: 400, message: `bad ${url}`, reasons: [key, inAllForms(key), url, inAllForms(url), body] })

const answered =
  (status: number, headers: Record<string, string> = {}): Trouble =>
  (asked) =>
    asked.response.writeHead(status, { 'x-url': asked.url, ...headers }).end(told(asked))

const page = ({ url, key }: Asked): string =>
  `<!doctype html><html><head><title>No way to ${url} (${key})</title></head><body>${inAllForms(key)}<a href="${url}">`

const raw =
  (bytes: (asked: Asked) => string): Trouble =>
  (asked) =>
    asked.socket.end(bytes(asked))

export const TROUBLES: Readonly<Record<string, Trouble>> = {
  '400': answered(400),
  '400 in plain text': (asked) => asked.response.writeHead(400).end(inAllForms(asked.key)),
  '400 that is cut': ({ response, url }) => {
    // white space is no word: the first 4,096 bytes end in the midst of the key
    const start = url.slice(0, url.indexOf('apikey=') + 17)
    response.writeHead(400).end(`${' '.repeat(4_096 - start.length)}${url}`)
  },
  '401': answered(401),
  '403': answered(403),
  '404': answered(404),
  '301': (asked) => answered(301, { location: asked.url })(asked),
  '302 to a host of that name': (asked) =>
    answered(302, { location: `http://${encodeURIComponent(asked.key)}.example.com/${asked.url}` })(asked),
  '500': answered(500),
  '503': answered(503, { 'retry-after': '0' }),
  'a page': (asked) => asked.response.writeHead(200, { 'content-type': 'text/html' }).end(page(asked)),
  'a status line': raw(({ url }) => `HTTP/1.1 400 no ${encodeURI(url)}\r\ncontent-length: 0\r\n\r\n`),
  'no HTTP': raw(({ url, key }) => `${url} ${key}\r\n\r\n`),
  'half an answer': raw((asked) => `HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n${told(asked)}`),
  reset: ({ socket }) => socket.resetAndDestroy(),
  silence: () => {},
  none: ({ response }) => response.end('{}'),
}

/** Wants the name in a path of its own. */
export const pathOf = (trouble: string): string => encodeURIComponent(trouble.replaceAll(' ', '-'))

export interface TroubleServers extends AsyncDisposable {
  /** An address where one trouble waits. */
  url(trouble: string): string
  /** A new address, and when it is asked with a key. */
  waiting(trouble: string): { readonly url: string; readonly asked: Promise<unknown> }
  /** The same, over TLS that nobody trusts. */
  readonly tls: string
  /** A proxy: its word on CONNECT is `407`, or it lets through to the troubles. */
  readonly proxy: string
  /** Nothing listens there. */
  readonly nowhere: string
}

export async function startTroubles(): Promise<TroubleServers> {
  const asked = new EventEmitter()
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url!.includes('apikey=')) asked.emit(request.url!.split('/')[2]!)
    void trouble(request, response)
  }
  const plain = createServer(onRequest)
  plain.on('connect', (request, socket: Socket) => {
    const credentials = Buffer.from(request.headers['proxy-authorization']?.slice(6) ?? '', 'base64').toString()
    if (request.url?.startsWith('closed')) {
      socket.end(
        `HTTP/1.1 407 ${encodeURI(credentials)}\r\ncontent-length: 0\r\nx: ${inAllForms(credentials).replaceAll(/[^ -~]/g, '?')}\r\n\r\n`,
      )
      return
    }
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    plain.emit('connection', socket)
  })
  await using stack = new AsyncDisposableStack()
  const { port } = stack.use(await listening(plain))
  const tls = stack.use(await listening(createTlsServer({ cert: trusted.certificate, key: trusted.key }, onRequest)))
  const url = (name: string): string => `http://127.0.0.1:${port}/${pathOf(name)}`
  const nowhere = await listening(createTcpServer())
  await nowhere[Symbol.asyncDispose]()
  const opened = stack.move()
  return {
    url,
    waiting(name) {
      const id = randomUUID()
      return { url: `${url(name)}/${id}`, asked: once(asked, id) }
    },
    tls: `https://127.0.0.1:${tls.port}/401`,
    proxy: `127.0.0.1:${port}`,
    nowhere: `http://127.0.0.1:${nowhere.port}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function trouble(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const url = `http://${request.headers.host}${request.url}`
  const { pathname, searchParams } = new URL(url)
  const [, name] = pathname.split('/')
  // the question for the status is answered: what follows is the question with the key
  if (!searchParams.has('apikey')) {
    response.end()
    return
  }
  const found = Object.keys(TROUBLES).find((trouble) => pathOf(trouble) === name)
  const body = Buffer.concat(chunks).toString()
  TROUBLES[found!]!({ response, socket: request.socket, url, key: searchParams.get('apikey')!, body })
}
