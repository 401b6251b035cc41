import { expect, test } from 'vitest'
import { AdaptivePermits, CEILING } from './adaptive-permits.ts'
import { again, delivered } from './test-outcomes.ts'
import { clean, round, takeAll } from './test-rounds.ts'

test.each([
  ['half busy', 0.5, [32, 64, 128, 128]],
  ['busy: no doubling any more', 0.8, [17, 18, 19, 20]],
  ['very busy: no more', 0.92, [16, 16, 16, 16]],
  ['busy all the time: fewer, down to a handful', 1, [13, 11, 9, 8, 7, 6, 6]],
])('a process that is itself the narrow place: %s', (_, share, limits) => {
  let now = 1000
  const permits = new AdaptivePermits({ busyMs: () => now * share })
  const seen = limits.map(() => {
    const taken = takeAll(permits, now, 'retry')
    now += 100
    for (let nth = 0; nth < taken; nth++) permits.give(delivered, 100, now)
    return permits.limit
  })
  expect(seen).toEqual(limits)
})

test('a busy process gets back what was cut, up to a handful', () => {
  let now = 1000
  const permits = new AdaptivePermits({ busyMs: () => now })
  for (let i = 0; i < 9; i++) now = round(permits, now, 100, (nth) => (nth === 0 ? again('timeout', true) : delivered))
  expect(permits.limit).toBeLessThan(4)
  for (let i = 0; i < 20; i++) now = round(permits, now, 100, clean)
  expect(permits.limit).toBeGreaterThanOrEqual(6)
  expect(permits.limit).toBeLessThan(8)
})

test('a process that is no longer busy gets its permits back by doubling', () => {
  let now = 1000
  let busy = 0
  let share = 1
  const permits = new AdaptivePermits({ busyMs: () => busy })
  const rounds = (count: number): void => {
    for (let i = 0; i < count; i++) {
      busy += 100 * share
      now = round(permits, now, 100, clean)
    }
  }
  rounds(20)
  expect(permits.limit).toBe(6)
  share = 0.5
  rounds(5)
  expect(permits.limit).toBe(CEILING)
})
