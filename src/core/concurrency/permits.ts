// How many attempts may be in flight when the user has fixed it: that many. What adapts is adaptive-permits.ts.
// Pure arithmetic: no timer, no clock but the `now` it is given.

import { ConcurrencyGate } from './concurrency-gate.ts'
import { RateLimiter } from './rate-limiter.ts'
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
  readonly #gate: ConcurrencyGate

  constructor(options: FixedPermitsOptions) {
    this.#limit = options.limit
    this.#gate = new ConcurrencyGate(new RateLimiter(options.perSecond ?? Infinity))
  }

  get limit(): number {
    return this.#limit
  }

  take(kind: 'first' | 'retry', now: number): boolean {
    const gate = this.#gate
    if (gate.isPaused(now) || gate.isRateLimited(now) || gate.inFlight >= this.#limit) return false
    if (kind === 'first' && gate.waiting >= this.#limit) return false
    gate.enter(kind, now)
    return true
  }

  give(outcome: Outcome, _ms: number, now: number): void {
    this.#gate.leave(outcome, now)
  }

  drop(): void {
    this.#gate.waiting--
  }

  nextChange(now: number): number | undefined {
    const at = this.#gate.opensAt
    return at > now ? at : undefined
  }
}
