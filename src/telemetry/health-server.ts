// Answers GET and HEAD of a few paths over HTTP, for probes and scrapers. The pages are made by health.ts and metrics.ts.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConnectorError } from '../core/errors.ts'

export interface PageAnswer {
  readonly status: number
  /** Content-Type. */
  readonly type: string
  readonly body: string
}

/** Makes a page. If it throws, the answer is a 500 without details. @param signal aborts when the server closes */
export type Page = (signal: AbortSignal) => PageAnswer | Promise<PageAnswer>

/** A server that listens. Disposing it closes it with every connection, answered or not. */
export interface HealthServer extends AsyncDisposable {
  readonly port: number
}

/** Options of Node's server, in bytes and milliseconds. Any machine may connect, so requests must be small, fast and few. A connection that
 *  was answered may wait `keepAliveTimeout` for its next request. */
const BOUNDS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 3_000,
  requestTimeout: 3_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 500,
}
const MAX_CONNECTIONS = 256
/** A connection on which nothing moves is closed after this time, also amid an answer that its client does not read. More than
 *  `keepAliveTimeout`, which comes first between requests. */
const STUCK_MS = 35_000

/** Starts a server. It listens when this resolves. @param port 0 for any free one
 *  @param pages by their exact path; `/` lists them
 *  @throws ConnectorError config: it cannot listen at that address */
export async function startHealthServer(
  { host, port }: { readonly host: string; readonly port: number },
  pages: ReadonlyMap<string, Page>,
): Promise<HealthServer> {
  const closing = new AbortController()
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    void serve(request, response, pages, closing.signal)
  const server = createServer(BOUNDS, answer)
  // else Node would first tell a client that expects `100 Continue` to send its body
  server.on('checkContinue', answer)
  server.maxConnections = MAX_CONNECTIONS
  server.timeout = STUCK_MS
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    const message = `Health cannot be served at ${host} port ${port}: ${whyNotListening(error)}.`
    throw new ConnectorError('config', 'run.health-port', message, { cause: error })
  }
  // a connection that cannot be accepted (too many open files) must not stop the stream
  server.on('error', () => {})
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      closing.abort()
      // already disposed
      if (!server.listening) return
      const closed = server[Symbol.asyncDispose]()
      server.closeAllConnections()
      await closed
    },
  }
}

function whyNotListening(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return 'the port is in use. Choose another one with the option health.port'
  if (code === 'EACCES') return 'the port needs privileges. Choose one above 1023 with the option health.port'
  return `${code ?? String(error)}. Give the option health.host an address of this machine, or 0.0.0.0 for all`
}

/** Answers a request. Never rejects. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  pages: ReadonlyMap<string, Page>,
  signal: AbortSignal,
): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const path = request.url!.split('?', 1)[0]!
  const page = path === '/' ? () => plainText(200, [...pages.keys()].join('\n')) : pages.get(path)
  const answer = await answerOf(page, isRead, signal)
  const body = Buffer.from(answer.body)
  response.writeHead(answer.status, {
    'Content-Type': answer.type,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(answer.status === 405 ? { Allow: 'GET, HEAD' } : {}),
    // closed, lest the server waits for a body that it does not want
    ...(isRead && !hasBody(request) ? {} : { Connection: 'close' }),
  })
  // to HEAD, Node sends the headers alone
  response.end(body)
}

async function answerOf(page: Page | undefined, isRead: boolean, signal: AbortSignal): Promise<PageAnswer> {
  if (!page) return plainText(404, 'There is no such page; / lists the pages.')
  if (!isRead) return plainText(405, 'Only GET and HEAD are answered.')
  try {
    return await page(signal)
  } catch {
    return plainText(500, 'This page could not be made.')
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function plainText(status: number, text: string): PageAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` }
}
