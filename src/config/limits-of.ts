// The options of the group `limits`, as what commands work with: names and units.

import type { LimitsConfig } from './write-config.ts'
import type { LimitOptions } from './write-options.ts'

export function limitsOf(options: LimitOptions): LimitsConfig {
  return {
    maxPoints: options.max_points,
    maxBytes: options.max_request_bytes,
    maxWaitMs: options.max_wait_ms,
    bufferBytes: options.buffer_bytes,
    requestTimeoutMs: options.request_timeout_seconds * 1_000,
    retryForMs: options.retry_for_seconds * 1_000,
    concurrency: options.concurrency,
    maxRequestsPerSecond: options.max_requests_per_second,
    guardMs: options.late_write_guard_seconds * 1_000,
  }
}
