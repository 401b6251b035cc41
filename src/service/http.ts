// The connections to one address, and one exchange over them. The only place where the key meets a path.
// Knows no outcome.

import { createSecureContext, getCACertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import { Pool } from 'undici'

import type { Secret } from '../core/secret.ts'
import type { Exchange } from './attempt.ts'
import { Attempt } from './attempt.ts'
import { KEY_PARAMETER } from './contract.ts'
import { InFlight } from './in-flight.ts'

/** Everything the client of one address is made of; times in milliseconds. */
export interface ServiceOptions {
  /** http(s)://host[:port][/prefix], without user, query and fragment. */
  readonly baseUrl: string
  /** The option that names it, for remedies. */
  readonly addressOption: string
  readonly clientId: number | string
  readonly apiKey: Secret
  /** For every attempt: waiting for a connection, sending, answer and its body. */
  readonly requestTimeoutMs: number
  /** Takes every form of every secret out of a text. */
  readonly scrub: (text: string) => string
  readonly connectTimeoutMs?: number | undefined
  /** At most so many attempts at once; more wait, their deadline running. 128 if absent. */
  readonly connections?: number | undefined
  /** PEM: authorities to trust beside the usual ones. */
  readonly caCertificate?: string | undefined
  /** PEM: what this client shows, and its key. */
  readonly clientCertificate?: string | undefined
  readonly clientKey?: Secret | undefined
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly wallClock?: (() => number) | undefined
}

export interface Call {
  readonly method: 'GET' | 'POST'
  /** Below the base address, without query. */
  readonly path: string
  /** Whether the key goes along. */
  readonly withKey: boolean
  readonly body?: Uint8Array
}

export interface Http extends AsyncDisposable {
  /** One attempt; redirects are not followed. Never throws. */
  exchange(call: Call, signal: AbortSignal): Promise<Exchange>
}

const now = (): number => performance.now()

const HEADERS = ['accept', 'application/json', 'user-agent', 'destination-analytics-service']
const BODY_HEADERS = [...HEADERS, 'content-type', 'application/json']

/** Opens nothing yet. Disposing of it breaks off what is in flight and closes every connection. */
export function createHttp(options: ServiceOptions): Http {
  const { origin, pathname } = new URL(options.baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const { apiKey, requestTimeoutMs } = options
  const inFlight = new InFlight(now)
  let pool: Dispatcher | undefined

  function dispatch({ method, path, withKey, body }: Call, attempt: Attempt): void {
    try {
      pool ??= createPool(origin, options)
      const query = withKey ? `?${KEY_PARAMETER}=${encodedKey(apiKey)}` : ''
      pool.dispatch(
        { method, path: `${prefix}${path}${query}`, headers: body ? BODY_HEADERS : HEADERS, body: body ?? null },
        attempt,
      )
    } catch (error) {
      attempt.onResponseError(null, error)
    }
  }

  return {
    async exchange(call, signal) {
      if (signal.aborted) return { kind: 'failure', why: 'aborted', begun: false }
      return await new Promise((resolve) => {
        const attempt = new Attempt(now() + requestTimeoutMs, signal, (exchange, ended) => {
          inFlight.delete(ended)
          resolve(exchange)
        })
        inFlight.add(attempt)
        dispatch(call, attempt)
      })
    },
    async [Symbol.asyncDispose]() {
      inFlight.stop()
      await pool?.destroy()
    },
  }
}

/** As the query wants it. */
function encodedKey(key: Secret): string {
  return encodeURIComponent(key.reveal().toWellFormed())
}

function createPool(origin: string, options: ServiceOptions): Pool {
  return new Pool(origin, {
    allowH2: false,
    connections: options.connections ?? 128,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 500,
    keepAliveMaxTimeout: 60_000,
    // The attempt has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: options.connectTimeoutMs ?? 10_000,
    connect: connectOptions(options),
  })
}

/** One context for all connections: reading the authorities anew for each would cost milliseconds every time. */
function connectOptions({ caCertificate, clientCertificate, clientKey }: ServiceOptions): object {
  if (caCertificate === undefined && clientCertificate === undefined) return {}
  return {
    secureContext: createSecureContext({
      ...(caCertificate === undefined ? {} : { ca: [...getCACertificates('default'), caCertificate] }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate, key: clientKey?.reveal() }),
    }),
  }
}
