import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MinimumConcurrencyProbe } from './minimum-concurrency-probe.ts'

const window = fc.record({
  busy: fc.double({ min: 0, max: 1.1, noNaN: true }),
  meanMs: fc.double({ min: 0, max: 100, noNaN: true }),
  ms: fc.integer({ min: 50, max: 5000 }),
})

test('whatever the windows: never below a handful but for what was below, never above what it was by more than one', () => {
  fc.assert(
    fc.property(fc.array(window, { maxLength: 60 }), fc.integer({ min: 1, max: 128 }), (windows, start) => {
      const probe = new MinimumConcurrencyProbe()
      let limit = start
      let most = start
      let now = 0
      for (const { busy, meanMs, ms } of windows) {
        now += ms
        const next = probe.judge(limit, busy, meanMs, now) ?? limit
        expect(next).toBeGreaterThanOrEqual(Math.min(6, limit))
        expect(next).toBeLessThanOrEqual(Math.max(most, limit + 1))
        limit = next
        most = Math.max(most, limit)
      }
    }),
  )
})

test.each([
  ['not busy enough', 0.96, 5, 16],
  ['answers that take long elsewhere', 1, 51, 16],
  ['a handful already', 1, 5, 6],
])('nothing is tried with %s', (_, busy, meanMs, limit) => {
  expect(new MinimumConcurrencyProbe().judge(limit, busy, meanMs, 0)).toBeUndefined()
})
