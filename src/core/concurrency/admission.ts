// What every kind of permits has in common: attempts in flight, batches that wait for their retry, the pause the service
// asks for, and the pace. Decides no limit. Pure arithmetic: no timer, no clock but the `now` it is given.

import type { Pace } from './pace.ts'
import type { Outcome } from '../types.ts'

/** One origin's door. A Retry-After of any attempt closes it for all until it is over (RFC 9110, 10.2.3). */
export class Admission {
  readonly pace: Pace
  /** Attempts that hold a permit. */
  inFlight = 0
  /** Batches whose last attempt is to be repeated; they hold no permit meanwhile. */
  waiting = 0
  #pausedUntil = -Infinity

  constructor(pace: Pace) {
    this.pace = pace
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  isPaced(now: number): boolean {
    return now < this.pace.at
  }

  enter(kind: 'first' | 'retry', now: number): void {
    // the halves of a split come as retries that nobody counted
    if (kind === 'retry' && this.waiting > 0) this.waiting--
    this.inFlight++
    this.pace.spend(now)
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

  /** When pause and pace are over; in the past when they are. */
  get opensAt(): number {
    return Math.max(this.#pausedUntil, this.pace.at)
  }
}
