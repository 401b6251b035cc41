// Names for what failed on the network, in the words that people search for (`networkCause`, `statusCause`), and the events of attempts
// by which an outage is noticed (`OutageEvents`).

/** The cause of a failure, in words that people search for: "connection refused", "503 Service Unavailable". */
export interface NetworkCause {
  readonly words: string
  /** The code that the system or a library gave, such as ECONNREFUSED. `undefined` when there is none, as for an answer. */
  readonly code?: string | undefined
}

/** Words for codes of the system, of undici (UND_ERR_) or of Node's HTTP parser, whose other codes begin with HPE_. */
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

/** Codes of OpenSSL and of Node's certificate checks. */
const TLS_CODE = /SSL|TLS|CERT|^CRL_|^EPROTO$|HOSTNAME_MISMATCH|^UNABLE_TO_|SIGNED/

/** Names the cause of a connection that failed or broke.
 *  @param code the code that the system or a library gave
 *  @param inHandshake whether TLS was being agreed on. A `connection …` that ends then is the handshake's failure, unless it was refused */
export function networkCause(code: string, inHandshake = false): NetworkCause {
  const words = WORDS[code]
  const isBroken = inHandshake && words?.startsWith('connection ') === true && code !== 'ECONNREFUSED'
  if (TLS_CODE.test(code) || isBroken) return { words: 'TLS handshake failed', code }
  if (words !== undefined) return { words, code }
  return { words: code.startsWith('HPE_') ? 'invalid HTTP response' : 'request failed', code }
}

/** Names the cause of an answer by its status: "503 Service Unavailable". */
export function statusCause(status: number): NetworkCause {
  const words = STATUSES[status]
  return { words: words === undefined ? String(status) : `${status} ${words}` }
}

/** Listens to the attempts at one service. Each attempt calls `began` once, and then one of the others once at its end. */
export interface OutageEvents {
  began(): void
  /** An answer came, whatever it was: the service is there. */
  answered(): void
  /** The service answered that it wants fewer requests (429). */
  throttled(): void
  /** No answer came, or one that says that the service cannot answer now (5xx). Another attempt follows.
   *  @param remedy whole sentences */
  failed(cause: NetworkCause, remedy?: string): void
  /** The attempt shows nothing about the service: this program cut it off, or its connection had been idle for too long. */
  ended(): void
}
