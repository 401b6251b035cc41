// One attempt of a request that carries a token: with a fresh one, and once more with a new one when the service does not
// take it. Decides nothing about trying again otherwise.

import type { Limit } from '../service/onboarding/onboarding-api.ts'
import type { Called } from '../service/onboarding/onboarding-outcome.ts'
import type { LiveSession } from './sessions.ts'
import type { Halt, Run } from './types.ts'

export type SessionRequest<T> = (limit: Limit, session: LiveSession) => Promise<Called<T>>

/** Only for what may be sent twice: a 401 says that nothing was done, but an attempt before it may have been. */
export async function attemptWithToken<T>(
  run: Run,
  request: SessionRequest<T>,
  limit: () => Limit,
): Promise<Called<T> | Halt> {
  const first = await run.sessions.fresh()
  if (first.status !== 'got') return first
  const called = await request(limit(), first.value)
  if (called.status !== 'refused' || called.code !== 401) return called
  run.sessions.forget(first.value)
  run.track.note('The token was not taken any more: logging in again.')
  const second = await run.sessions.fresh()
  return second.status === 'got' ? request(limit(), second.value) : second
}
