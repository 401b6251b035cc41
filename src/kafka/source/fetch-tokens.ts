// Fetches, over HTTP, the tokens that a run's logins take: those of all connections to brokers, and the registry's. Logins of one token server
// and client share one `HeldToken`, which asks for a token and renews it.

import type { OauthConfig, SecretSource, StreamConfig } from '../../config/stream/stream-config.ts'
import { isThisMachine } from '../../config/address.ts'
import type { ReadSecret } from '../../core/secret.ts'
import type { Clock } from '../../core/types.ts'
import { HeldToken } from '../../identity/held-token.ts'
import { tokenSource, type AskTokenServer, type Miss, type TokenAnswer } from '../../identity/token-source.ts'
import type { Io, Log } from '../../process/io.ts'
import type { ListedOutage } from '../../run/run-facts.ts'
import { header, retryAfterMs, targetOf, type HttpAnswer, type Target } from '../../service/http/answer.ts'
import { describeBody, leadsTo, serviceWords } from '../../service/http/answer-words.ts'
import { diagnoseOther, type Failure } from '../../service/http/failure.ts'
import { createHttp, headersFor, type HttpOptions } from '../../service/http/http.ts'
import { serviceRoute } from '../../service/http/proxy.ts'
import { hostAndPort, OutageWatch } from '../../telemetry/outage-watch.ts'
import { span } from '../../text/figures.ts'

export interface LoginParts {
  readonly io: Pick<Io, 'env' | 'scrubber'>
  readonly onExchange?: HttpOptions['onExchange']
  readonly clock: Clock
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly wallClock?: () => number
  readonly log: Log
  /** Outages of token servers are appended to it. */
  readonly outages?: ListedOutage[] | undefined
}

/** A config whose logins can read their secrets. Tokens are fetched and renewed until it is disposed of. */
export interface OpenLogins extends Disposable {
  readonly config: StreamConfig<ReadSecret>
  /** A token for each token server and client, Kafka's first, and a watch of each one's server; none when no login takes a token. */
  readonly tokens: readonly HeldToken[]
  readonly outages: readonly OutageWatch[]
}

/** Opens the logins of a config, and begins at once to fetch the tokens they need.
 *  @throws ConnectorError config when the environment names a proxy that cannot be used */
export function fetchTokens(config: StreamConfig, parts: LoginParts): OpenLogins {
  const { kafka, registry } = config
  const { clock, log, outages: list, io } = parts
  const deadlineMs = kafka.brokerDeadlineMs
  const patience = `It is retried for up to ${span(deadlineMs)} (kafka.broker_deadline_seconds), counted from when the last token ends.`
  const ending = new AbortController()
  const outages: OutageWatch[] = []
  const tokens = new Map<OauthConfig, HeldToken>()
  const openToken = (oauth: OauthConfig): HeldToken => {
    const { url } = oauth.address
    // each request looks for its proxy anew: this call only throws, before the run, if the environment names one that cannot be used
    void serviceRoute(url, io)
    const place = hostAndPort(url)
    const outage = new OutageWatch({ who: 'The token server', place, patience, clock, log, outages: list })
    const learn = (secret: string): void => io.scrubber.learn([secret], oauth.group)
    const tokensOf = tokenSource(oauth, askTokenServer(oauth, parts), learn)
    const held = new HeldToken({ source: tokensOf, place, clock, outage, deadlineMs })
    outages.push(outage)
    tokens.set(oauth, held)
    return held
  }
  const readerOf = (source: SecretSource): ReadSecret => {
    if (typeof source === 'function') return source
    const held = tokens.get(source) ?? openToken(source)
    return (refused) => held.take(refused)
  }
  const sasl = kafka.sasl && { ...kafka.sasl, secret: readerOf(kafka.sasl.secret) }
  const login = registry?.login && { ...registry.login, secret: readerOf(registry.login.secret) }
  for (const held of tokens.values()) void held.run(ending.signal)
  return {
    config: { ...config, kafka: { ...kafka, sasl }, registry: registry && { ...registry, login } },
    tokens: [...tokens.values()],
    outages,
    [Symbol.dispose]: () => ending.abort(),
  }
}

/** Time limit of one request, up to the end of its answer. */
const ASK_MS = 10_000
const HEADERS = headersFor('application/json')
/** Members of an answer that say why it holds no token (RFC 6749, 5.2). */
const OAUTH_WORDS = ['error', 'error_description']
const FORM_HEADERS = ['content-type', 'application/x-www-form-urlencoded']

/** Makes the function that asks a token server. It connects anew for each request: tokens are minutes apart, and the configuration that an
 *  issuer publishes may name another server. */
function askTokenServer(oauth: OauthConfig, { io, onExchange, wallClock = Date.now }: LoginParts): AskTokenServer {
  const { caCertificate, clientCertificate, clientKey, group, address } = oauth
  const { scrub } = io.scrubber
  const addressOption = `${group}.${address.option}`
  return async ({ url, headers, form }, signal) => {
    const { protocol, hostname, origin, pathname, search } = new URL(url)
    // an IPv6 address is in brackets there: [::1]
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    if (protocol !== 'https:' && !(protocol === 'http:' && isThisMachine(host)))
      return {
        cause: { words: `the token address ${scrub(origin)} would be sent a secret unencrypted` },
        remedy: `Let the issuer name an https: address, or set ${group}.token_url.`,
        code: 'identity.not-a-token-server',
      }
    const base = { baseUrl: origin, caCertificate, clientCertificate, clientKey, proxy: serviceRoute(origin, io) }
    const target = targetOf({ ...base, clientId: '', addressOption, slowRemedy: 'or wait until it answers', scrub })
    await using http = createHttp({ ...base, requestTimeoutMs: ASK_MS, connections: 1, onExchange })
    const call = { path: `${pathname}${search}`, headers: [...HEADERS, ...(form ? FORM_HEADERS : []), ...headers] }
    const body = form && { body: Buffer.from(String(form)) }
    const exchange = await http.exchange({ method: form ? 'POST' : 'GET', ...call, ...body }, signal)
    return exchange.kind === 'failure' ? missOf(exchange, target, group) : answerOf(exchange, target, wallClock())
  }
}

/** Says why there was no answer: with a code if another attempt would fail too, without one if it may succeed. */
function missOf(failure: Failure, target: Target, group: string): Miss {
  const { found, remedy, nature, code, why } = diagnoseOther(failure, target, 'identity', group)
  const mayPass = nature === 'timeout' || nature === 'network'
  return mayPass ? { cause: why, remedy } : { cause: { words: found }, remedy, code }
}

function answerOf(exchange: HttpAnswer, target: Target, epochMs: number): TokenAnswer | Miss {
  const { status, body, end } = exchange
  if (end !== 'whole') return { cause: { words: `connection closed (${end})` } }
  const redirectTo = leadsTo(exchange, target)
  const isJson = header(exchange, 'content-type')?.includes('json') === true
  const words =
    isJson && status >= 400
      ? serviceWords(exchange, target.scrub, OAUTH_WORDS)
      : describeBody(exchange, target.scrub).words
  const date = Date.parse(header(exchange, 'date') ?? '')
  return {
    status,
    body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'),
    words: redirectTo === undefined ? words : `a redirect to ${redirectTo}`,
    date: Number.isNaN(date) ? undefined : date,
    afterMs: retryAfterMs(header(exchange, 'retry-after'), epochMs),
  }
}
