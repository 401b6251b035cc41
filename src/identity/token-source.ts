// A token for one client, by OpenID Connect or OAuth 2 (client credentials, RFC 6749, 4.4; with an assertion, RFC 7523): what is
// asked of a token server, and what its answer means. Knows neither HTTP nor who the token is for.

import type { Code } from '../core/codes.ts'
import type { NetworkCause } from '../core/network.ts'
import { statusCause } from '../core/network.ts'
import { Secret } from '../core/secret.ts'
import { isObject } from '../json/is-object.ts'
import { claimsOf } from './token-claims.ts'

/** Asks once. Never throws.
 *  @param signal breaks off the wait for the answer */
export type TokenSource = (signal: AbortSignal) => Promise<FetchedToken>

/** `lifeMs`: from when it was asked for. `refused`: another attempt would not change it, unless somebody does something at the
 *  server. `failed`: another attempt may. Words are scrubbed sentences without a full stop. */
export type FetchedToken =
  | { readonly token: Secret; readonly lifeMs: number; readonly serverDate: number | undefined }
  | { readonly refused: string; readonly remedy: string; readonly code: Code }
  | { readonly failed: NetworkCause; readonly remedy?: string; readonly afterMs?: number | undefined }

/** One request: GET without a form. */
export interface TokenRequest {
  readonly url: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly form?: URLSearchParams
}

/** `date`: of the server, in milliseconds since 1970. `words`: the server's own, scrubbed. */
export type TokenOutcome =
  | {
      readonly status: number
      readonly body: string
      readonly words: string
      readonly date: number | undefined
      readonly afterMs: number | undefined
    }
  | Exclude<FetchedToken, { token: Secret }>

/** One attempt; redirects are not followed. Never throws. */
export type AskTokenServer = (request: TokenRequest, signal: AbortSignal) => Promise<TokenOutcome>

type ReadSecret = () => Promise<Secret>

/** `issuer` has no slash at its end. Secrets are read at each fetch. */
export interface ClientCredentials {
  readonly tokenUrl: string | undefined
  readonly issuer: string | undefined
  readonly clientId: string
  readonly proof: { readonly secret: ReadSecret } | { readonly assertion: ReadSecret }
  /** undefined: as the server says, else basic. */
  readonly clientAuth: 'basic' | 'post' | undefined
  readonly scope: string | undefined
  readonly audience: string | undefined
  /** The option's name, for remedies: `kafka.sasl.oauth`. */
  readonly option: string
}

/** Where the server says nothing of it. */
const LIFE_MS = 300_000
const [SHORTEST_MS, LONGEST_MS] = [1_000, 7 * 86_400_000]
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** @param learn gets each token before it is used */
export function tokenSource(
  credentials: ClientCredentials,
  ask: AskTokenServer,
  learn: (secret: string) => void,
): TokenSource {
  let endpoint = credentials.tokenUrl === undefined ? undefined : { url: credentials.tokenUrl, isPost: false }
  return async (signal) => {
    try {
      const found = endpoint ?? (await discovered(credentials, ask, signal))
      if (!('url' in found)) return found
      endpoint = found
      const fetched = tokenOf(await ask(await requestOf(credentials, found), signal), credentials)
      if ('token' in fetched) learn(fetched.token.reveal())
      return fetched
    } catch (error) {
      // a file that cannot be read just now
      return { failed: { words: (error as Error).message } }
    }
  }
}

/** Source: OpenID Connect Discovery 1.0, 4. */
async function discovered(
  { issuer, option }: ClientCredentials,
  ask: AskTokenServer,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly isPost: boolean } | Exclude<FetchedToken, { token: Secret }>> {
  const answer = await ask({ url: `${issuer}/.well-known/openid-configuration`, headers: [] }, signal)
  if (!('status' in answer)) return answer
  const found = objectOf(answer.body)
  const url = found?.['token_endpoint']
  const methods = found?.['token_endpoint_auth_methods_supported']
  const isSame = String(found?.['issuer']).replace(/\/$/, '') === issuer
  if (answer.status === 200 && typeof url === 'string' && URL.canParse(url) && isSame)
    return { url, isPost: Array.isArray(methods) && !methods.includes('client_secret_basic') }
  return otherAnswer(answer, `has no OpenID configuration of ${issuer}`, `Check ${option}.issuer`)
}

