// A fixed number of permits, each for one attempt, and what else holds attempts back: pauses that the service asks for, and a rate.
// Permits that tune themselves (limit.ts) are built on these. Pure arithmetic on the `now` that callers pass.

import type { Outcome, Permits } from '../types.ts'
import { RATE, SECOND_MS } from './tuning.ts'

/** A fixed number of permits. First attempts wait while as many batches wait for a retry as there are permits. A Retry-After that shows
 *  congestion holds all attempts until it is over (RFC 9110, 10.2.3). */
export class FixedPermits implements Permits {
  readonly limit: number
  /** Attempts that have begun and not ended. */
  inFlight = 0
  /** Batches that wait for a retry. */
  waiting = 0
  /** Attempts that may begin in a second; Infinity when there is no limit. They are spaced evenly, never a second's worth at once. */
  readonly #perSecond: () => number
  #pausedUntil = -Infinity
  /** When the rate allows the next attempt; in force only while there is a rate. */
  #spacedAt = -Infinity

  /** @param options `limit` attempts may be in flight, and `perSecond` may begin in a second, retries included: any number if not given
   *  @param learntPerSecond returns a second rate, which may change and is kept where it is lower; Infinity when there is none */
  constructor(
    { limit, perSecond = Infinity }: { limit: number; perSecond?: number | undefined },
    learntPerSecond: () => number = () => Infinity,
  ) {
    this.limit = limit
    this.#perSecond = () => Math.min(perSecond, learntPerSecond())
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  isRateLimited(now: number): boolean {
    return now < this.#spacedAt && this.#perSecond() < Infinity
  }

  /** When the pause is over and the rate allows an attempt; in the past if that is now. */
  get opensAt(): number {
    return this.#perSecond() === Infinity ? this.#pausedUntil : Math.max(this.#pausedUntil, this.#spacedAt)
  }

  take(kind: 'first' | 'retry', now: number): boolean {
    if (this.isPaused(now) || this.isRateLimited(now) || this.inFlight >= this.limit) return false
    if (kind === 'first' && this.waiting >= this.limit) return false
    // parts of a request that was refused or too large are taken as retries too, but never waited
    if (kind === 'retry' && this.waiting > 0) this.waiting--
    this.inFlight++
    const perSecond = this.#perSecond()
    // an attempt that comes up to `makeUpMs` late does not delay those after it
    this.#spacedAt =
      perSecond === Infinity ? -Infinity : Math.max(this.#spacedAt, now - RATE.makeUpMs) + SECOND_MS / perSecond
    return true
  }

  /** @returns whether the service asked for a pause of all requests */
  give(outcome: Outcome, _ms: number, now: number): boolean {
    this.inFlight--
    if (outcome.status !== 'retry') return false
    this.waiting++
    // without congestion, the Retry-After concerns this batch only (retry.ts honours it)
    if (outcome.afterMs === undefined || !outcome.congestion) return false
    this.#pausedUntil = Math.max(this.#pausedUntil, now + outcome.afterMs)
    return true
  }

  drop(): void {
    this.waiting--
  }

  nextChange(now: number): number | undefined {
    return this.opensAt > now ? this.opensAt : undefined
  }
}
