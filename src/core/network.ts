// What failed on the network, in the standard words for it, and the events that an outage is noticed by.

/** What failed, in words that people search for: "connection refused", "503 Service Unavailable". */
export interface NetworkCause {
  readonly words: string
  /** The code as the system calls it: ECONNREFUSED. */
  readonly code?: string | undefined
}

/** Words for a code of the system, of undici or of Node's HTTP parser. */
const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'DNS lookup failed',
  EAI_AGAIN: 'DNS lookup failed',
  EAI_FAIL: 'DNS lookup failed',
  ENODATA: 'DNS lookup failed',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'host unreachable',
  EHOSTDOWN: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENETDOWN: 'network unreachable',
  EADDRNOTAVAIL: 'no local address for the connection',
  EACCES: 'connection not permitted',
  EPERM: 'connection not permitted',
  ETIMEDOUT: 'connection timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connection timeout',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid HTTP response',
  UND_ERR_HEADERS_OVERFLOW: 'invalid HTTP response',
  HTTPParserError: 'invalid HTTP response',
}

const STATUSES: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

const TLS = /SSL|TLS|CERT|^CRL_|^EPROTO$|HOSTNAME_MISMATCH|^UNABLE_TO_|SIGNED/

/** The cause of a connection that was tried, or broke.
 *  @param code as the system calls it
 *  @param inHandshake whether TLS was being agreed on */
export function networkCause(code: string, inHandshake = false): NetworkCause {
  const known = WORDS[code]
  if (TLS.test(code) || (inHandshake && known?.startsWith('connection ') && code !== 'ECONNREFUSED'))
    return { words: 'TLS handshake failed', code }
  if (known !== undefined) return { words: known, code }
  return { words: code.startsWith('HPE_') ? 'invalid HTTP response' : 'request failed', code }
}

/** The cause of an answer: "503 Service Unavailable". */
export function statusCause(status: number): NetworkCause {
  const words = STATUSES[status]
  return { words: words === undefined ? String(status) : `${status} ${words}` }
}

/** What an attempt tells an observer: `began` once, and then how it ended, by one of the others. */
export interface OutageEvents {
  began(): void
  /** An answer came, whatever it was: the service is there. */
  answered(): void
  /** It is there, and wants fewer requests (429). */
  throttled(): void
  /** No answer came, or one that says that the service cannot answer now (5xx): the attempt is made again.
   *  @param remedy whole sentences */
  failed(cause: NetworkCause, remedy?: string): void
  /** It ended for a reason that shows nothing: cut off by this program, or on a connection that had been idle for too long. */
  ended(): void
}
