// Opens connections for undici: directly or through a proxy, with TLS and certificates. Knows which errors ended a used connection.

import type * as http from 'node:http'
import type * as https from 'node:https'
import { createRequire } from 'node:module'
import { isIP, type Socket } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import { buildConnector, type buildConnector as Build } from 'undici'
import type { Secret } from '../../core/secret.ts'
import type { Proxy } from './proxy.ts'
import { TunnelError } from './proxy-failure.ts'

// Loaded on demand: importing node:http also loads fetch, which takes 20 ms.
const require = createRequire(import.meta.url)

/** Certificates and their key, as PEM. */
export interface Certificates {
  /** Authorities to trust in addition to the usual ones, for the server, not for a proxy. */
  readonly caCertificate?: string | undefined
  /** The certificate that this client shows, and its key. */
  readonly clientCertificate?: string | undefined
  readonly clientKey?: Secret | undefined
}

export interface ConnectorOptions extends Certificates {
  readonly connectTimeoutMs: number
  /** The proxy that every connection goes through. `undefined` when there is none. */
  readonly proxy?: Proxy | undefined
}

/** Makes the `connect` of an undici pool, and what can be asked of its connections.
 *  @throws what node:tls throws when the certificates or the key cannot be used */
export function createConnector(options: ConnectorOptions) {
  const { proxy, connectTimeoutMs } = options
  // one for all connections: it keeps their TLS sessions
  const dial = buildConnector({
    ...secureContext(options),
    // explicit, because NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise
    rejectUnauthorized: true,
    allowH2: false,
    timeout: connectTimeoutMs,
  })
  /** Functions that break off the tunnels which are being opened. */
  const breakOffs = new Set<() => void>()
  /** Errors that ended a connection which had brought an answer before, so that it may have been closed while it was idle. */
  const errorsOfUsed = new WeakSet<object>()
  const openSockets = new Set<Socket>()

  function throughProxy(proxy: Proxy, target: Build.Options, callback: Build.Callback): void {
    const authority = `${target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname}:${portOf(target)}`
    // one tuple for both parameters tells the compiler that there is a socket when there is no error
    const breakOff = openTunnel(proxy, authority, connectTimeoutMs, (...[error, socket]) => {
      // `breakOff` is assigned by now: a tunnel never opens synchronously
      breakOffs.delete(breakOff)
      if (error !== null) callback(error, null)
      else if (target.protocol === 'https:') dial({ ...target, httpSocket: socket }, callback)
      else callback(null, socket)
    })
    breakOffs.add(breakOff)
  }

  function watch(socket: Socket): void {
    // what was read so far belongs to a handshake, or is the answer of a proxy
    const before = socket.bytesRead
    socket.on('error', (error) => {
      if (socket.bytesRead > before) errorsOfUsed.add(error)
    })
    openSockets.add(socket)
    // until it closes, the buffers of a destroyed socket may still be read too
    socket.once('close', () => openSockets.delete(socket))
    skipContinue(socket)
  }

  return {
    connect: (target: Build.Options, callback: Build.Callback): void => {
      const connected: Build.Callback = (...result) => {
        if (result[0] === null) watch(result[1])
        callback(...result)
      }
      if (proxy === undefined) dial(target, connected)
      else throughProxy(proxy, target, connected)
    },
    /** Whether this error ended a connection that had brought an answer before. */
    wasUsed: (error: unknown): boolean => typeof error === 'object' && error !== null && errorsOfUsed.has(error),
    /** Whether all that was written to the connections has left this process. */
    isQuiet(): boolean {
      for (const socket of openSockets) if (socket.writableLength > 0) return false
      return true
    },
    /** Breaks off tunnels that are still being opened. */
    stop(): void {
      for (const breakOff of breakOffs) breakOff()
    },
  }
}

function portOf({ port, protocol }: Build.Options): string {
  if (port !== '') return port
  return protocol === 'https:' ? '443' : '80'
}

/** One context for all connections, because reading the authorities takes milliseconds. */
function secureContext({ caCertificate, clientCertificate, clientKey }: Certificates): object {
  if (caCertificate === undefined && clientCertificate === undefined) return {}
  return {
    secureContext: createSecureContext({
      ...(caCertificate === undefined ? {} : { ca: [...getCACertificates('default'), caCertificate] }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate, key: clientKey?.reveal() }),
    }),
  }
}

