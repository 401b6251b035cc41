// Makes the HTTP server of the local service. What node:http would otherwise answer by itself gets a JSON body here too.

import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, refusal, htmlSafeJson } from './answers.ts'
import type { Context } from './context.ts'
import { ANSWER_HEADERS, sendAnswer } from './send-answer.ts'
import { refusedAtOnce, serveRequest } from './serve-request.ts'

const OPTIONS = {
  // milliseconds; more than the 60 s for which `write` keeps an idle connection at most
  keepAliveTimeout: 65_000,
  maxHeaderSize: 64 * 1024,
  // programs may leave Host out (local-access.ts)
  requireHostHeader: false,
  noDelay: true,
}

/** Makes the server, which does not listen yet. */
export function createHttpServer(context: Context): Server {
  /** The last request of each connection. `served` resolves when it is answered. */
  const lastRequests = new WeakMap<Duplex, { readonly request: IncomingMessage; readonly served: Promise<void> }>()
  const server = createServer(OPTIONS, (request, response) => {
    lastRequests.set(request.socket, { request, served: serveRequest(request, response, context) })
  })
  server.on('checkExpectation', (request, response) => {
    const unmet = refusal(417, ['the only expectation served is 100-continue'])
    void sendAnswer(response, refusedAtOnce(request, context) ?? unmet, ANSWER_HEADERS)
  })
  server.on('connect', (_request, socket) => endRaw(socket, 404, 'CONNECT is not served here'))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = lastRequests.get(socket)
    const end = (): void => endRaw(socket, statusOf(error), `this is not HTTP/1.1 as it is read here (${error.code})`)
    // where the bytes that are no HTTP follow a whole request, its answer comes first
    if (last?.request.complete === true) void last.served.then(end)
    else end()
  })
  return server
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

/** Writes an error to the socket itself, for what never became a request with a response object, and ends the connection. */
function endRaw(socket: Duplex, status: number, reason: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = htmlSafeJson(errorBody(status, [reason]))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    ...Object.entries(ANSWER_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
