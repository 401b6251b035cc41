// A tunnel through a proxy: CONNECT, for http: addresses too, so that the proxy never sees the key in a path.

import type { ClientRequest } from 'http'
import { createRequire } from 'module'
import { isIP, type Socket } from 'net'
import type * as http from 'node:http'
import type * as https from 'node:https'
import { TunnelError } from './proxy-failure.ts'
import type { Proxy } from './proxy.ts'

// Loaded on demand: importing node:http also loads fetch, which takes 20 ms.
const require = createRequire(import.meta.url)

type Opened = (...result: Result) => void
type Result = [TunnelError, null] | [null, Socket]

/** Calls `opened` exactly once, with a socket connected to the target, or a TunnelError.
 *  @param authority host:port of the target
 *  @param timeoutMs for the connection to the proxy and its answer together
 *  @returns breaks off what has not opened yet */
export function openTunnel(proxy: Proxy, authority: string, timeoutMs: number, opened: Opened): () => void {
  const request = connectRequest(proxy, authority)
  let over = false
  const settle = (...result: Result): void => {
    if (over) return
    over = true
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
    if (over || status < 200 || status >= 300) {
      socket.on('error', () => {})
      socket.destroy()
      settle(new TunnelError(status), null)
      return
    }
    if (head.length > 0) socket.unshift(head)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 60_000)
    settle(null, socket)
  })
  request.end()
  return () => breakOff('ECONNABORTED')
}

function connectRequest(proxy: Proxy, authority: string): ClientRequest {
  const { protocol, hostname, port } = new URL(proxy.origin)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
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
