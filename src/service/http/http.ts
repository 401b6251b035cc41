// Exchanges with one address, over a pool of connections. The only place where the key is put into a path. `exchange` makes an Attempt,
// which undici (the pool) tells what happens, and InFlight when to give up. Once the attempt has settled, a compressed body is unpacked.

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { Pool } from 'undici'
import { codeOf } from '../../core/errors.ts'
import type { Secret } from '../../core/secret.ts'
import { KEY_PARAMETER } from '../contract.ts'
import { header, KEPT_BYTES, piecesOf, endsWithConnection, type HttpAnswer, type Target } from './answer.ts'
import { Attempt, type Exchange } from './attempt.ts'
import { InFlight } from './attempts-in-flight.ts'
import { createConnector, type ConnectorOptions } from './connector.ts'

/** A finished exchange, for logs. Without messages of libraries, which may quote an address; without the query, which has the key;
 *  without bodies. */
export interface ExchangeReport {
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** `undefined` when no answer came. */
  readonly status: number | undefined
  /** A code for why no answer came. */
  readonly failure: string | undefined
  /** From the call to the end of the answer. */
  readonly ms: number
  /** Data points in the request's body. `undefined` when it is no upsert. */
  readonly points: number | undefined
  /** Bytes of the request's body. */
  readonly bytes: number
}

/** Options for connections to one address; times in milliseconds. */
export interface HttpOptions extends Omit<ConnectorOptions, 'connectTimeoutMs'> {
  /** http(s)://host[:port][/prefix], without user, query and fragment. */
  readonly baseUrl: string
  /** For every attempt: waiting for a connection, sending, answer and its body. */
  readonly requestTimeoutMs: number
  /** Cut to `requestTimeoutMs`; 10 s if absent. */
  readonly connectTimeoutMs?: number | undefined
  /** Most attempts at once; more wait, and their deadline runs. 128 if absent. */
  readonly connections?: number | undefined
  /** Bytes of an answer's body that are kept; KEPT_BYTES if absent. */
  readonly keptBytes?: number | undefined
  /** Called when an exchange is over. Must not throw. */
  readonly onExchange?: ((report: ExchangeReport) => void) | undefined
}

/** Options for a client of the import interface, which is `Target` in messages. */
export interface ServiceOptions extends HttpOptions, Omit<Target, 'origin' | 'proxy'> {
  readonly apiKey: Secret
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly wallClock?: (() => number) | undefined
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Below the base address. */
  readonly path: string
  /** Sent in the query, so `path` must have no query; absent when no key is sent. */
  readonly key?: Secret | undefined
  /** Names and values in turn, in place of those of the import interface. */
  readonly headers?: readonly string[]
  readonly body?: Uint8Array
  /** Data points in the body, for the report. */
  readonly points?: number
}

export interface Http extends AsyncDisposable {
  /** One attempt; redirects are not followed. Never throws. */
  exchange(call: HttpCall, signal: AbortSignal): Promise<Exchange>
  /** Whether no body of a call is being written any more. */
  isQuiet(): boolean
}

const now = (): number => performance.now()

/** Names and values in turn, of every request of this program.
 *  @param accept the media types that an answer may have */
export function headersFor(accept: string): readonly string[] {
  // without accept-encoding, any encoding would be allowed
  return ['accept', accept, 'accept-encoding', 'identity', 'user-agent', 'destination-analytics-service']
}

const HEADERS = headersFor('application/json')
const BODY_HEADERS = [...HEADERS, 'content-type', 'application/json']

/** Node's own limit is 16 KiB. */
const MAX_HEAD_BYTES = 131_072

