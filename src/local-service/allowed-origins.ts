// The origins whose pages may use the local service (`serve --allow-origin`), and what their browsers get as answer (CORS).

import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './types.ts'

/** A scheme, a host and perhaps a port, as a browser writes an origin; a slash at the end is tolerated. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+\/?$/i
/** How long a browser may remember the answer to a preflight. */
const PREFLIGHT_SECONDS = 600

export class AllowedOrigins {
  readonly #origins: ReadonlySet<string>

  /** @param origins for which `originFault` finds no fault */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins.map(originOf))
  }

  /** Tells whether an origin, the value of a request's header Origin, is allowed. */
  has(origin: string | undefined): origin is string {
    return origin !== undefined && this.#origins.has(origin.toLowerCase())
  }

  /** The headers that tell a browser what its page may do with an answer; none where no origin is allowed.
   *  @param headers of the request
   *  @param readable headers of the answer, which the page may read but for those of CORS itself */
  headersFor({ origin }: Readonly<IncomingHttpHeaders>, readable: Answer['headers'] = {}): Record<string, string> {
    if (this.#origins.size === 0) return {}
    const names = Object.keys(readable).filter((name) => !/^access-control-/i.test(name))
    return {
      Vary: 'Origin',
      ...(this.has(origin) && {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        ...(names.length > 0 && { 'Access-Control-Expose-Headers': names.join(', ') }),
      }),
    }
  }

  /** Answers a preflight, a browser's question whether a page may send its request. `undefined` for any other request or origin. */
  preflight(method: string, headers: Readonly<IncomingHttpHeaders>): Answer | undefined {
    const askedMethod = headers['access-control-request-method']
    if (method !== 'OPTIONS' || askedMethod === undefined || !this.has(headers.origin)) return undefined
    const askedHeaders = headers['access-control-request-headers']
    const isToPrivateNetwork = headers['access-control-request-private-network'] === 'true'
    return {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': askedMethod,
        'Access-Control-Max-Age': PREFLIGHT_SECONDS,
        ...(askedHeaders !== undefined && { 'Access-Control-Allow-Headers': askedHeaders }),
        ...(isToPrivateNetwork && { 'Access-Control-Allow-Private-Network': 'true' }),
      },
      body: '',
    }
  }
}

/** Says why a text is no origin that can be allowed. `undefined` when it can. */
export function originFault(text: string): string | undefined {
  if (ORIGIN.test(text) && URL.canParse(text)) return undefined
  const isOfFile = text === 'null' || text.startsWith('file:')
  return isOfFile
    ? 'a page that is opened from a file says "null", as any page can; serve it from an address of its own, such as http://localhost:3000.'
    : 'it is a scheme, a host and perhaps a port, such as http://localhost:3000.'
}

/** Spells an origin as browsers send it: in small letters, without the default port of its scheme. */
function originOf(text: string): string {
  const { origin } = new URL(text)
  // URL gives "null" for most schemes, such as those of browser extensions
  return origin === 'null' ? text.replace(/\/$/, '').toLowerCase() : origin
}
