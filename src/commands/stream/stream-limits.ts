// The engine's limits for all that `stream` does.

import type { LimitsConfig } from '../../config/write-config.ts'
import type { Limits } from '../../core/deliver.ts'
import { limitsOf } from '../delivery-limits.ts'

/** Of the 30 s that a stopped process has (assumptions 46), for what is in flight. */
const GRACE_MS = 12_000

export function streamLimits(limits: LimitsConfig): Limits {
  return limitsOf(limits, GRACE_MS)
}
