import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import { Secret } from '../../core/secret.ts'
import { tokenFinding } from './check-token.ts'

const { signal } = new AbortController()
const facts = { place: 'idp:443', expiresAt: 1, fetched: 1, failed: 0, failingSince: undefined, cause: undefined }
const last = (lifeMs: number, lacks: readonly string[] = [], serverDate?: number) => ({
  token: new Secret('a.b.c'),
  lifeMs,
  serverDate,
  lacks,
})

it.each([
  [3_600_000, 'ok', /^The token server idp:443 gives tokens that live 60 min\.$/],
  [12_000, 'ok', /live 12 s\.$/],
  [11_999, 'warn', /\. Brokers end a session with its token, so some would last less than 6 s, and no login keeps up/],
])('a token of %i ms is looked at', async (lifeMs, level, text) => {
  const found = await tokenFinding({ ready: async () => {}, last: last(lifeMs), facts }, signal)
  expect(found).toMatchObject({ level, text: expect.stringMatching(text) as string })
})

it('a token without a scope that was asked for is warned of, whatever else is odd', async () => {
  for (const [lifeMs, also] of [
    [60_000, ''],
    [
      1_000,
      ' Brokers end a session with its token, so some would last less than 6 s, and no login keeps up with that. Let the server give tokens that live longer.',
    ],
  ] as const) {
    const found = await tokenFinding({ ready: async () => {}, last: last(lifeMs, ['a', 'b']), facts }, signal)
    const scope = 'It did not say that it gave the scope a b. Correct oauth.scope, or let it give that.'
    const text = `The token server idp:443 gives tokens that live ${lifeMs / 1_000} s.${also} ${scope}`
    expect(found).toMatchObject({ level: 'warn', code: 'config.warning', text })
  }
})

it('a token that is not given is said with its reason', async () => {
  const error = new ConnectorError('config', 'identity.refused', 'The token server idp:443: no.')
  const refusing = { ready: () => Promise.reject(error), last: undefined, facts }
  expect(await tokenFinding(refusing, signal)).toMatchObject({
    level: 'FAIL',
    code: 'identity.refused',
    text: error.message,
  })
  const silent = { ready: () => new Promise<void>(() => {}), last: undefined, facts: { ...facts, cause: 'timeout' } }
  expect(await tokenFinding(silent, AbortSignal.timeout(5))).toMatchObject({
    level: 'FAIL',
    code: 'identity.unreachable',
    text: 'The token server idp:443 gives no token: timeout. Check its address, and the network.',
  })
})

it.each([
  [121_000, 'warn', /Its clock and that of this machine differ by 121 s\. Correct/],
  [-121_000, 'warn', /differ by 121 s\./],
  [20_000, 'ok', /60 min\.$/],
])('a token server whose clock is %i ms ahead is looked at', async (ahead, level, text) => {
  const held = { ready: async () => {}, last: last(3_600_000, [], 1e12 + ahead), facts }
  expect(await tokenFinding(held, signal, () => 1e12)).toMatchObject({
    level,
    text: expect.stringMatching(text) as string,
  })
})
