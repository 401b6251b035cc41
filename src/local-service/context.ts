// What every endpoint of one local service shares. Knows no endpoint.

import type { Clients } from './clients.ts'
import type { Faults } from './faults.ts'
import type { RandomFaults } from './random-faults.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Store } from './store.ts'
import type { SeenUpsert } from './types.ts'

export interface Context {
  readonly clients: Clients
  readonly store: Store
  readonly faults: Faults
  /** For upserts that no scripted fault is for. */
  readonly randomFaults: RandomFaults
  readonly rateLimit: RateLimit
  /** Milliseconds the next request of the import interface waits; undefined: none waits. */
  readonly latency: (() => number) | undefined
  /** Every accepted upsert is answered 201 (assumptions 3). */
  readonly compat: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborted when the local service closes. */
  readonly closing: AbortSignal
  readonly onUpsert: ((upsert: SeenUpsert) => void | Promise<void>) | undefined
  readonly onAnswered: ((upsert: SeenUpsert, status: number | 'reset') => void) | undefined
}
