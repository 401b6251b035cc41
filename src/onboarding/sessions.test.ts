import { expect, it } from 'vitest'

import type { AccessTokenAnswer } from '../service/onboarding/onboarding-answers.ts'
import { sessionsOf } from './sessions.ts'

function fixture(seconds: number, takesMs = 0) {
  const it = { now: 0, logins: 0 }
  const logIn = (): Promise<AccessTokenAnswer> => {
    it.now += takesMs
    const value = { access_token: `t${++it.logins}`, user_id: 7, expires_in: seconds, refresh_token: `r${it.logins}` }
    return Promise.resolve(value)
  }
  const now = (): number => it.now
  const sessions = sessionsOf(logIn, now)
  const token = async (): Promise<string> => {
    const session = await sessions.fresh()
    return session.token.reveal()
  }
  return { it, sessions, token }
}

it.each([
  [14_400, 0, 14_340_000],
  [100, 0, 75_000],
  // counted from before the login, however long that takes
  [1, 500, 750],
])('renews a token of %i s, logged in for %i ms, after %i ms', async (seconds, takesMs, renewedAt) => {
  const { it, token } = fixture(seconds, takesMs)
  expect(await token()).toBe('t1')
  it.now = renewedAt - 1
  expect(await token()).toBe('t1')
  it.now = renewedAt
  expect(await token()).toBe('t2')
})

it('forgets the token that was not taken, and only that one', async () => {
  const { sessions, token } = fixture(100)
  const first = await sessions.fresh()
  sessions.forget(first)
  expect(await token()).toBe('t2')
  sessions.forget(first)
  expect(await token()).toBe('t2')
})
