import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LatencyCounts } from './request-durations.ts'

const times = fc.array(fc.oneof(fc.nat(20), fc.nat(120_000), fc.nat(1e8)), { minLength: 1, maxLength: 300 })

test('quantiles are those of what was added, one in a hundred off at most', () => {
  fc.assert(
    fc.property(times, (added) => {
      const counts = new LatencyCounts()
      for (const ms of added) counts.add(ms)
      const sorted = added.toSorted((a, b) => a - b)
      const exact = (share: number): number => sorted[Math.max(1, Math.round(share * sorted.length)) - 1]!
      const { p50, p95, p99, most } = counts.figures!
      expect(most).toBe(sorted.at(-1))
      for (const [share, told] of [
        [0.5, p50],
        [0.95, p95],
        [0.99, p99],
      ] as const) {
        const error = Math.abs(told - exact(share))
        expect(error, `${share}: ${told} for ${exact(share)}`).toBeLessThanOrEqual(exact(share) * 0.01)
      }
    }),
  )
})

test('nothing added, nothing told', () => {
  expect(new LatencyCounts().figures).toBeUndefined()
})
