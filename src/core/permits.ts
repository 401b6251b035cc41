// How many attempts may be in flight: a fixed number, an optional rate, and a pause the service asks for.
// Pure arithmetic: no timer, no clock but the `now` it is given.

import type { Outcome, Permits } from './types.ts'

export interface FixedPermitsOptions {
  /** Attempts in flight at most. */
  readonly limit: number
  /** Attempts a second at most, retries included; absent: no cap. */
  readonly perSecond?: number | undefined
}

/** A fixed number of permits for one origin. A Retry-After of any attempt pauses all of them until it is over; first
 *  attempts wait while as many batches as there are permits wait for their retry. */
export class FixedPermits implements Permits {
  readonly #limit: number
  /** Milliseconds between attempts; 0: no cap. */
  readonly #spacing: number
  #inFlight = 0
  #waiting = 0
  #pausedUntil = -Infinity
  /** When the next attempt may start under the rate. */
  #paced = -Infinity

  constructor(options: FixedPermitsOptions) {
    this.#limit = options.limit
    this.#spacing = options.perSecond ? 1000 / options.perSecond : 0
  }

  take(kind: 'first' | 'retry', now: number): boolean {
    if (now < this.#pausedUntil || now < this.#paced || this.#inFlight >= this.#limit) return false
    if (kind === 'first' && this.#waiting >= this.#limit) return false
    if (kind === 'retry' && this.#waiting > 0) this.#waiting--
    this.#inFlight++
    // a process that slept is not owed a burst: at most one spacing is made up for
    if (this.#spacing > 0) this.#paced = Math.max(this.#paced, now - this.#spacing) + this.#spacing
    return true
  }

  give(outcome: Outcome, _ms: number, now: number): void {
    this.#inFlight--
    if (outcome.status !== 'retry') return
    this.#waiting++
    if (outcome.afterMs !== undefined && outcome.congestion)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + outcome.afterMs)
  }

  nextChange(now: number): number | undefined {
    const at = Math.max(this.#pausedUntil, this.#paced)
    return at > now ? at : undefined
  }
}
