// What limits attempts whatever their number: pauses that the service asks for, and a rate. Both kinds of permits have one gate
// (limit.ts, fixed-permits.ts). Pure arithmetic on the `now` that callers pass.

import type { Outcome } from '../types.ts'
import { RATE } from './tuning.ts'

/** Counts attempts in flight and batches that wait for a retry, spaces attempts, and keeps pauses: a Retry-After of any attempt holds
 *  all attempts until it is over (RFC 9110, 10.2.3). Each attempt calls `enter`, and `leave` when it has ended. */
export class ConcurrencyGate {
  /** Attempts between `enter` and `leave`. */
  inFlight = 0
  /** Batches that wait for a retry. */
  waiting = 0
  #pausedUntil = -Infinity
  /** Milliseconds between attempts; 0: no limit. */
  #spacing = 0
  /** When the rate allows the next attempt. */
  #spacedAt = -Infinity

  constructor(perSecond: number) {
    this.setRate(perSecond)
  }

  /** @param perSecond the most attempts per second, Infinity: no limit. They are spaced evenly, never a second's worth at once */
  setRate(perSecond: number): void {
    this.#spacing = perSecond === Infinity ? 0 : 1000 / perSecond
    if (this.#spacing === 0) this.#spacedAt = -Infinity
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  isRateLimited(now: number): boolean {
    return now < this.#spacedAt
  }

  /** When the pause is over and the rate allows an attempt; in the past if that is now. */
  get opensAt(): number {
    return Math.max(this.#pausedUntil, this.#spacedAt)
  }

  enter(kind: 'first' | 'retry', now: number): void {
    // halves of a split batch come as retries too, but were not counted
    if (kind === 'retry' && this.waiting > 0) this.waiting--
    this.inFlight++
    // what a caller is late by is made up for, within bounds
    if (this.#spacing > 0) this.#spacedAt = Math.max(this.#spacedAt, now - RATE.makeUpMs) + this.#spacing
  }

  /** A batch that waited for a retry is dropped. */
  drop(): void {
    this.waiting--
  }

  /** @returns whether the service asked for a pause of all requests */
  leave(outcome: Outcome, now: number): boolean {
    this.inFlight--
    if (outcome.status !== 'retry') return false
    this.waiting++
    // without congestion, the Retry-After concerns this batch only (retry.ts honours it)
    if (outcome.afterMs === undefined || !outcome.congestion) return false
    this.#pausedUntil = Math.max(this.#pausedUntil, now + outcome.afterMs)
    return true
  }
}
