// How a token server is asked, over HTTP, and which logins take its tokens: one fetch for all connections, and the registry too.

import type { KafkaConfig, OauthConfig, RegistryConfig, StreamConfig } from '../../config/stream/stream-config.ts'
import { codeOf } from '../../core/errors.ts'
import { isThisMachine } from '../../core/network.ts'
import type { Secret } from '../../core/secret.ts'
import type { Clock } from '../../core/types.ts'
import { HeldToken } from '../../identity/held-token.ts'
import { tokenSource } from '../../identity/token-source.ts'
import type { AskTokenServer, TokenOutcome } from '../../identity/token-source.ts'
import type { Log } from '../../process/io.ts'
import { describeBody, header, leadsTo, retryAfterMs, serviceWords, targetOf } from '../../service/http/answer.ts'
import type { Target } from '../../service/http/answer.ts'
import type { Exchange } from '../../service/http/attempt.ts'
import { diagnose, OF_IDENTITY } from '../../service/http/failure.ts'
import { createHttp, headersFor } from '../../service/http/http.ts'
import type { Http, HttpOptions } from '../../service/http/http.ts'
import type { Proxy } from '../../service/http/proxy.ts'
import type { OutageList } from '../../run/outage-list.ts'
import { OutageWatch } from '../../telemetry/outage-watch.ts'
import { hostAndPort } from '../../telemetry/outages.ts'
import { span } from '../../text/figures.ts'

/** Options of the process for its requests. */
export interface IdentityOptions {
  /** @throws ConnectorError config when the environment names a proxy that cannot be used */
  readonly proxyTo: (url: string) => Proxy | undefined
  /** @param of see Scrubber.learn */
  readonly learn: (secrets: readonly string[], of: string) => void
  readonly onExchange?: HttpOptions['onExchange']
}

interface IdentityParts extends IdentityOptions {
  readonly scrub: (text: string) => string
  readonly clock: Clock
  readonly log: Log
  readonly outages?: OutageList | undefined
}

/** Fetches and renews until it is disposed of. */
export interface Identity extends AsyncDisposable {
  /** With logins that take a token from here. */
  readonly config: StreamConfig
  /** One for Kafka, one for the registry, where each has its own. */
  readonly tokens: readonly HeldToken[]
  readonly outages: readonly OutageWatch[]
}

