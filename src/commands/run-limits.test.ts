import { assert, nat, option, property, record } from 'fast-check'
import { expect, it } from 'vitest'
import { engineLimits } from './run.ts'

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

it('are those of the configuration', () => {
  assert(
    property(anyLimits, (config) => {
      const { maxRequestBytes: maxBytes, lateWriteGuardMs: guardMs } = config
      const rest = { maxBytes, guardMs, lingerMs: 20, graceMs: 7 }
      expect(engineLimits(config, 7)).toEqual({ ...config, ...rest })
    }),
  )
})
