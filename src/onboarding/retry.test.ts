import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { retryPause } from './retry.ts'

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

it('waits at least as long as Retry-After says, at most 30 s otherwise', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.option(fc.nat(1e6), { nil: undefined }),
      chance,
      (tries, after, random) => {
        const pause = retryPause(tries, after, random)
        expect(pause).toBeGreaterThanOrEqual(after ?? 0)
        expect(pause).toBeLessThanOrEqual(Math.max(after ?? 0, 30_000))
      },
    ),
  )
})