export function openIdentity(config: StreamConfig, parts: IdentityParts): Identity {
  const { kafka, registry } = config
  const stack = new AsyncDisposableStack()
  const over = new AbortController()
  const outages: OutageWatch[] = []
  const tokens: HeldToken[] = []
  const open = (oauth: OauthConfig, option: string): HeldToken => {
    const place = hostAndPort((oauth.tokenUrl ?? oauth.issuer)!)
    const { log, clock, outages: list } = parts
    const patience = `It is retried for up to ${span(kafka.brokerDeadlineMs)} (kafka.broker_deadline_seconds).`
    const outage = new OutageWatch({ who: 'The token server', place, patience, clock, log, outages: list })
    const ask = stack.use(askTokenServer(oauth, option, parts))
    const learn = (secret: string): void => parts.learn([secret], option)
    const source = tokenSource(credentialsOf(oauth, option), ask.ask, learn)
    const held = new HeldToken({ source, place, clock, outage, deadlineMs: kafka.brokerDeadlineMs })
    outages.push(outage)
    tokens.push(held)
    return held
  }
  const { sasl } = kafka
  const ofKafka = sasl?.mechanism === 'oauthbearer' && sasl.oauth && open(sasl.oauth, 'kafka.sasl.oauth')
  const again = (held: HeldToken) => (refused?: Secret) => held.take(refused)
  const login: KafkaConfig['sasl'] =
    ofKafka && sasl?.mechanism === 'oauthbearer' ? { ...sasl, again: again(ofKafka) } : sasl
  const given = registry?.login
  const oauth = given && 'oauth' in given ? given.oauth : undefined
  const ofRegistry = oauth === 'kafka' ? ofKafka : oauth && open(oauth, 'schema_registry.oauth')
  const registryLogin: RegistryConfig['login'] = given && ofRegistry ? { ...given, again: again(ofRegistry) } : given
  for (const held of tokens) void held.run(over.signal)
  stack.defer(() => over.abort())
  return {
    config: {
      ...config,
      kafka: { ...kafka, sasl: login },
      registry: registry && { ...registry, login: registryLogin },
    },
    tokens,
    outages,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function credentialsOf(oauth: OauthConfig, option: string) {
  const { tokenUrl, issuer, clientId, clientAuth, scope, audience, again, clientSecret } = oauth
  const proof = clientSecret === undefined ? { assertion: again } : { secret: again }
  return { tokenUrl, issuer, clientId, clientAuth, scope, audience, proof, option }
}

/** For the whole of an attempt. A login waits for less, and a token is renewed long before it expires. */
const ASK_MS = 10_000
const HEADERS = headersFor('application/json')
/** RFC 6749, 5.2. */
const OAUTH_WORDS = ['error', 'error_description']
const FORM = ['content-type', 'application/x-www-form-urlencoded']

function askTokenServer(
  oauth: OauthConfig,
  option: string,
  { proxyTo, scrub, onExchange }: IdentityParts,
): AsyncDisposable & { readonly ask: AskTokenServer } {
  /** Servers by origin: the issuer's configuration may name another one. */
  const servers = new Map<string, { readonly http: Http; readonly target: Target }>()
  const { caCertificate, clientCertificate, clientKey } = oauth
  const serverAt = (origin: string) => {
    const proxy = proxyTo(origin)
    const base = { baseUrl: origin, caCertificate, clientCertificate, clientKey, proxy }
    const addressOption = `${option}.${oauth.tokenUrl === undefined ? 'issuer' : 'token_url'}`
    const target = targetOf({ ...base, clientId: '', addressOption, slowRemedy: 'or wait until it answers', scrub })
    return { http: createHttp({ ...base, requestTimeoutMs: ASK_MS, connections: 2, onExchange }), target }
  }
  return {
    async ask({ url, headers, form }, signal) {
      const { protocol, hostname, origin, pathname, search } = new URL(url)
      if (protocol !== 'https:' && !(protocol === 'http:' && isThisMachine(hostname.replace(/^\[(.*)\]$/, '$1')))) {
        const refused = `the token address ${scrub(origin)} would be sent a secret unencrypted`
        return {
          refused,
          remedy: `Let the issuer name an https: address, or set ${option}.token_url`,
          code: 'identity.not-a-token-server',
        }
      }
      const server = servers.get(origin) ?? serverAt(origin)
      servers.set(origin, server)
      const body = form && Buffer.from(String(form))
      const call = { path: `${pathname}${search}`, headers: [...HEADERS, ...(form ? FORM : []), ...headers] }
      const exchange = await server.http.exchange(
        { method: form ? 'POST' : 'GET', ...call, ...(body && { body }) },
        signal,
      )
      return answerOf(exchange, server.target, option)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(servers.values(), ({ http }) => http[Symbol.asyncDispose]()))
    },
  }
}

function answerOf(exchange: Exchange, target: Target, option: string): TokenOutcome {
  if (exchange.kind === 'failure') {
    const { found, remedy: general, nature, code, why } = diagnose(exchange, target)
    const remedy = general
      .replaceAll('the service', 'the token server')
      .replaceAll(/\b(?:ca_certificate|client_certificate|client_key)\b/g, `${option}.$&`)
    if (nature === 'timeout' || nature === 'network') return { failed: why, remedy }
    return { refused: found, remedy: remedy.replace(/\.$/, ''), code: OF_IDENTITY[code] }
  }
  const { status, body, end } = exchange
  if (end !== 'whole') return { failed: { words: `connection closed (${codeOf({ code: end })})` } }
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
