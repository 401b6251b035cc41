// What every kind of permits has in common: attempts in flight, batches that wait for their retry, the pause the service
// asks for, and the rate limiter. Decides no limit. Pure arithmetic: no timer, no clock but the `now` it is given.

import type { RateLimiter } from './rate-limiter.ts'
import type { Outcome } from '../types.ts'

/** One origin's door. A Retry-After of any attempt closes it for all until it is over (RFC 9110, 10.2.3). */
export class ConcurrencyGate {
  readonly limiter: RateLimiter
  /** Attempts that hold a permit. */
  inFlight = 0
  /** Batches whose last attempt is to be repeated; they hold no permit meanwhile. */
  waiting = 0
  #pausedUntil = -Infinity

  constructor(limiter: RateLimiter) {
    this.limiter = limiter
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  isRateLimited(now: number): boolean {
    return now < this.limiter.at
  }

  enter(kind: 'first' | 'retry', now: number): void {
    // the halves of a split come as retries that nobody counted
    if (kind === 'retry' && this.waiting > 0) this.waiting--
    this.inFlight++
    this.limiter.spend(now)
  }

  /** @returns whether the service asked for a pause of the whole origin */
  leave(outcome: Outcome, now: number): boolean {
    this.inFlight--
    if (outcome.status !== 'retry') return false
    this.waiting++
    // without congestion the Retry-After is about that one batch (retry.ts honours it)
    if (outcome.afterMs === undefined || !outcome.congestion) return false
    this.#pausedUntil = Math.max(this.#pausedUntil, now + outcome.afterMs)
    return true
  }

  /** When the pause is over and the rate allows an attempt; in the past when they are. */
  get opensAt(): number {
    return Math.max(this.#pausedUntil, this.limiter.at)
  }
}
