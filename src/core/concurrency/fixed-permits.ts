// As many permits as the user fixed, and what holds attempts back whatever their number: pauses that the service asks for, and a
// rate. Permits that tune themselves (limit.ts) are these, with a limit of their own below. Pure arithmetic on the `now` that callers
// pass.

import type { Outcome, Permits } from '../types.ts'
import { RATE, SECOND_MS } from './tuning.ts'

/** A fixed number of permits. First attempts wait while as many batches wait for a retry as there are permits. A Retry-After of any
 *  attempt holds all attempts until it is over (RFC 9110, 10.2.3). */
export class FixedPermits implements Permits {
  readonly limit: number
  /** Attempts that have begun and not ended. */
  inFlight = 0
  /** Batches that wait for a retry. */
  waiting = 0
  readonly #perSecond: () => number
  #pausedUntil = -Infinity
  /** When the rate allows the next attempt. */
  #spacedAt = -Infinity

  /** @param options the most attempts in flight; the most per second, retries included, `undefined` when there is no limit
   *  @param learnt a lower rate that may change, Infinity: none. Attempts are spaced evenly, never a second's worth at once */
  constructor(
    { limit, perSecond = Infinity }: { limit: number; perSecond?: number | undefined },
    learnt: () => number = () => Infinity,
  ) {
    this.limit = limit
    this.#perSecond = () => Math.min(perSecond, learnt())
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
    // halves of a split batch come as retries too, but were not counted
    if (kind === 'retry' && this.waiting > 0) this.waiting--
    this.inFlight++
    const perSecond = this.#perSecond()
    // what a caller is late by is made up for, within bounds
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
