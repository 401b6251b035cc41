// Asks a schema registry over HTTP with the configured login (`registryRoute`); opens the store of schemas that asks it (`openSchemas`).

import { isUtf8 } from 'node:buffer'
import type { RegistryConfig, RegistryLogin } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { OutageEvents } from '../../core/network.ts'
import { BEARER, NoSecretError, type ReadSecret, type Secret } from '../../core/secret.ts'
import type { Log } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { avroDecoder } from '../../registry/avro/avro-decoder.ts'
import { makeJsonSchemaDecoder } from '../../registry/json-schema-decoder.ts'
import { protobufDecoder } from '../../registry/protobuf/protobuf-decoder.ts'
import type { AskRegistry, RegistryResult } from '../../registry/retrying-client.ts'
import { CachingStore, type SchemaStore } from '../../registry/schema-store.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import { header, retryAfterMs, isCutOff, targetOf, type Target } from '../../service/http/answer.ts'
import { serviceWords, leadsTo } from '../../service/http/answer-words.ts'
import type { Exchange } from '../../service/http/attempt.ts'
import { diagnoseOther } from '../../service/http/failure.ts'
import { createHttp, headersFor, type HttpOptions } from '../../service/http/http.ts'
import type { Proxy } from '../../service/http/proxy.ts'

/** Most bytes of an answer that are kept: a schema that is longer is not used. */
const KEPT_BYTES = 4 * 1_048_576
/** Most connections, and so most requests at the same time. */
const CONNECTIONS = 8
const ACCEPTED_TYPES =
  'application/vnd.schemaregistry.v1+json, application/vnd.schemaregistry+json;q=0.9, application/json;q=0.8'
const HEADERS = headersFor(ACCEPTED_TYPES)

export interface RegistryRouteOptions extends RegistryConfig<ReadSecret> {
  readonly proxy: Proxy | undefined
  /** Takes every form of every secret out of a text. */
  readonly scrub: (text: string) => string
  readonly requestTimeoutMs: number
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly wallClock?: () => number
  /** Gets a report of every request. */
  readonly onExchange?: HttpOptions['onExchange']
}

/** Disposing of it breaks off requests and closes every connection. */
export interface RegistryRoute extends AsyncDisposable {
  readonly ask: AskRegistry
  /** The registry's address, scrubbed, for messages. */
  readonly address: string
}

