// The limits of a run in words, for its report: options by their names, and nothing of them secret.

import type { LimitsConfig } from '../../config/write-config.ts'
import { counted, thousands } from '../../text/figures.ts'

/** @param more milliseconds by option, whose names end in _seconds */
export function reportLimits(
  limits: LimitsConfig,
  more: Readonly<Record<string, number>> = {},
): readonly (readonly [option: string, value: string])[] {
  const { concurrency, maxRequestsPerSecond } = limits
  return [
    ['max_points', `${counted(limits.maxPoints, 'point')} a request`],
    ['max_request_bytes', counted(limits.maxBytes, 'byte')],
    ['max_wait_ms', `${thousands(limits.maxWaitMs)} ms`],
    ['buffer_bytes', counted(limits.bufferBytes, 'byte')],
    [
      'concurrency',
      concurrency === undefined ? 'found out as it goes' : `${counted(concurrency, 'request')} in flight`,
    ],
    ['max_requests_per_second', maxRequestsPerSecond === undefined ? 'no limit' : thousands(maxRequestsPerSecond)],
    ['request_timeout_seconds', inSeconds(limits.requestTimeoutMs)],
    ['retry_for_seconds', inSeconds(limits.retryForMs)],
    ['late_write_guard_seconds', inSeconds(limits.guardMs)],
    ...Object.entries(more).map(([option, ms]) => [option, inSeconds(ms)] as const),
  ]
}

function inSeconds(ms: number): string {
  return `${ms / 1000} s`
}
