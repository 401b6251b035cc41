// How a token server is asked, over HTTP, and which logins take its tokens: one fetch for all connections, and the registry too.

import type { OauthConfig, ReadAgain, StreamConfig } from '../../config/stream/stream-config.ts'
import { codeOf } from '../../core/errors.ts'
import { isThisMachine } from '../../core/network.ts'
import type { Clock } from '../../core/types.ts'
import { HeldToken } from '../../identity/held-token.ts'
import { tokenSource } from '../../identity/token-source.ts'
import type { AskTokenServer, Miss, TokenAnswer } from '../../identity/token-source.ts'
import type { Io, Log } from '../../process/io.ts'
import { describeBody, header, leadsTo, retryAfterMs, serviceWords, targetOf } from '../../service/http/answer.ts'
import type { Target } from '../../service/http/answer.ts'
import type { Exchange } from '../../service/http/attempt.ts'
import { diagnoseOther } from '../../service/http/failure.ts'
import { createHttp, headersFor } from '../../service/http/http.ts'
import type { HttpOptions } from '../../service/http/http.ts'
import { serviceRoute } from '../../service/http/proxy.ts'
import type { OutageList } from '../../run/outage-list.ts'
import { OutageWatch } from '../../telemetry/outage-watch.ts'
import { hostAndPort } from '../../telemetry/outages.ts'
import { span } from '../../text/figures.ts'

/** Options of the process for its requests. */
export interface IdentityOptions {
  readonly io: Pick<Io, 'env' | 'scrubber'>
  readonly onExchange?: HttpOptions['onExchange']
}

interface IdentityParts extends IdentityOptions {
  readonly clock: Clock
  readonly log: Log
  readonly outages?: OutageList | undefined
}

/** Fetches and renews until it is disposed of. */
export interface Identity extends Disposable {
  /** The config, with logins that take a token from here. */
  readonly config: StreamConfig
  /** One for Kafka, one for the registry where it has its own. */
  readonly tokens: readonly HeldToken[]
  readonly outages: readonly OutageWatch[]
}

/** @throws ConnectorError config when the environment names a proxy that cannot be used */
export function openIdentity(config: StreamConfig, parts: IdentityParts): Identity {
  const { kafka, registry } = config
  const { clock, log, outages: list } = parts
  const over = new AbortController()
  const outages: OutageWatch[] = []
  const tokens: HeldToken[] = []
  const open = (oauth: OauthConfig, option: string): ReadAgain => {
    const url = (oauth.tokenUrl ?? oauth.issuer)!
    // of a proxy that cannot be used is told at once
    serviceRoute(url, parts.io)
    const place = hostAndPort(url)
    const patience = `It is retried for up to ${span(kafka.brokerDeadlineMs)} (kafka.broker_deadline_seconds), counted from when the last token ends.`
    const outage = new OutageWatch({ who: 'The token server', place, patience, clock, log, outages: list })
    const learn = (secret: string): void => parts.io.scrubber.learn([secret], option)
    const source = tokenSource({ ...oauth, option }, askTokenServer(oauth, option, parts), learn)
    const held = new HeldToken({ source, place, clock, outage, deadlineMs: kafka.brokerDeadlineMs })
    outages.push(outage)
    tokens.push(held)
    return (refused) => held.take(refused)
  }
  let { sasl } = kafka
  if (sasl?.mechanism === 'oauthbearer' && sasl.oauth) sasl = { ...sasl, again: open(sasl.oauth, 'kafka.sasl.oauth') }
  let login = registry?.login
  if (login && 'oauth' in login && login.oauth) {
    const again = login.oauth === 'kafka' ? sasl!.again! : open(login.oauth, 'schema_registry.oauth')
    login = { ...login, again }
  }
  for (const held of tokens) void held.run(over.signal)
  return {
    config: { ...config, kafka: { ...kafka, sasl }, registry: registry && { ...registry, login } },
    tokens,
    outages,
    [Symbol.dispose]: () => over.abort(),
  }
}

/** Time limit of a whole attempt. A login waits for less, and a token is renewed long before it expires. */
const ASK_MS = 10_000
const HEADERS = headersFor('application/json')
/** Members that say why: RFC 6749, 5.2. */
const OAUTH_WORDS = ['error', 'error_description']
const FORM = ['content-type', 'application/x-www-form-urlencoded']

/** Connects anew each time: tokens are minutes apart, and the issuer's configuration may name another server. */
function askTokenServer(oauth: OauthConfig, option: string, { io, onExchange }: IdentityParts): AskTokenServer {
  const { caCertificate, clientCertificate, clientKey } = oauth
  const { scrub } = io.scrubber
  const addressOption = `${option}.${oauth.tokenUrl === undefined ? 'issuer' : 'token_url'}`
  return async ({ url, headers, form }, signal) => {
    const { protocol, hostname, origin, pathname, search } = new URL(url)
    if (protocol !== 'https:' && !(protocol === 'http:' && isThisMachine(hostname.replace(/^\[(.*)\]$/, '$1'))))
      return {
        cause: { words: `the token address ${scrub(origin)} would be sent a secret unencrypted` },
        remedy: `Let the issuer name an https: address, or set ${option}.token_url.`,
        code: 'identity.not-a-token-server',
      }
    const base = { baseUrl: origin, caCertificate, clientCertificate, clientKey, proxy: serviceRoute(origin, io) }
    const target = targetOf({ ...base, clientId: '', addressOption, slowRemedy: 'or wait until it answers', scrub })
    await using http = createHttp({ ...base, requestTimeoutMs: ASK_MS, connections: 1, onExchange })
    const call = { path: `${pathname}${search}`, headers: [...HEADERS, ...(form ? FORM : []), ...headers] }
    const body = form && { body: Buffer.from(String(form)) }
    return answerOf(await http.exchange({ method: form ? 'POST' : 'GET', ...call, ...body }, signal), target, option)
  }
}

function answerOf(exchange: Exchange, target: Target, option: string): TokenAnswer | Miss {
  if (exchange.kind === 'failure') {
    const { found, remedy, nature, code, why } = diagnoseOther(exchange, target, 'identity', option)
    const mayPass = nature === 'timeout' || nature === 'network'
    return mayPass ? { cause: why, remedy } : { cause: { words: found }, remedy, code }
  }
  const { status, body, end } = exchange
  if (end !== 'whole') return { cause: { words: `connection closed (${codeOf({ code: end })})` } }
  const to = leadsTo(exchange, target)
  const isJson = header(exchange, 'content-type')?.includes('json') === true
  const words =
    isJson && status >= 400 ? serviceWords(exchange, target.scrub, OAUTH_WORDS) : describeBody(exchange, target.scrub)
  const date = Date.parse(header(exchange, 'date') ?? '')
  return {
    status,
    body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'),
    words: to === undefined ? words : `a redirect to ${to}`,
    date: Number.isNaN(date) ? undefined : date,
    afterMs: retryAfterMs(header(exchange, 'retry-after'), Date.now()),
  }
}
