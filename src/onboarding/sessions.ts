// Keeps the access token that a login gives, renews it before it expires, and makes attempts that log in again once when it is refused.

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

/** Makes the keeper of one user's token. @param logIn asks the service for a new token @param now a monotonic clock, in milliseconds */
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

/** Sends a request once, perhaps after a login. `limit` is called just before that, and gives what time is left. */
export type CallAttempt<T> = (limit: () => Limit) => Promise<CallOutcome<T>>

interface TokenUse {
  readonly sessions: Sessions
  readonly steps: { note(text: string): void }
}

export const LOGGING_IN_AGAIN = 'The token was no longer accepted: logging in again.'

/** Makes an attempt that logs in and is sent again when its token is refused (401). Only for requests that may be sent twice: the refusal
 *  says that this attempt did nothing, but not what an earlier one did. */
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
