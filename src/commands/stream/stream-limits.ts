// The engine's limits for all that `stream` does.

import type { LimitsConfig } from '../../config/write-config.ts'
import type { Limits } from '../../core/deliver.ts'
import { limitsOf, STOP_GRACE_MS } from '../delivery-limits.ts'

export function streamLimits(limits: LimitsConfig): Limits {
  return limitsOf(limits, STOP_GRACE_MS)
}
