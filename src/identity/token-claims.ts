// What a token says of itself, from which the reason of a refusal can be told. Nothing is verified: that is the broker's.

import { isObject } from '../json/is-object.ts'
import { secondsText } from '../text/figures.ts'

/** Times in seconds since 1970. */
export interface Claims {
  readonly exp?: number | undefined
  readonly nbf?: number | undefined
  readonly iat?: number | undefined
  readonly iss?: string | undefined
  readonly aud?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
}

/** Claims of a JWT; `undefined` when it is none, and only its server can read it. Never throws. */
export function claimsOf(token: string): Claims | undefined {
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  try {
    const found: unknown = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString())
    if (!isObject(found)) return undefined
    const seconds = (name: string): number | undefined =>
      Number.isFinite(found[name]) ? (found[name] as number) : undefined
    return {
      exp: seconds('exp'),
      nbf: seconds('nbf'),
      iat: seconds('iat'),
      iss: typeof found['iss'] === 'string' ? found['iss'] : undefined,
      aud: textOrTexts(found['aud']),
      scopes: textOrTexts(found['scope']) ?? textOrTexts(found['scp']),
    }
  } catch {
    return undefined
  }
}

/** A text, or the texts of a list. `undefined` when there is none. */
export function textOrTexts(value: unknown): readonly string[] | undefined {
  const texts = [value].flat().filter((one) => typeof one === 'string')
  return texts.length > 0 ? texts : undefined
}

/** Difference between clocks that is not odd. */
const SKEW_MS = 30_000

/** Says why a broker may refuse the token, in whole sentences: the broker says no more than `invalid_token`. Quotes issuer and audience,
 *  so scrub it.
 *  @param now milliseconds since 1970
 *  @param serverDate the token server's when it gave the token; `undefined` when it did not say */
export function oddities(token: string, now: number, serverDate = now): string {
  const claims = claimsOf(token)
  if (claims === undefined)
    return 'The token is no JWT: most brokers take nothing else. Ask the token server for JWT access tokens.'
  const { exp, nbf, iat, iss, aud } = claims
  const untilMs = (seconds = Number.NaN): number => seconds * 1_000 - now
  const apartMs = Math.abs(serverDate - now)
  const odd = (
    [
      [exp === undefined, 'it has no exp, which brokers require'],
      [untilMs(exp) <= 0, `it expired ${secondsText(-untilMs(exp))} ago by this machine's clock`],
      [untilMs(nbf) > SKEW_MS, `it is valid from ${secondsText(untilMs(nbf))} on (nbf)`],
      [untilMs(iat) > SKEW_MS, `it was issued ${secondsText(untilMs(iat))} from now (iat)`],
      [apartMs > SKEW_MS, `the clocks of this machine and the token server differ by ${secondsText(apartMs)}`],
      [aud === undefined, 'it has no aud, which brokers with sasl.oauthbearer.expected.audience require'],
    ] as const
  ).flatMap(([isSo, words]) => (isSo ? words : []))
  const why =
    odd.length > 0
      ? `Odd in the token: ${odd.join('; ')}. Else compare`
      : 'The broker refused it and does not say why: compare'
  return `${why} its issuer ${quoted(iss)} and audience ${quoted(aud?.join(', '))} with what the brokers expect (sasl.oauthbearer.expected.issuer, .expected.audience), and whether they reach the server's keys (sasl.oauthbearer.jwks.endpoint.url).`
}

function quoted(text: string | undefined): string {
  return text === undefined ? '(none)' : JSON.stringify(text.slice(0, 200))
}
