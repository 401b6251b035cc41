// The options of the group `limits`, as what commands work with: names and units.

import type { LimitsConfig } from './write-config.ts'
import type { WriteOptions } from './write-options.ts'

type LimitOptions = Pick<
  WriteOptions,
  | 'max_points'
  | 'max_request_bytes'
  | 'max_wait_ms'
  | 'buffer_bytes'
  | 'request_timeout_seconds'
  | 'retry_for_seconds'
  | 'concurrency'
  | 'max_requests_per_second'
  | 'late_write_guard_seconds'
>

export function limitsOf(options: LimitOptions): LimitsConfig {
  return {
    maxPoints: options.max_points,
    maxRequestBytes: options.max_request_bytes,
    maxWaitMs: options.max_wait_ms,
    bufferBytes: options.buffer_bytes,
    requestTimeoutMs: options.request_timeout_seconds * 1_000,
    retryForMs: options.retry_for_seconds * 1_000,
    concurrency: options.concurrency,
    maxRequestsPerSecond: options.max_requests_per_second,
    lateWriteGuardMs: options.late_write_guard_seconds * 1_000,
  }
}
