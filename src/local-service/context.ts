// What every endpoint of one local service shares.

import type { AllowedOrigins } from './allowed-origins.ts'
import type { Clients } from './clients.ts'
import type { Faults } from './faults.ts'
import type { LiveRequests } from './live-requests.ts'
import type { Onboarding } from './onboarding/onboarding.ts'
import type { Payloads } from './payloads.ts'
import type { Settings } from './settings.ts'
import type { Store } from './store.ts'
import type { SeenUpsert } from './types.ts'

export interface Context {
  readonly clients: Clients
  readonly store: Store
  readonly onboarding: Onboarding
  readonly faults: Faults
  readonly settings: Settings
  readonly live: LiveRequests
  /** Undefined: bodies are not kept. */
  readonly payloads: Payloads | undefined
  /** What starts this program, for hints; undefined: its name. */
  readonly command: string | undefined
  /** The file that keeps the rows; undefined: they live in memory. */
  readonly data: string | undefined
  /** Where it was asked to listen. */
  readonly host: string
  /** Bytes the body of an import request may have. */
  readonly maxBody: number
  /** Whose pages may use the service. */
  readonly allowedOrigins: AllowedOrigins
  /** Every accepted upsert is answered 201 (decisions.md#201-when-a-row-is-new). */
  readonly compat: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds, from any beginning: how long something took. */
  readonly elapsed: () => number
  /** Aborted when the local service closes. */
  readonly closing: AbortSignal
  readonly onUpsert: ((upsert: SeenUpsert) => void | Promise<void>) | undefined
  readonly onAnswered: ((upsert: SeenUpsert, status: number | 'reset') => void) | undefined
}
