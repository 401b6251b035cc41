// Keeps the access token of A1, renews it before it expires, and makes attempts that log in again once when the service rejects it.

import { Secret } from '../core/secret.ts'
import type { AccessTokenAnswer } from '../service/onboarding/onboarding-answers.ts'
import type { Limit } from '../service/onboarding/onboarding-api.ts'
import type { CallOutcome } from '../service/onboarding/onboarding-outcome.ts'
import type { OnboardingSession } from '../service/onboarding/onboarding-requests.ts'

/** An access token, and the user it is of. */
export interface LiveSession extends OnboardingSession {
  readonly userId: number
}

/** A token is renewed this long before it expires, or when a quarter of a short lifetime is left. */
const MARGIN_MS = 60_000

export type Sessions = ReturnType<typeof sessionsOf>

/** @param now a monotonic clock, in milliseconds */
export function sessionsOf(logIn: () => Promise<AccessTokenAnswer>, now: () => number) {
  let current: { readonly session: LiveSession; readonly renewAt: number } | undefined
  return {
    /** A session whose token is not about to expire; logs in if there is none. */
    async fresh(): Promise<LiveSession> {
      if (current && now() < current.renewAt) return current.session
      // the lifetime counts from before the request, as it may have begun then
      const sentAt = now()
      const { access_token: token, user_id: userId, expires_in: seconds } = await logIn()
      const lifeMs = seconds * 1_000
      const session = { token: new Secret(token), userId }
      current = { session, renewAt: sentAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 4) }
      return session
    },
    /** Drops a session that the service no longer accepts, unless another one has already replaced it. */
    forget(session: LiveSession): void {
      if (current?.session === session) current = undefined
    },
  }
}

/** Sends a request that carries the token of a session. */
export type SessionRequest<T> = (limit: Limit, session: LiveSession) => Promise<CallOutcome<T>>

/** Sends a request once. Takes its time limit from `limit` at that moment, as it may log in before. */
export type CallAttempt<T> = (limit: () => Limit) => Promise<CallOutcome<T>>

interface TokenUse {
  readonly sessions: Sessions
  readonly steps: { note(text: string): void }
}

/** Makes an attempt that logs in again when the token is refused. Only for requests that may be sent twice: a 401 means that nothing was
 *  done, but an earlier attempt may have succeeded. */
export function withToken<T>({ sessions, steps }: TokenUse, request: SessionRequest<T>): CallAttempt<T> {
  return async (limit) => {
    const session = await sessions.fresh()
    const outcome = await request(limit(), session)
    if (outcome.status !== 'refused' || outcome.code !== 401) return outcome
    sessions.forget(session)
    steps.note(LOGGING_IN_AGAIN)
    const second = await sessions.fresh()
    return request(limit(), second)
  }
}

export const LOGGING_IN_AGAIN = 'The token was no longer accepted: logging in again.'
