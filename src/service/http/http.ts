// Exchanges with one address over a pool of connections. `exchange` makes an Attempt: the pool (of undici) reports to it what happens, and
// InFlight breaks it off when it takes too long. At its end a compressed body is unpacked. Only here the API key is put into a path.

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { Pool } from 'undici'
import { codeOf } from '../../core/errors.ts'
import type { Secret } from '../../core/secret.ts'
import { KEY_PARAMETER } from '../contract.ts'
import { header, KEPT_BYTES, piecesOf, endsWithConnection, type HttpAnswer, type Target } from './answer.ts'
import { Attempt, type Exchange } from './attempt.ts'
import { InFlight } from './attempts-in-flight.ts'
import { createConnector, type ConnectorOptions } from './connector.ts'

/** A finished exchange, for logs. Without messages of libraries, which may quote an address, the query, which has the key, and bodies. */
export interface ExchangeReport {
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** `undefined` when no answer came. */
  readonly status: number | undefined
  /** The code of why no answer came. `undefined` when one came. */
  readonly failure: string | undefined
  /** How long it took, from the call to the end of the answer. */
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
  /** The limit for one attempt: waiting for a connection, sending, and the whole answer. */
  readonly requestTimeoutMs: number
  /** The limit for opening a connection, cut to `requestTimeoutMs`; 10 s if absent. */
  readonly connectTimeoutMs?: number | undefined
  /** Most attempts at once; more wait, and their deadline runs. 128 if absent. */
  readonly connections?: number | undefined
  /** Bytes of an answer's body that are kept; KEPT_BYTES if absent. */
  readonly keptBytes?: number | undefined
  /** Called when an exchange is over. Must not throw. */
  readonly onExchange?: ((report: ExchangeReport) => void) | undefined
}

/** Options for a client of the import interface; those of Target are for its messages. */
export interface ServiceOptions extends HttpOptions, Omit<Target, 'origin' | 'proxy'> {
  readonly apiKey: Secret
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly wallClock?: (() => number) | undefined
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Below the base address. */
  readonly path: string
  /** The API key, which is sent in a query: then `path` must have none. Absent when no key is sent. */
  readonly key?: Secret | undefined
  /** Names and values in turn, in place of HEADERS or BODY_HEADERS. */
  readonly headers?: readonly string[]
  readonly body?: Uint8Array
  /** Data points in the body, for the report. */
  readonly points?: number
}

export interface Http extends AsyncDisposable {
  /** One attempt; redirects are not followed. Never throws. */
  exchange(call: HttpCall, signal: AbortSignal): Promise<Exchange>
  /** Whether no body is being written any more: only then may its buffer be changed. */
  isQuiet(): boolean
}

const now = (): number => performance.now()

/** The headers of a request: names and values in turn.
 *  @param accept the media types that the answer may have */
export function headersFor(accept: string): readonly string[] {
  // without accept-encoding, any encoding would be allowed
  return ['accept', accept, 'accept-encoding', 'identity', 'user-agent', 'destination-analytics-service']
}

const HEADERS = headersFor('application/json')
const BODY_HEADERS = [...HEADERS, 'content-type', 'application/json']

/** The longest head of an answer. Node's own limit is 16 KiB. */
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

  /** Adds what undici does not know of an exchange: the unpacked body, or that the connection was stale (see Failure). */
  function completed(exchange: Exchange, { heard }: Attempt): Exchange {
    if (exchange.kind === 'answer') return decodeBody(exchange, keptBytes)
    const stale = !heard && connections?.connector.wasUsed(exchange.error) === true
    return stale ? { ...exchange, stale } : exchange
  }

  return {
    async exchange(call, signal) {
      if (signal.aborted) return { kind: 'failure', why: 'aborted', begun: false }
      return await new Promise((resolve) => {
        const began = onExchange === undefined ? 0 : now() // for reports only
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
    // Shorter than servers in use keep an idle connection (2 s, 5 s, 60 s): one that they close just as it is used again leaves an upsert
    // ambiguous, which costs more than a new connection. If a server names its time, a connection is kept for that less the threshold.
    // With undici's own threshold of 2 s, one that may be idle for 2 s would be closed after every answer.
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

/** Unpacks the body of an answer. Returns the same object when the body is not compressed, or cannot be unpacked: it is longer than what was
 *  kept, has several encodings, or is broken. A broken one was cut off if only the end of the connection ends it: its `end` is lost. */
function decodeBody<A extends HttpAnswer>(answer: A, keptBytes: number): A {
  const encoding = header(answer, 'content-encoding')
  if (encoding === undefined) return answer
  const decode = DECODERS.get(encoding.trim().toLowerCase())
  if (decode === undefined || answer.end !== 'whole' || answer.length > answer.body.length) return answer
  try {
    const bytes = decode(answer.body, { maxOutputLength: Math.max(MAX_UNPACKED_BYTES, keptBytes) })
    const json = bytes.length > keptBytes ? piecesOf(bytes) : undefined // judges more than what is kept
    return { ...answer, body: bytes.subarray(0, keptBytes), length: bytes.length, json }
  } catch {
    return answer.length > 0 && endsWithConnection(answer) ? { ...answer, end: 'lost' } : answer
  }
}
