// What limits attempts that does not learn: the gate that every kind of permits has, and a number of permits that the user fixed.
// Pure arithmetic on the `now` that callers pass.

import type { Outcome, Permits } from '../types.ts'
import { RateLimiter } from './rate.ts'

/** What both kinds of permits share: attempts in flight, batches that wait for a retry, the rate limiter, and pauses. A Retry-After
 *  of any attempt holds all attempts until it is over (RFC 9110, 10.2.3). */
export class ConcurrencyGate {
  readonly limiter: RateLimiter
  /** Attempts that hold a permit. */
  inFlight = 0
  /** Batches that wait for a retry. They hold no permit. */
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
    // halves of a split batch come as retries too, but were not counted
    if (kind === 'retry' && this.waiting > 0) this.waiting--
    this.inFlight++
    this.limiter.spend(now)
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

  /** When the pause is over and the rate allows an attempt; in the past if that is now. */
  get opensAt(): number {
    return Math.max(this.#pausedUntil, this.limiter.at)
  }
}

export interface FixedPermitsOptions {
  /** The most attempts in flight. */
  readonly limit: number
  /** The most attempts per second, retries included; absent: no limit. */
  readonly perSecond?: number | undefined
}

/** A fixed number of permits. A Retry-After of any attempt holds all attempts until it is over. First attempts wait while as many
 *  batches wait for a retry as there are permits. */
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
