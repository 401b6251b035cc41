// Holds the token of A1, and gets another before it expires; and one attempt of a request that carries it: with a fresh
// one, and once more with a new one when the service does not take it. Decides nothing about trying again otherwise.

import { Secret } from '../core/secret.ts'
import type { Limit } from '../service/onboarding/onboarding-api.ts'
import type { Called } from '../service/onboarding/onboarding-outcome.ts'
import type { Session } from '../service/onboarding/onboarding-requests.ts'
import type { Got, Halt, Run } from './types.ts'
import type { TokenAnswer } from '../service/onboarding/onboarding-answers.ts'

export interface LiveSession extends Session {
  readonly userId: number
}

export interface Sessions {
  /** One that is good for some time still. */
  fresh(): Promise<Got<LiveSession>>
  /** The service does not take it any more. */
  forget(session: LiveSession): void
}

export interface SessionParts {
  readonly logIn: () => Promise<Got<TokenAnswer>>
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Told of every token, before it is used. */
  readonly learn: (secret: string) => void
}

/** Renewed so long before the end, or when a quarter of a short life is left. */
const MARGIN_MS = 60_000

export function createSessions({ logIn, now, learn }: SessionParts): Sessions {
  let current: { readonly session: LiveSession; readonly renewAt: number } | undefined
  return {
    async fresh() {
      if (current && now() < current.renewAt) return { status: 'got', value: current.session }
      // from before the request: the life of the token may have begun with it
      const sentAt = now()
      const got = await logIn()
      if (got.status !== 'got') return got
      const { access_token: token, refresh_token: refresh, user_id: userId, expires_in: seconds } = got.value
      for (const secret of [token, refresh]) if (typeof secret === 'string') learn(secret)
      const lifeMs = seconds * 1_000
      const session = { token: new Secret(token), userId }
      current = { session, renewAt: sentAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 4) }
      return { status: 'got', value: session }
    },
    forget(session) {
      if (current?.session === session) current = undefined
    },
  }
}

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