async function requestOf(
  { clientId, proof, clientAuth, scope, audience }: ClientCredentials,
  { url, isPost }: { readonly url: string; readonly isPost: boolean },
): Promise<TokenRequest> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  const secret = (await ('secret' in proof ? proof.secret() : proof.assertion())).reveal()
  if ('secret' in proof && !(clientAuth === undefined ? isPost : clientAuth === 'post')) {
    // each is encoded as in a form: RFC 6749, 2.3.1
    const pair = [clientId, secret].map((text) => String(new URLSearchParams({ '': text })).slice(1)).join(':')
    return { url, headers: ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`], form }
  }
  form.set('client_id', clientId)
  if ('secret' in proof) form.set('client_secret', secret)
  else {
    form.set('client_assertion_type', ASSERTION)
    form.set('client_assertion', secret.trim())
  }
  return { url, headers: [], form }
}

/** What stands behind "Bearer", in a header as in a login. */
const TOKEN = /^[\x21-\x7e]+$/

function tokenOf(answer: TokenOutcome, { option, scope, audience }: ClientCredentials): FetchedToken {
  if (!('status' in answer)) return answer
  const { status, body, words } = answer
  const found = objectOf(body)
  const token = found?.['access_token']
  const kind = found?.['token_type'] ?? 'Bearer'
  if (status === 200 && typeof token === 'string' && TOKEN.test(token) && isBearer(kind))
    return { token: new Secret(token), lifeMs: lifeOf(found?.['expires_in'], token), serverDate: answer.date }
  const error = typeof found?.['error'] === 'string' ? found['error'] : ''
  const isPassing = /^(?:temporarily_unavailable|server_error)$/.test(error)
  const isRefusal = (status === 400 || status === 401 || status === 403) && !isPassing
  if (!isRefusal) return otherAnswer(answer, 'gives no token', `Check ${option}.token_url`, isPassing)
  const about = ABOUT[error] ?? [scope === undefined ? '' : 'scope', audience === undefined ? '' : 'audience']
  const named = ['client_id', ...about].filter((name) => name !== '').map((name) => `${option}.${name}`)
  const quoted = words === '' ? '' : `: ${words}`
  const refused = `the token server refuses this client (${status}${quoted})`
  return { refused, remedy: `Check ${named.join(', ')}`, code: 'identity.refused' }
}

function isBearer(kind: unknown): boolean {
  return typeof kind === 'string' && kind.toLowerCase() === 'bearer'
}

/** Which options a refusal is about: RFC 6749, 5.2. */
const ABOUT: Readonly<Record<string, readonly string[]>> = {
  invalid_client: ['client_secret or assertion'],
  unauthorized_client: ['scope', 'audience'],
  invalid_scope: ['scope'],
  invalid_target: ['audience'],
}

function otherAnswer(
  { status, afterMs, words }: Extract<TokenOutcome, { status: number }>,
  what: string,
  remedy: string,
  isPassing = false,
): Exclude<FetchedToken, { token: Secret }> {
  if (isPassing || status === 408 || status === 429 || status >= 500) return { failed: statusCause(status), afterMs }
  const quoted = words === '' ? '' : `: ${words}`
  const refused = `it ${what} (it answered ${status}${quoted})`
  return { refused, remedy: `${remedy}, and any proxy in between`, code: 'identity.not-a-token-server' }
}

/** Some servers write a text. */
function lifeOf(seconds: unknown, token: string): number {
  const { exp, iat } = claimsOf(token) ?? {}
  const given = typeof seconds === 'number' || typeof seconds === 'string' ? Number(seconds) * 1_000 : Number.NaN
  const own = exp === undefined || iat === undefined ? LIFE_MS : (exp - iat) * 1_000
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, given > 0 ? given : own))
}

function objectOf(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
