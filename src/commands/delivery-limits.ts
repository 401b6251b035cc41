// The engine's limits and permits, as a config of `write` or `stream` gives them.

import type { LimitsConfig } from '../config/write/write-load.ts'
import { FixedPermits } from '../core/concurrency/fixed-permits.ts'
import { AdaptivePermits } from '../core/concurrency/limit.ts'
import type { Limits } from '../core/deliver.ts'
import { busyMs } from '../process/system-clock.ts'

/** Part of the 30 s that a stopped process has, for what is in flight; in the others it commits and leaves
 *  (COMMITTED_BY_MS in run.ts, LAST_MS in main.ts). What is given up may land later than what others send. */
export const STOP_GRACE_MS = 22_000

/** Makes as many permits as a user fixed, else as many as do good. */
export function permitsOf({
  concurrency,
  maxRequestsPerSecond: perSecond,
}: LimitsConfig): AdaptivePermits | FixedPermits {
  return concurrency === undefined
    ? new AdaptivePermits({ perSecond, busyMs })
    : new FixedPermits({ limit: concurrency, perSecond })
}

/** How long a body waits for more points while few are small. */
const LINGER_MS = 20

/** @param graceMs how long attempts in flight may go on once the run is stopped */
export function engineLimits(limits: LimitsConfig, graceMs: number): Limits {
  const { maxRequestBytes: maxBytes, lateWriteGuardMs: guardMs } = limits
  return { ...limits, maxBytes, guardMs, lingerMs: LINGER_MS, graceMs }
}

/** Part of the time for what is in flight: for what lies before a record that was sent, before a run that is stopped
 *  begins no more attempts. */
export const FINISH_MS = 3000
