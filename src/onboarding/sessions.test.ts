import { expect, it } from 'vitest'

import type { AccessTokenAnswer } from '../service/onboarding/onboarding-answers.ts'
import { Sessions } from './sessions.ts'
import { Halted } from './halt.ts'

function fixture(seconds: number, takesMs = 0) {
  const it = { now: 0, logins: 0 }
  const logIn = (): Promise<AccessTokenAnswer> => {
    it.now += takesMs
    const value = { access_token: `t${++it.logins}`, user_id: 7, expires_in: seconds, refresh_token: `r${it.logins}` }
    return Promise.resolve(value)
  }
  const now = (): number => it.now
  const sessions = new Sessions(logIn, now)
  const token = async (): Promise<string> => {
    const session = await sessions.fresh()
    return session.token.reveal()
  }
  return { it, sessions, token }
}

it.each([
  [14_400, 14_340_000],
  [100, 75_000],
  [1, 750],
])('renews a token of %i s after %i ms', async (seconds, renewedAt) => {
  const { it, token } = fixture(seconds)
  expect(await token()).toBe('t1')
  it.now = renewedAt - 1
  expect(await token()).toBe('t1')
  it.now = renewedAt
  expect(await token()).toBe('t2')
})

it('counts from before the login, however long that takes', async () => {
  const { it, token } = fixture(1, 500)
  expect(await token()).toBe('t1')
  it.now = 749
  expect(await token()).toBe('t1')
  it.now = 750
  expect(await token()).toBe('t2')
})

it('logs in for each request when tokens are good for no time at all', async () => {
  const { token } = fixture(0)
  expect([await token(), await token()]).toEqual(['t1', 't2'])
})

it('forgets the token that was not taken, and only that one', async () => {
  const { sessions, token } = fixture(100)
  const first = await sessions.fresh()
  sessions.forget(first)
  expect(await token()).toBe('t2')
  sessions.forget(first)
  expect(await token()).toBe('t2')
})

it('passes on that the process was told to stop', async () => {
  const logIn = (): Promise<AccessTokenAnswer> => Promise.reject(new Halted({ status: 'stopped' }))
  const sessions = new Sessions(logIn, () => 0)
  await expect(sessions.fresh()).rejects.toMatchObject({ halt: { status: 'stopped' } })
})
