import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LatencyCounts } from './report-latency.ts'

const times = fc.array(fc.oneof(fc.nat(20), fc.nat(120_000), fc.nat(1e8)), { minLength: 1, maxLength: 300 })

test('quantiles are those of what was added, five in a hundred off at most', () => {
  fc.assert(
    fc.property(times, (added) => {
      const counts = new LatencyCounts()
      for (const ms of added) counts.add(ms)
      const sorted = added.toSorted((a, b) => a - b)
      const exact = (share: number): number => Math.min(sorted[Math.ceil(share * sorted.length) - 1]!, 33_554_432)
      const { p50, p95, p99, most } = counts.figures!
      expect(most).toBe(sorted.at(-1))
      for (const [share, told] of [
        [0.5, p50],
        [0.95, p95],
        [0.99, p99],
      ] as const) {
        const error = Math.abs(told - exact(share))
        expect(error, `${share}: ${told} for ${exact(share)}`).toBeLessThanOrEqual(0.5 + exact(share) * 0.05)
      }
    }),
  )
})

test('adding all of another is adding each of it', () => {
  fc.assert(
    fc.property(times, times, (first, second) => {
      const [a, b, both] = [new LatencyCounts(), new LatencyCounts(), new LatencyCounts()]
      for (const ms of first) a.add(ms)
      for (const ms of second) b.add(ms)
      for (const ms of [...first, ...second]) both.add(ms)
      a.addAll(b)
      expect([a.figures, a.total]).toEqual([both.figures, both.total])
    }),
  )
})

test('nothing added, nothing told', () => {
  expect(new LatencyCounts().figures).toBeUndefined()
})
