// How many attempts may be in flight when the user has fixed it: that many. What adapts is adaptive-permits.ts.
// Pure arithmetic: no timer, no clock but the `now` it is given.

import { Admission } from './admission.ts'
import { Pace } from './pace.ts'
import type { Outcome, Permits } from '../types.ts'

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
  readonly #admission: Admission

  constructor(options: FixedPermitsOptions) {
    this.#limit = options.limit
    this.#admission = new Admission(new Pace(options.perSecond ?? Infinity))
  }

  get limit(): number {
    return this.#limit
  }

  take(kind: 'first' | 'retry', now: number): boolean {
    const admission = this.#admission
    if (admission.isPaused(now) || admission.isPaced(now) || admission.inFlight >= this.#limit) return false
    if (kind === 'first' && admission.waiting >= this.#limit) return false
    admission.enter(kind, now)
    return true
  }

  give(outcome: Outcome, _ms: number, now: number): void {
    this.#admission.leave(outcome, now)
  }

  drop(): void {
    this.#admission.waiting--
  }

  nextChange(now: number): number | undefined {
    const at = this.#admission.opensAt
    return at > now ? at : undefined
  }
}
