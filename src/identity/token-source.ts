// A token for one client, by OpenID Connect or OAuth 2 (client credentials, RFC 6749, 4.4; with an assertion, RFC 7523): what is asked of
// a token server, and what its answer means. Knows neither HTTP nor what the token is for.

import type { OauthConfig } from '../config/stream/stream-config.ts'
import type { Code } from '../core/codes.ts'
import { statusCause, type NetworkCause } from '../core/network.ts'
import { BEARER, NoSecretError, Secret } from '../core/secret.ts'
import { parseObject } from '../json/is-object.ts'
import { claimsOf, textOrTexts } from './token-claims.ts'

/** Asks for a token once.
 *  @param signal breaks off the wait for the answer */
export type TokenSource = (signal: AbortSignal) => Promise<Token | Miss>

export interface Token {
  readonly token: Secret
  /** Milliseconds that it is valid, counted from when it was asked for. */
  readonly lifeMs: number
  /** The server's clock as it answered, milliseconds since 1970. `undefined` when the server does not say. */
  readonly serverDate: number | undefined
  /** Scopes that were asked for and not given, as far as the answer and the token say. */
  readonly lacks: readonly string[]
}

/** An attempt that brought no token. Only a miss has a `cause`, which tells it from a token or an answer. */
export interface Miss {
  /** The reason, without secrets and without a full stop. */
  readonly cause: NetworkCause
  /** The remedy, in whole sentences. */
  readonly remedy?: string | undefined
  /** Given when every further attempt fails too until the server or the config is changed. */
  readonly code?: Code | undefined
  /** Milliseconds of a pause that the server asked for. `undefined` when it asked for none. */
  readonly afterMs?: number | undefined
}

/** One request to a token server: GET when there is no form, else POST. */
export interface TokenRequest {
  readonly url: string
  /** Names and values in turn: [name, value, name, value]. */
  readonly headers: readonly string[]
  readonly form?: URLSearchParams
}

export interface TokenAnswer {
  readonly status: number
  readonly body: string
  /** The server's own words, without secrets; may be empty. */
  readonly words: string
  /** The server's clock, milliseconds since 1970, and the milliseconds of a pause that it asked for. `undefined` when it does not say. */
  readonly date: number | undefined
  readonly afterMs: number | undefined
}

/** Makes one attempt; redirects are not followed. Gives a miss when no answer came. Never throws. */
export type AskTokenServer = (request: TokenRequest, signal: AbortSignal) => Promise<TokenAnswer | Miss>

/** The address that gives tokens, and where it wants a client's secret: in a header (basic) or in the form (post). */
interface Endpoint {
  readonly url: string
  readonly prefers: 'basic' | 'post'
}

/** Milliseconds that a token is taken to live if neither the answer nor the token says how long, and the bounds for what they say. */
const UNSAID_LIFE_MS = 300_000
const [SHORTEST_MS, LONGEST_MS] = [1_000, 7 * 86_400_000]
const NO_SERVER = 'identity.not-a-token-server'
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Makes a source of tokens: it finds their address, once, and for each token reads the client's proof (a secret or an assertion) and asks.
 *  @param learn gets each token before it is used, so that it is never shown */
export function tokenSource(client: OauthConfig, ask: AskTokenServer, learn: (secret: string) => void): TokenSource {
  const { address, proof } = client
  let endpoint: Endpoint | undefined = address.option === 'issuer' ? undefined : { url: address.url, prefers: 'basic' }
  return async (signal) => {
    const found = endpoint ?? (await discover(client, ask, signal))
    if ('cause' in found) return found
    endpoint = found
    const secret = await proof.read().catch(unreadableSecret)
    if ('cause' in secret) return secret
    const fetched = tokenOf(await ask(requestOf(client, found, secret.reveal()), signal), client)
    if ('token' in fetched) learn(fetched.token.reveal())
    return fetched
  }
}

/** Makes a miss of a secret that cannot be read. Throws other errors again. */
function unreadableSecret(error: unknown): Miss {
  if (!(error instanceof NoSecretError)) throw error
  return { cause: { words: error.message } }
}

/** Asks the issuer for the address that gives tokens (OpenID Connect Discovery 1.0, 4). Quotes its name for itself only if it is a URL. */
async function discover(
  { address: { url: issuer }, group }: OauthConfig,
  ask: AskTokenServer,
  signal: AbortSignal,
): Promise<Endpoint | Miss> {
  const answer = await ask({ url: `${issuer}/.well-known/openid-configuration`, headers: [] }, signal)
  if ('cause' in answer) return answer
  const metadata = parseObject(answer.body) ?? {}
  const url = metadata['token_endpoint']
  const methods = metadata['token_endpoint_auth_methods_supported']
  const called = String(metadata['issuer'])
  const isSame = called.replace(/\/$/, '') === issuer
  if (answer.status === 200 && typeof url === 'string' && URL.canParse(url) && isSame)
    return { url, prefers: Array.isArray(methods) && !methods.includes('client_secret_basic') ? 'post' : 'basic' }
  if (answer.status === 200 && !isSame && /^https?:\/\/[\w.:[\]/~%-]{1,200}$/.test(called))
    return { cause: { words: `it calls itself ${called}` }, remedy: `Write that as ${group}.issuer.`, code: NO_SERVER }
  return notTokenServer(answer, `has no OpenID configuration of ${issuer}`, `${group}.issuer`)
}

