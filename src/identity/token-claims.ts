// Reads what a token (a JWT) says of itself, which may show why a broker refuses it. Nothing is verified, as the broker does that.

import { parseObject } from '../json/is-object.ts'
import { secondsText } from '../text/figures.ts'

/** Reads the claims of a JWT (RFC 7519): when it expires (exp), is valid from (nbf) and was issued (iat), in seconds since 1970; its issuer
 *  and audience; its scopes, which some servers call `scp`. `undefined` when the token is no JWT, so that only its server can read it. */
export function claimsOf(token: string) {
  const parts = token.split('.')
  const claims = parts.length === 3 ? parseObject(Buffer.from(parts[1]!, 'base64url').toString()) : undefined
  if (claims === undefined) return undefined
  const seconds = (name: string): number | undefined =>
    Number.isFinite(claims[name]) ? (claims[name] as number) : undefined
  const [exp, nbf, iat] = ['exp', 'nbf', 'iat'].map(seconds)
  const [iss, aud, scope, scp] = ['iss', 'aud', 'scope', 'scp'].map((name) => textOrTexts(claims[name]))
  return { exp, nbf, iat, iss, aud, scopes: scope ?? scp }
}

/** Returns the texts of a value, which may be a text or a list. `undefined` when it has none. */
export function textOrTexts(value: unknown): readonly string[] | undefined {
  const texts = [value].flat().filter((one) => typeof one === 'string')
  return texts.length > 0 ? texts : undefined
}

/** Difference between two clocks, in milliseconds, up to which it is not mentioned. */
export const SKEW_MS = 30_000

/** Says why a broker may refuse the token, as that says no more than `invalid_token`. Quotes claims: the caller must take out secrets.
 *  @param now milliseconds since 1970
 *  @returns whole sentences */
export function oddities(token: string, now: number): string {
  const claims = claimsOf(token)
  if (claims === undefined)
    return 'The token is no JWT: most brokers take nothing else. Ask the token server for JWT access tokens.'
  const { exp, nbf, iat, iss, aud } = claims
  // a time that is not named is NaN, for which every comparison below is false
  const untilMs = (seconds = Number.NaN): number => seconds * 1_000 - now
  const odd = [
    exp === undefined && 'it has no exp, which brokers require',
    untilMs(exp) <= 0 && `it expired ${secondsText(-untilMs(exp))} ago by this machine's clock`,
    untilMs(nbf) > SKEW_MS && `it is valid from ${secondsText(untilMs(nbf))} on (nbf)`,
    untilMs(iat) > SKEW_MS && `it was issued ${secondsText(untilMs(iat))} from now (iat)`,
    aud === undefined && 'it has no aud, which brokers with sasl.oauthbearer.expected.audience require',
  ].filter((words) => words !== false)
  const why =
    odd.length > 0
      ? `Odd in the token: ${odd.join('; ')}. Else compare`
      : 'The broker refused it and does not say why: compare'
  return `${why} its issuer ${quoted(iss)} and audience ${quoted(aud)} with what the brokers expect (sasl.oauthbearer.expected.issuer, .expected.audience), and whether they reach the server's keys (sasl.oauthbearer.jwks.endpoint.url).`
}

function quoted(texts: readonly string[] | undefined): string {
  return texts === undefined ? '(none)' : JSON.stringify(texts.join(', ').slice(0, 200))
}
