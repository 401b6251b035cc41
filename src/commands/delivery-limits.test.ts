import { assert, nat, option, property, record } from 'fast-check'
import { expect, it } from 'vitest'
import { streamLimits, FINISH_MS } from './delivery-limits.ts'

const maybe = option(nat(), { nil: undefined })
const anyLimits = record({
  maxPoints: nat(),
  maxRequestBytes: nat(),
  maxWaitMs: nat(),
  bufferBytes: nat(),
  requestTimeoutMs: nat(),
  retryForMs: nat(),
  concurrency: maybe,
  maxRequestsPerSecond: maybe,
  lateWriteGuardMs: nat(),
})

it('are those of the configuration; with what finishing takes, 22 of the 30 s that a stopped process has are for what is in flight', () => {
  assert(
    property(anyLimits, (config) => {
      const { maxRequestBytes: maxBytes, lateWriteGuardMs: guardMs } = config
      const rest = { maxBytes, guardMs, lingerMs: 20, graceMs: 22_000 - FINISH_MS }
      expect(streamLimits(config)).toEqual({ ...config, ...rest })
    }),
  )
})
