import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { claimsOf, oddities } from './token-claims.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const SECONDS = NOW / 1_000
const jwt = (claims: unknown): string => `e.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
const good = { iss: 'https://idp', aud: 'kafka', iat: SECONDS, exp: SECONDS + 60, sub: 'canary-subject' }

it('reads what a token says of itself, and nothing else', () => {
  expect(claimsOf(jwt(good))).toEqual({
    iss: ['https://idp'],
    aud: ['kafka'],
    iat: SECONDS,
    exp: SECONDS + 60,
    nbf: undefined,
  })
  expect(claimsOf(jwt({ aud: ['a', 1, 'b'], exp: '5', iss: {} }))).toEqual({ aud: ['a', 'b'] })
})

it('takes any text without throwing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((text) => `a.${Buffer.from(text).toString('base64url')}.b`),
      ),
      (text) => {
        claimsOf(text)
        expect(oddities(text, NOW)).toMatch(/\.$/)
      },
    ),
    { numRuns: 1_000 },
  )
})

it.each<[object, RegExp]>([
  [good, /^The broker refused it and does not say why: compare its issuer "https:\/\/idp" and audience "kafka" with/],
  [{ ...good, exp: SECONDS - 90 }, /^Odd in the token: it expired 90 s ago by this machine's clock\. Else compare/],
  [{ ...good, exp: undefined }, /it has no exp/],
  [{ ...good, nbf: SECONDS + 120 }, /valid from 120 s on/],
  [{ ...good, iat: SECONDS + 120 }, /issued 120 s from now/],
  [{ ...good, aud: undefined }, /it has no aud.*audience \(none\)/],
])('says what is odd: %j', (claims, found) => {
  const said = oddities(jwt(claims), NOW)
  expect(said).toMatch(found)
  expect(said).not.toContain('canary')
})

it('says that a token is no JWT', () => {
  expect(oddities('opaque', NOW)).toMatch(/^The token is no JWT/)
})
