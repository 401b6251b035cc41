import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Samples } from './report-samples.ts'

const event = fc.record({ ms: fc.nat(3000), points: fc.nat(100), latency: fc.nat(500), ticks: fc.boolean() })

test('however long it goes on: few samples, no gap, and every sum as it was', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), fc.integer({ min: 1, max: 90 }), (events, rounds) => {
      const samples = new Samples(1000)
      let now = 1000
      let [points, retries] = [0, 0]
      for (let round = 0; round < rounds; round++)
        for (const { ms, points: count, latency, ticks } of events) {
          now += ms
          const { current } = samples
          current.points += count
          current.attempts++
          current.retries.server++
          current.latency.add(latency)
          points += count
          retries++
          if (ticks) samples.tick(now)
        }
      samples.reach(now)
      const { all } = samples
      const sum = (of: (sample: (typeof all)[number]) => number): number => all.reduce((total, it) => total + of(it), 0)
      expect(all.length).toBeLessThanOrEqual(600)
      expect([sum((it) => it.points), sum((it) => it.retries.server), sum((it) => it.latency.total)]).toEqual([
        points,
        retries,
        retries,
      ])
      expect(sum((it) => it.to - it.from)).toBe(all.length === 0 ? 0 : now - 1000)
      for (const [index, { from }] of all.entries()) expect(from).toBe(index === 0 ? 1000 : all[index - 1]!.to)
    }),
    { numRuns: 40 },
  )
})

test('a run of days still tells hours apart', () => {
  const samples = new Samples(0)
  for (let second = 1; second <= 3 * 86_400; second++) {
    samples.current.points++
    samples.tick(second * 1000)
  }
  const { all } = samples
  expect(all.length).toBeGreaterThanOrEqual(300)
  expect(all.length).toBeLessThanOrEqual(600)
  // one rate throughout
  for (const { from, to, points } of all) expect(points).toBe((to - from) / 1000)
})
