// As many permits as the user fixed.

import type { Outcome, Permits } from '../types.ts'
import { ConcurrencyGate } from './gate.ts'

/** A fixed number of permits. First attempts wait while as many batches wait for a retry as there are permits. */
export class FixedPermits implements Permits {
  readonly limit: number
  readonly #gate: ConcurrencyGate

  /** @param options the most attempts in flight; the most per second, retries included, `undefined` when there is no limit */
  constructor({ limit, perSecond = Infinity }: { limit: number; perSecond?: number | undefined }) {
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
    this.#gate.drop()
  }

  nextChange(now: number): number | undefined {
    const at = this.#gate.opensAt
    return at > now ? at : undefined
  }
}
