// The origins whose pages may use the local service (`serve --allow-origin`), and what their browsers get as answer (CORS).

import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './types.ts'

/** A scheme, a host and perhaps a port, as a browser writes an origin. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+\/?$/i
/** How long a browser may remember what it was allowed before a request. */
const MAX_AGE_SECONDS = 600

export class AllowedOrigins {
  readonly #origins: ReadonlySet<string>

  /** @param origins without a fault (originFault) */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins.map(originOf))
  }

  /** Tells whether an origin, as a request's header says it, is allowed. */
  has(origin: string | undefined): origin is string {
    return origin !== undefined && this.#origins.has(origin.toLowerCase())
  }

  /** The headers that tell a browser what its page may do with an answer; none where no origin is allowed.
   *  @param own headers of the answer, which the page may read */
  headersFor({ origin }: Readonly<IncomingHttpHeaders>, own: Answer['headers'] = {}): Record<string, string> {
    if (this.#origins.size === 0) return {}
    const names = Object.keys(own).filter((name) => !/^access-control-/i.test(name))
    return {
      Vary: 'Origin',
      ...(this.has(origin) && {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        ...(names.length > 0 && { 'Access-Control-Expose-Headers': names.join(', ') }),
      }),
    }
  }

  /** Answers what a browser asks before it sends a request of a page (preflight). `undefined` when it does not ask
   *  that. */
  preflight(method: string, headers: Readonly<IncomingHttpHeaders>): Answer | undefined {
    const wanted = headers['access-control-request-method']
    if (method !== 'OPTIONS' || wanted === undefined || !this.has(headers.origin)) return undefined
    const names = headers['access-control-request-headers']
    const isPrivate = headers['access-control-request-private-network'] === 'true'
    return {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': wanted,
        'Access-Control-Max-Age': MAX_AGE_SECONDS,
        ...(names !== undefined && { 'Access-Control-Allow-Headers': names }),
        ...(isPrivate && { 'Access-Control-Allow-Private-Network': 'true' }),
      },
      body: '',
    }
  }
}

/** Why the text is not a valid origin. `undefined` when it is one. */
export function originFault(text: string): string | undefined {
  if (ORIGIN.test(text) && URL.canParse(text)) return undefined
  const isOfFile = text === 'null' || text.startsWith('file:')
  return isOfFile
    ? 'a page that is opened from a file says "null", as any page can; serve it from an address of its own, such as http://localhost:3000.'
    : 'it is a scheme, a host and perhaps a port, such as http://localhost:3000.'
}

/** Spells an origin as browsers send it: in small letters, without the port that its scheme has anyhow. */
function originOf(text: string): string {
  const { origin } = new URL(text)
  return origin === 'null' ? text.replace(/\/$/, '').toLowerCase() : origin
}
