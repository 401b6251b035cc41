// As many permits as the user fixed.

import type { Outcome, Permits } from '../types.ts'
import { ConcurrencyGate } from './gate.ts'

export interface FixedPermitsOptions {
  /** The most attempts in flight. */
  readonly limit: number
  /** The most attempts per second, retries included. `undefined` when there is no limit. */
  readonly perSecond?: number | undefined
}

/** A fixed number of permits. First attempts wait while as many batches wait for a retry as there are permits. */
export class FixedPermits implements Permits {
  readonly limit: number
  readonly #gate: ConcurrencyGate

  constructor({ limit, perSecond = Infinity }: FixedPermitsOptions) {
    this.limit = limit
    this.#gate = new ConcurrencyGate(perSecond)
  }

  take(kind: 'first' | 'retry', now: number): boolean {
    const gate = this.#gate
    if (gate.isPaused(now) || gate.isRateLimited(now) || gate.inFlight >= this.limit) return false
    if (kind === 'first' && gate.waiting >= this.limit) return false
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
