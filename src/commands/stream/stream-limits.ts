// The engine's limits for all that `stream` does.

import type { LimitsConfig } from '../../config/write-config.ts'
import type { Limits } from '../../core/deliver.ts'
import { engineLimits, STOP_GRACE_MS } from '../delivery-limits.ts'

/** Of the time for what is in flight: for what lies before a record that was sent, before a run that is stopped begins no more
 *  attempts. */
export const FINISH_MS = 3000

export function streamLimits(limits: LimitsConfig): Limits {
  return engineLimits(limits, STOP_GRACE_MS - FINISH_MS)
}
