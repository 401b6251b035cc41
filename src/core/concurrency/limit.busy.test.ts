import { expect, test } from 'vitest'
import { AdaptivePermits } from './limit.ts'
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
  ['busy all the time: the same', 1, [17, 18, 19, 20]],
])('a process that is itself the narrow place: %s', (_, share, limits) => {
  const { permits, world } = begin()
  expect(play(permits, world, { rounds: 4, ms: 100, share: () => share })).toEqual(limits)
})

test('busy at a quick service: it does not double until it is less so', () => {
  const { permits, world } = begin()
  expect(play(permits, world, { rounds: 3, ms: 2, share: () => 1 })).toEqual([17, 18, 19])
  expect(play(permits, world, { rounds: 2, ms: 2, share: () => 0.5 })).toEqual([38, 76])
})

test('a process that is busy for a while gets back what an outage took, up to the start', () => {
  let now = 1000
  const permits = new AdaptivePermits({ busyMs: () => now })
  for (let i = 0; i < 6; i++) now = round(permits, permits.nextChange(now) ?? now, 100, () => again('network', false))
  expect(permits.limit).toBeLessThan(8)
  now = permits.nextChange(now) ?? now
  for (let i = 0; i < 20; i++) now = round(permits, now, 100, clean)
  expect(permits.limit).toBeGreaterThanOrEqual(16)
})
