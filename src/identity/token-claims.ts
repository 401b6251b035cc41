// What a token says of itself, for whoever looks for the reason of a refusal. Nothing is verified: that is the broker's.

import { isObject } from '../json/is-object.ts'
import { secondsText } from '../text/figures.ts'

/** Times in seconds since 1970. */
export interface Claims {
  readonly exp?: number | undefined
  readonly nbf?: number | undefined
  readonly iat?: number | undefined
  readonly iss?: string | undefined
  readonly aud?: readonly string[] | undefined
}

/** undefined: it is no JWT, and only its server can read it. */
export function claimsOf(token: string): Claims | undefined {
  const [head, body, signature, ...more] = token.split('.')
  if (head === undefined || body === undefined || signature === undefined || more.length > 0) return undefined
  try {
    const found: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    if (!isObject(found)) return undefined
    const { exp, nbf, iat, iss, aud } = found
    const seconds = (value: unknown): number | undefined => (Number.isFinite(value) ? (value as number) : undefined)
    const texts = [aud].flat().filter((one) => typeof one === 'string')
    return {
      exp: seconds(exp),
      nbf: seconds(nbf),
      iat: seconds(iat),
      iss: typeof iss === 'string' ? iss : undefined,
      aud: texts.length > 0 ? texts : undefined,
    }
  } catch {
    return undefined
  }
}

/** What clocks may differ by. */
const SKEW_MS = 30_000

/** Why a broker may refuse the token, as whole sentences; it says no more than `invalid_token` itself. It quotes issuer and audience
 *  of the token, so scrub it.
 *  @param now milliseconds since 1970
 *  @param serverDate the token server's, when it gave the token; undefined: not known
 *  @param wanted issuer and audience of the configuration, where they are known */
export function oddities(token: string, now: number, serverDate: number | undefined): string {
  const claims = claimsOf(token)
  if (claims === undefined)
    return 'The token is no JWT: most brokers take nothing else. Ask the token server for JWT access tokens.'
  const { exp, nbf, iat, iss, aud } = claims
  const found = [
    exp === undefined && 'it has no exp, which brokers require',
    exp !== undefined &&
      exp * 1_000 <= now &&
      `it expired ${secondsText(now - exp * 1_000)} ago by this machine's clock`,
    nbf !== undefined && nbf * 1_000 > now + SKEW_MS && `it is valid from ${secondsText(nbf * 1_000 - now)} on (nbf)`,
    iat !== undefined &&
      iat * 1_000 > now + SKEW_MS &&
      `it was issued ${secondsText(iat * 1_000 - now)} from now (iat)`,
    serverDate !== undefined &&
      Math.abs(serverDate - now) > SKEW_MS &&
      `the clocks of this machine and the token server differ by ${secondsText(Math.abs(serverDate - now))}`,
    aud === undefined && 'it has no aud, which brokers with sasl.oauthbearer.expected.audience require',
  ].filter((text) => text !== false)
  const odd = found.length > 0 ? `Odd in the token: ${found.join('; ')}. ` : ''
  const why = odd === '' ? 'The broker refused it and does not say why: compare' : 'Else compare'
  return `${odd}${why} its issuer ${quoted(iss)} and audience ${quoted(aud?.join(', '))} with what the brokers expect (sasl.oauthbearer.expected.issuer, .expected.audience), and whether they reach the server's keys (sasl.oauthbearer.jwks.endpoint.url).`
}

function quoted(text: string | undefined): string {
  return text === undefined ? '(none)' : JSON.stringify(text.slice(0, 200))
}