function requestOf(
  { clientId, clientAuth, proof, scope, audience }: OauthConfig,
  { url, prefers }: Endpoint,
  secret: string,
): TokenRequest {
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  if (proof.option === 'client_secret' && (clientAuth ?? prefers) === 'basic') {
    // each is encoded as in a form: RFC 6749, 2.3.1
    const pair = [clientId, secret].map((text) => String(new URLSearchParams({ '': text })).slice(1)).join(':')
    return { url, headers: ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`], form }
  }
  form.set('client_id', clientId)
  if (proof.option === 'client_secret') form.set('client_secret', secret)
  else {
    form.set('client_assertion_type', ASSERTION)
    form.set('client_assertion', secret.trim())
  }
  return { url, headers: [], form }
}

/** Options that a refusal with this `error` is about, besides `client_id`: RFC 6749, 5.2. */
const ABOUT: ReadonlyMap<unknown, readonly (keyof OauthConfig)[]> = new Map([
  ['invalid_client', ['proof']],
  ['unauthorized_client', ['scope', 'audience']],
  ['invalid_scope', ['scope']],
  ['invalid_target', ['audience']],
])

function tokenOf(answer: TokenAnswer | Miss, client: OauthConfig): Token | Miss {
  if ('cause' in answer) return answer
  const { group, proof, scope } = client
  const { status, body, words, date: serverDate } = answer
  const parsed = parseObject(body) ?? {}
  const { access_token: token, token_type: kind = 'Bearer', expires_in: life, error, scope: given } = parsed
  const isBearer = typeof kind === 'string' && kind.toLowerCase() === 'bearer'
  if (status === 200 && typeof token === 'string' && BEARER.test(token) && isBearer)
    return {
      token: new Secret(token),
      lifeMs: lifeOf(life, token),
      serverDate,
      lacks: lackingScopes(scope, given, token),
    }
  if (error === 'temporarily_unavailable' || error === 'server_error') return troubled(answer)
  if (status !== 400 && status !== 401 && status !== 403)
    return notTokenServer(answer, 'gives no token', `${group}.token_url`)
  // where `error` does not say what is wrong, the options that were sent
  const about = ABOUT.get(error) ?? (['scope', 'audience'] as const).filter((name) => client[name] !== undefined)
  const names = ['client_id', ...about.map((name) => (name === 'proof' ? proof.option : name))]
  const named = names.map((name) => `${group}.${name}`).join(', ')
  const refusal = `the token server refuses this client (${said(status, words)})`
  return { cause: { words: refusal }, remedy: `Check ${named}.`, code: 'identity.refused' }
}

/** Makes a miss of an answer that no token server gives, unless the server is in trouble.
 *  @param what says what is wrong with the answer, and `checked` names the option to check */
function notTokenServer(answer: TokenAnswer, what: string, checked: string): Miss {
  const { status, words } = answer
  if (status === 408 || status === 429 || status >= 500) return troubled(answer)
  return {
    cause: { words: `it ${what} (it answered ${said(status, words)})` },
    remedy: `Check ${checked}, and any proxy in between.`,
    code: NO_SERVER,
  }
}

/** Makes a miss of an answer by which the server is in trouble, so that a later attempt may succeed. */
function troubled({ status, afterMs }: TokenAnswer): Miss {
  return { cause: statusCause(status), afterMs }
}

function said(status: number, words: string): string {
  return words === '' ? String(status) : `${status}: ${words}`
}

/** Finds scopes that were asked for and not given. If the answer names no scopes, all were given (RFC 6749, 5.1); but some servers also
 *  answer so when they left out unknown ones, which the claims of a JWT show. Entra (Microsoft) never names its `/.default`. */
function lackingScopes(asked = '', answered: unknown, token: string): readonly string[] {
  const { scopes = [] } = claimsOf(token) ?? { scopes: [asked] }
  const given = (textOrTexts(answered) ?? scopes).join(' ').split(' ')
  return asked.split(' ').filter((one) => !given.includes(one) && !/^$|\/\.default$/.test(one))
}

/** The milliseconds that a token lives, by the answer's `expires_in` (some servers write a text), else by the token itself. */
function lifeOf(seconds: unknown, token: string): number {
  const { exp = Number.NaN, iat = Number.NaN } = claimsOf(token) ?? {}
  const given = typeof seconds === 'number' || typeof seconds === 'string' ? Number(seconds) : Number.NaN
  const life = (given > 0 ? given : exp - iat) * 1_000
  return Number.isNaN(life) ? UNSAID_LIFE_MS : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, life))
}
