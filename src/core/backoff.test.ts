import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs, CHECK, DEAD_LETTERS, KAFKA_CLIENT, POLL, REGISTRY, REQUEST, THROTTLED } from './backoff.ts'

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test.each([
  ['an upsert', REQUEST, [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]],
  ['a throttled upsert', THROTTLED, [1000, 2000, 4000, 8000, 16_000, 30_000]],
  ['a poll', { ...POLL, firstMs: 2000, longestMs: 30_000 }, [2000, 3000, 4500, 6750, 10_125]],
  ['check', CHECK, [300, 1000, 1000]],
  ['a registry', REGISTRY, [100, 200, 400, 800, 1600, 3200, 5000, 5000]],
  ['a Kafka client', KAFKA_CLIENT, [200, 400, 800, 1600, 2000, 2000]],
  ['dead letters', DEAD_LETTERS, [100, 200, 400, 800, 1600, 2000, 2000]],
])('the steps of %s', (_, backoff, steps) => {
  const even = { ...backoff, jitter: [1, 1] as const }
  expect(steps.map((_, index) => backoffMs(even, index + 1, 0.3))).toEqual(steps)
})

test('a pause is its step times a number between the bounds, however many tries', () => {
  const backoffs = fc.constantFrom(REQUEST, THROTTLED, CHECK, REGISTRY, KAFKA_CLIENT, DEAD_LETTERS)
  fc.assert(
    fc.property(backoffs, fc.integer({ min: 1, max: 100_000 }), chance, (backoff, tries, random) => {
      const step = backoffMs({ ...backoff, jitter: [1, 1] }, tries, random)
      const [least, most] = backoff.jitter
      const pause = backoffMs(backoff, tries, random)
      expect(pause).toBeGreaterThanOrEqual(step * least)
      expect(pause).toBeLessThanOrEqual(step * most)
      expect(step).toBeLessThanOrEqual(backoff.longestMs)
    }),
  )
})

test('polls ever more slowly, within a quarter of the bounds', () => {
  const backoff = { ...POLL, firstMs: 2000, longestMs: 30_000 }
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), chance, (polls, random) => {
      const pause = backoffMs(backoff, polls, random)
      expect(pause).toBeGreaterThanOrEqual(1500)
      expect(pause).toBeLessThanOrEqual(37_500)
      expect(backoffMs(backoff, polls + 1, random)).toBeGreaterThanOrEqual(pause)
    }),
  )
})