/** Connects only when it is asked. A request that is refused with 401 is sent once more if the secret of the login has changed meanwhile. */
export function registryRoute(options: RegistryRouteOptions): RegistryRoute {
  const { url, login, wallClock = Date.now } = options
  const authorization = new RegistryAuthorization(login)
  const scrub = (text: string): string => options.scrub(authorization.scrub(text))
  const http = createHttp({ ...options, baseUrl: url, connections: CONNECTIONS, keptBytes: KEPT_BYTES })
  // no message about a registry names a client of the service
  const target = targetOf({ ...options, scrub, baseUrl: url, clientId: '', addressOption: 'schema_registry.url' })
  const exchange = (path: string, loginHeaders: LoginHeaders | undefined, signal: AbortSignal): Promise<Exchange> =>
    http.exchange({ method: 'GET', path, headers: [...HEADERS, ...(loginHeaders?.headers ?? [])] }, signal)
  return {
    address: scrub(url),
    async ask(path, signal) {
      try {
        const sentHeaders = await authorization.headers()
        const first = await exchange(path, sentHeaders, signal)
        const isRefused = first.kind === 'answer' && first.status === 401
        const renewed = sentHeaders && isRefused ? await authorization.renewed(sentHeaders) : undefined
        return resultOf(renewed ? await exchange(path, renewed, signal) : first, target, wallClock())
      } catch (error) {
        if (!(error instanceof NoSecretError)) throw error
        return { failed: scrub(error.message), why: { words: 'no secret to log in with' } }
      }
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

/** @param now milliseconds since 1970
 *  @throws ConnectorError when no further attempt can succeed */
function resultOf(exchange: Exchange, target: Target, now: number): RegistryResult {
  if (exchange.kind === 'failure') {
    const { found, remedy, nature, code, why } = diagnoseOther(exchange, target, 'registry', 'schema_registry')
    // unusable: no further attempt can succeed · ours: a defect of this program
    if (nature === 'unusable') throw new ConnectorError('config', code, `The schema registry: ${found}. ${remedy}`)
    if (nature === 'ours')
      throw new ConnectorError('system', 'program.fault', `The schema registry: ${found}. ${remedy}`)
    return { failed: found, remedy, why }
  }
  const { status, body, end, length } = exchange
  // `endless`: more than KEPT_BYTES. An answer without a length may seem whole although it was broken off: then its JSON, { or [, does not end
  const isBrokenOff = (end !== 'whole' && end !== 'endless') || isCutOff(exchange, '{[')
  if (isBrokenOff)
    return { failed: `${target.origin} broke off its answer (${status})`, why: { words: 'connection closed' } }
  const isCut = end === 'endless' || length > body.length
  return {
    status,
    // `undefined` when it is not UTF-8; one that is cut may end within a character
    body: isCut || isUtf8(body) ? Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8') : undefined,
    isCut,
    words: status >= 400 ? serviceWords(exchange, target.scrub) : '',
    retryAfterMs: retryAfterMs(header(exchange, 'retry-after'), now),
    leadsTo: leadsTo(exchange, target),
  }
}

interface LoginHeaders {
  readonly secret: Secret
  /** Names and values in turn; the last value holds the secret. */
  readonly headers: readonly string[]
}

/** The header that holds the secret. */
const SECRET_HEADER = 'authorization'

/** Makes the headers by which a request logs in, anew for each request: files of secrets are renewed, and tokens expire. */
class RegistryAuthorization {
  readonly #login: RegistryLogin<ReadSecret> | undefined
  /** Knows what was sent: user name and password as one text in base64, in which a scrubber finds no password. */
  readonly #sentScrubber = new Scrubber()

  constructor(login: RegistryLogin<ReadSecret> | undefined) {
    this.#login = login
  }

  /** Masks in a text what was sent in the header. */
  readonly scrub = (text: string): string => this.#sentScrubber.scrub(text)

  /** Reads the secret and makes the headers.
   *  @param refused the headers that the registry did not accept, so that a token in them is not used again
   *  @returns `undefined` when there is no login
   *  @throws NoSecretError when there is nothing to send just now */
  async headers(refused?: LoginHeaders): Promise<LoginHeaders | undefined> {
    const login = this.#login
    if (login === undefined) return undefined
    const secret = await login.secret(refused?.secret)
    const credential = credentialOf(login, secret.reveal())
    this.#sentScrubber.learn([credential], SECRET_HEADER)
    if (login.kind === 'basic') return { secret, headers: [SECRET_HEADER, `Basic ${credential}`] }
    const { logicalCluster, identityPoolId } = login
    const headers = [
      ...(logicalCluster === undefined ? [] : ['target-sr-cluster', logicalCluster]),
      ...(identityPoolId === undefined ? [] : ['confluent-identity-pool-id', identityPoolId]),
      SECRET_HEADER,
      `Bearer ${credential}`,
    ]
    return { secret, headers }
  }

  /** Makes headers for a second attempt. `undefined` when they would be the refused ones again, or there is no secret now. */
  async renewed(refused: LoginHeaders): Promise<LoginHeaders | undefined> {
    try {
      const renewed = await this.headers(refused)
      return renewed?.headers.at(-1) === refused.headers.at(-1) ? undefined : renewed
    } catch (error) {
      // the user is told of the registry's refusal, which came first
      if (error instanceof NoSecretError) return undefined
      throw error
    }
  }
}

/** Makes what stands behind `Basic` or `Bearer`. */
function credentialOf(login: RegistryLogin<ReadSecret>, secret: string): string {
  if (login.kind === 'basic') return Buffer.from(`${login.username}:${secret}`).toString('base64')
  const token = secret.trim()
  // the file that it was read from may be half written
  if (!BEARER.test(token)) throw new NoSecretError('the token of schema_registry holds what no HTTP header can carry')
  return token
}

export interface OpenSchemas extends RegistryRoute {
  readonly store: SchemaStore
}

export interface OpenSchemasOptions extends RegistryRouteOptions {
  /** Most bytes of JSON that a value becomes: max(mostBytes, 2 × the bytes of the value), never over 256 MiB. */
  readonly mostBytes: number
}

/** Opens the store of schemas. It connects only when a schema is loaded. Disposing of it ends the store, then the connections.
 *  @param outage learns how each request ends */
export function openSchemas(options: OpenSchemasOptions, log: Log, outage?: OutageEvents): OpenSchemas {
  const route = registryRoute(options)
  const store = new CachingStore({
    ask: route.ask,
    address: route.address,
    mostBytes: options.mostBytes,
    clock: systemClock,
    outage,
    make: { AVRO: avroDecoder, JSON: makeJsonSchemaDecoder, PROTOBUF: protobufDecoder },
    // `ask` has masked what was sent, so it is enough to take out the secrets themselves
    log: (level, message) => void log(level, options.scrub(message)),
  })
  return {
    ...route,
    store,
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]()
      await route[Symbol.asyncDispose]()
    },
  }
}
