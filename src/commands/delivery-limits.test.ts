import { assert, nat, option, property, record } from 'fast-check'
import { expect, it } from 'vitest'
import { streamLimits, FINISH_MS } from './delivery-limits.ts'

const maybe = option(nat(), { nil: undefined })
const anyLimits = record({
  maxPoints: nat(),
  maxBytes: nat(),
  maxWaitMs: nat(),
  bufferBytes: nat(),
  requestTimeoutMs: nat(),
  retryForMs: nat(),
  concurrency: maybe,
  maxRequestsPerSecond: maybe,
  guardMs: nat(),
})

it('are those of the configuration; with what finishing takes, 22 of the 30 s that a stopped process has are for what is in flight', () => {
  assert(
    property(anyLimits, (config) => {
      expect(streamLimits(config)).toEqual({ ...config, lingerMs: 20, graceMs: 22_000 - FINISH_MS })
    }),
  )
})