type Opened = (...result: Result) => void
type Result = [TunnelError, null] | [null, Socket]

/** Opens a tunnel through a proxy: CONNECT, for http: addresses too, so that the proxy never sees the key in a path. Calls `opened`
 *  exactly once, with a socket connected to the target, or a TunnelError.
 *  @param authority host:port of the target
 *  @param timeoutMs for the connection to the proxy and its answer together
 *  @returns a function that breaks it off while it is being opened */
function openTunnel(proxy: Proxy, authority: string, timeoutMs: number, opened: Opened): () => void {
  const request = connectRequest(proxy, authority)
  let isSettled = false
  const settle = (...result: Result): void => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    opened(...result)
  }
  const breakOff = (code: string): void => {
    settle(new TunnelError(undefined, { code }), null)
    request.destroy()
  }
  const timer = setTimeout(breakOff, timeoutMs, 'UND_ERR_CONNECT_TIMEOUT')
  request.on('error', (error) => settle(new TunnelError(undefined, error), null))
  request.on('connect', (response, socket: Socket, head) => {
    const status = response.statusCode ?? 0
    if (isSettled || status < 200 || status >= 300) {
      socket.on('error', () => {}) // an error without a listener would end the process
      socket.destroy()
      settle(new TunnelError(status), null)
      return
    }
    // bytes that came together with the proxy's answer
    if (head.length > 0) socket.unshift(head)
    // as undici does: after a minute of silence, TCP asks whether the other side is still there
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 60_000)
    settle(null, socket)
  })
  request.end()
  return () => breakOff('ECONNABORTED')
}

function connectRequest(proxy: Proxy, authority: string): http.ClientRequest {
  const { protocol, hostname, port } = new URL(proxy.origin)
  const host = hostname.replace(/^\[(.*)\]$/, '$1') // an IPv6 address without its brackets
  const overTls = protocol === 'https:'
  const options = {
    host,
    port: port === '' ? (overTls ? 443 : 80) : Number(port),
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: {
      host: authority,
      'user-agent': 'destination-analytics-service',
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization.reveal() }),
    },
  }
  if (!overTls) return (require('node:http') as typeof http).request(options)
  return (require('node:https') as typeof https).request({
    ...options,
    // the default is the Host header, which names the target
    servername: isIP(host) > 0 ? '' : host,
    // explicit, because NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise
    rejectUnauthorized: true,
  })
}

/** How the head of a `100 Continue` begins and ends. */
const HEAD = 'HTTP/1.1 100'
const HEAD_END = '\r\n\r\n'
/** The place of the status in HEAD, and its first digit. Most chunks have another byte there, so one comparison rules them out. */
const STATUS_AT = 9
const DIGIT_ONE = 0x31
const MAX_HEAD_BYTES = 65_536

/** Removes the heads of `100 Continue` from what a connection reads: a client must accept them (RFC 9110, 15.2), but undici closes the
 *  connection, although it accepts other 1xx. For this the socket's `push`, by which each chunk arrives, is replaced. Such a head is held
 *  until it is complete, then dropped, and what follows is passed on. One that is too long is passed on too. */
function skipContinue(socket: Socket): void {
  const push = socket.push.bind(socket)
  let held: Buffer | undefined
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (held === undefined && !beginsWithContinue(chunk)) return push(chunk, encoding)
    if (chunk === null) return push(null)
    let rest = held === undefined ? chunk : Buffer.concat([held, chunk])
    for (held = undefined; beginsWithContinue(rest);) {
      const end = rest.indexOf(HEAD_END, HEAD.length, 'latin1')
      if (end === -1 && rest.length > MAX_HEAD_BYTES) break
      if (end === -1) {
        held = rest
        return true
      }
      rest = rest.subarray(end + HEAD_END.length)
    }
    return rest.length === 0 || push(rest)
  }
}

function beginsWithContinue(chunk: Buffer | null): chunk is Buffer {
  return chunk !== null && chunk[STATUS_AT] === DIGIT_ONE && chunk.toString('latin1', 0, HEAD.length) === HEAD
}
