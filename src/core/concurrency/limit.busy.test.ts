import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { AdaptivePermits, MinimumConcurrencyProbe } from './limit.ts'
import { again, delivered } from '../testing/outcomes.ts'
import { clean, round, takeAll } from '../testing/rounds.ts'

/** Rounds of `ms` in windows of 100 ms, busy for a share of them that may depend on the limit.
 *  @returns the limit after each */
function play(
  permits: AdaptivePermits,
  world: { now: number; busy: number },
  { rounds, ms, share }: { rounds: number; ms: number; share: (limit: number) => number },
): number[] {
  return Array.from({ length: rounds }, () => {
    world.busy += 100 * share(permits.limit)
    const taken = takeAll(permits, world.now, 'retry')
    world.now += 100
    for (let nth = 0; nth < taken; nth++) permits.give(delivered, ms, world.now)
    return permits.limit
  })
}

function begin(): { permits: AdaptivePermits; world: { now: number; busy: number } } {
  const world = { now: 1000, busy: 0 }
  const permits = new AdaptivePermits({ busyMs: () => world.busy })
  expect(permits.take('first', world.now)).toBe(true)
  permits.give(delivered, 0, world.now)
  return { permits, world }
}

test.each([
  ['half busy', 0.5, [32, 64, 128, 128]],
  ['busy: no doubling any more', 0.93, [17, 18, 19, 20]],
  ['busy all the time, with answers that take long elsewhere: none at all', 1, [16, 16, 16, 16]],
])('a process that is itself the narrow place: %s', (_, share, limits) => {
  const { permits, world } = begin()
  expect(play(permits, world, { rounds: 4, ms: 100, share: () => share })).toEqual(limits)
})

test('busy all the time at a quick service: a handful will do, and does as long as it keeps the process busy', () => {
  const { permits, world } = begin()
  expect(play(permits, world, { rounds: 3, ms: 2, share: () => 1 })).toEqual([6, 6, 6])
  expect(play(permits, world, { rounds: 3, ms: 2, share: () => 0.8 })).toEqual([7, 8, 9])
  expect(play(permits, world, { rounds: 5, ms: 2, share: () => 0.98 })).toEqual([7, 6, 6, 6, 6])
  expect(play(permits, world, { rounds: 5, ms: 2, share: () => 0.5 })).toEqual([12, 24, 48, 96, 128])
})

test('where a handful leaves it idle all permits are back after a window, and it is not tried again for 10 s', () => {
  const { permits, world } = begin()
  const share = (limit: number): number => Math.min(1, limit / 30)
  const seen = play(permits, world, { rounds: 100, ms: 5, share })
  expect(seen.slice(0, 5)).toEqual([32, 6, 32, 32, 32])
  expect(seen.filter((limit) => limit < 32)).toHaveLength(1)
  expect(play(permits, world, { rounds: 100, ms: 5, share }).filter((limit) => limit < 32)).toHaveLength(1)
})

test('a busy process gets back what was cut, up to the start', () => {
  let now = 1000
  const permits = new AdaptivePermits({ busyMs: () => now })
  for (let i = 0; i < 6; i++) now = round(permits, now, 100, (nth) => (nth === 0 ? again('timeout', true) : delivered))
  expect(permits.limit).toBeLessThan(8)
  for (let i = 0; i < 20; i++) now = round(permits, now, 100, clean)
  expect(permits.limit).toBe(16)
})

test('a congestion ends a try: what was before it does not come back by itself', () => {
  const { permits, world } = begin()
  play(permits, world, { rounds: 1, ms: 5, share: () => 1 })
  expect(permits.limit).toBe(6)
  const taken = takeAll(permits, world.now, 'retry')
  world.now += 100
  for (let nth = 0; nth < taken; nth++) permits.give(again('throttled', true), 5, world.now)
  expect(permits.limit).toBeLessThan(6)
  play(permits, world, { rounds: 1, ms: 5, share: () => 0 })
  expect(permits.limit).toBeLessThan(8)
})

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
