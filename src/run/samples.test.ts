import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Samples } from './samples.ts'

const event = fc.record({ ms: fc.nat(3000), points: fc.nat(100), latency: fc.nat(500), ticks: fc.boolean() })

test('however long it goes on: few samples, no gap, and every sum as it was', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), fc.integer({ min: 1, max: 90 }), (events, rounds) => {
      const samples = new Samples(1000)
      let now = 1000
      let [points, retries, busy] = [0, 0, 0]
      for (let round = 0; round < rounds; round++)
        for (const { ms, points: count, latency, ticks } of events) {
          now += ms
          const { current } = samples
          current.points += count
          current.attempts++
          current.retries.server++
          current.busyMs += latency
          current.heldMs.rate += latency
          busy += latency
          points += count
          retries++
          if (ticks) samples.tick(now)
        }
      samples.reach(now)
      const { all } = samples
      const sum = (of: (sample: (typeof all)[number]) => number): number => all.reduce((total, it) => total + of(it), 0)
      expect(all.length).toBeLessThanOrEqual(240)
      expect([
        sum((it) => it.points),
        sum((it) => it.retries.server),
        sum((it) => it.busyMs),
        sum((it) => it.heldMs.rate),
      ]).toEqual([points, retries, busy, busy])
      expect(sum((it) => it.to - it.from)).toBe(all.length === 0 ? 0 : now - 1000)
      for (const [index, { from }] of all.entries()) expect(from).toBe(index === 0 ? 1000 : all[index - 1]!.to)
    }),
    { numRuns: 40 },
  )
})

test('a run of days is still shown in pieces of an hour or so', () => {
  const samples = new Samples(0)
  for (let second = 1; second <= 3 * 86_400; second++) {
    samples.current.points++
    samples.tick(second * 1000)
  }
  const { all } = samples
  expect(all.length).toBeGreaterThanOrEqual(120)
  expect(all.length).toBeLessThanOrEqual(240)
  // one rate throughout
  for (const { from, to, points } of all) expect(points).toBe((to - from) / 1000)
})

test('samples that become one keep every sum, also those that no retry and no row shows', () => {
  const samples = new Samples(0)
  const sums = ['points', 'requests', 'bytes', 'attempts', 'inFlightMs', 'permitMs', 'busyMs'] as const
  const causes = ['throttled', 'server', 'network', 'timeout'] as const
  for (let second = 1; second <= 1000; second++) {
    for (const [at, sum] of sums.entries()) samples.current[sum] += at + 1
    for (const [at, cause] of causes.entries()) samples.current.retries[cause] += at + 1
    samples.tick(second * 1000)
  }
  const { all } = samples
  expect(all.length).toBeLessThanOrEqual(240)
  for (const { from, to, retries, ...sample } of all) {
    const seconds = (to - from) / 1000
    expect(sums.map((sum) => sample[sum])).toEqual(sums.map((_, at) => (at + 1) * seconds))
    expect(causes.map((cause) => retries[cause])).toEqual(causes.map((_, at) => (at + 1) * seconds))
  }
})

test('what lasted too short for a rate is part of the sample before it, and stays there once', () => {
  const samples = new Samples(0)
  samples.current.points = 1000
  samples.tick(1000)
  samples.current.points = 500
  samples.current.busyMs = 7
  samples.reach(1002)
  for (let reads = 0; reads < 2; reads++) {
    expect(samples.all).toMatchObject([{ from: 0, to: 1002, points: 1500 }])
    expect(samples.all[0]!.busyMs).toBe(7)
  }
  samples.reach(1500)
  expect(samples.all).toMatchObject([
    { from: 0, to: 1000, points: 1000 },
    { from: 1000, to: 1500, points: 500 },
  ])
})