/** A client that opens nothing before its first exchange. Disposing of it breaks off what is in flight and closes every connection. */
export function createHttp(options: HttpOptions): Http {
  const { origin, pathname } = new URL(options.baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const { requestTimeoutMs, keptBytes = KEPT_BYTES, onExchange } = options
  const inFlight = new InFlight(now)
  let connections: ReturnType<typeof createConnections> | undefined

  function dispatch({ method, path, key, headers, body }: HttpCall, attempt: Attempt): void {
    try {
      connections ??= createConnections(origin, options)
      const query = key === undefined ? '' : `?${KEY_PARAMETER}=${encodeURIComponent(key.reveal().toWellFormed())}`
      const sent = headers ?? (body ? BODY_HEADERS : HEADERS)
      connections.pool.dispatch(
        { method, path: `${prefix}${path}${query}`, headers: sent as string[], body: body ?? null },
        attempt,
      )
    } catch (error) {
      attempt.onResponseError(null, error)
    }
  }

  /** What undici does not know of an exchange: its body unpacked, or that its connection was stale. */
  function completed(exchange: Exchange, { heard }: Attempt): Exchange {
    if (exchange.kind === 'answer') return decodeBody(exchange, keptBytes)
    const stale = !heard && connections?.connector.wasUsed(exchange.error) === true
    return stale ? { ...exchange, stale } : exchange
  }

  return {
    async exchange(call, signal) {
      if (signal.aborted) return { kind: 'failure', why: 'aborted', begun: false }
      return await new Promise((resolve) => {
        const began = onExchange === undefined ? 0 : now()
        const settled = (exchange: Exchange, ended: Attempt): void => {
          inFlight.delete(ended)
          onExchange?.(reportOf(call, `${prefix}${call.path}`, exchange, now() - began))
          resolve(completed(exchange, ended))
        }
        const attempt = new Attempt(now() + requestTimeoutMs, signal, settled, keptBytes)
        inFlight.add(attempt)
        dispatch(call, attempt)
      })
    },
    isQuiet: () => connections?.connector.isQuiet() ?? true,
    async [Symbol.asyncDispose]() {
      inFlight.stop()
      connections?.connector.stop()
      await connections?.pool.destroy()
    },
  }
}

function reportOf({ method, body, points }: HttpCall, path: string, exchange: Exchange, ms: number): ExchangeReport {
  const isAnswer = exchange.kind === 'answer'
  const why = isAnswer ? undefined : exchange.why
  return {
    method,
    path: path.replace(/[?#][^]*$/, ''),
    status: isAnswer ? exchange.status : undefined,
    failure: !isAnswer && why === 'error' ? codeOf(exchange.error) : why,
    ms: Math.round(ms),
    points,
    bytes: body?.length ?? 0,
  }
}

function createConnections(origin: string, options: HttpOptions) {
  // a connection that opens after its attempt's deadline is useless
  const connectTimeoutMs = Math.min(options.connectTimeoutMs ?? 10_000, options.requestTimeoutMs)
  const connector = createConnector({ ...options, connectTimeoutMs })
  const pool = new Pool(origin, {
    connect: connector.connect,
    allowH2: false,
    connections: options.connections ?? 128,
    pipelining: 1,
    // Below the idle limits in use (2 s, 5 s, 60 s): a connection closed as it is used again leaves an upsert ambiguous,
    // which costs more than a new connection. One that names its limit is kept for that long, less the threshold, which
    // by default would close one of 2 s after every answer.
    keepAliveTimeout: 1_500,
    keepAliveTimeoutThreshold: 500,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: MAX_HEAD_BYTES,
    // The attempt has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { pool, connector }
}

/** The most that an answer unpacks to, unless more of it is kept. */
const MAX_UNPACKED_BYTES = 1_048_576

const DECODERS = new Map<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
])

/** Unpacks the body of an answer. Gives the same object when it was not compressed or cannot be unpacked, because it is broken, longer
 *  than what was kept, or has several encodings. One that may have been cut off, as it ends with its connection, is lost. */
function decodeBody<A extends HttpAnswer>(answer: A, keptBytes: number): A {
  const encoding = header(answer, 'content-encoding')
  if (encoding === undefined) return answer
  const decode = DECODERS.get(encoding.trim().toLowerCase())
  if (decode === undefined || answer.end !== 'whole' || answer.length > answer.body.length) return answer
  try {
    const bytes = decode(answer.body, { maxOutputLength: Math.max(MAX_UNPACKED_BYTES, keptBytes) })
    const json = bytes.length > keptBytes ? piecesOf(bytes) : undefined
    return { ...answer, body: bytes.subarray(0, keptBytes), length: bytes.length, json }
  } catch {
    return answer.length > 0 && endsWithConnection(answer) ? { ...answer, end: 'lost' } : answer
  }
}
