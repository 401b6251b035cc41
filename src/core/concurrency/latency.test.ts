import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Latency } from './latency.ts'
import { LATENCY } from './tuning.ts'

/** A window of 16 answers that took `ms` each.
 *  @returns the limit to go on with */
const window = (latency: Latency, ms: number, limit: number, now: number, over: { reached?: boolean } = {}): number => {
  for (let i = 0; i < 16; i++) latency.add(ms)
  return latency.judge(limit, over.reached ?? true, 'slow', false, now)
}

/** The base is known to be `base`: it was the same with half as many in flight. */
const proven = (base: number): Latency => {
  const latency = new Latency()
  expect([16, 32, 32].map((limit) => window(latency, base, limit, 0))).toEqual([16, 32, 32])
  return latency
}

/** Windows of 100 ms, whose latency depends on the limit.
 *  @returns the limit after each */
const play = (latency: Latency, from: number, to: number, limit: number, ms: (limit: number) => number): number[] => {
  const limits: number[] = []
  for (let now = from; now < to; now += 100) limits.push((limit = window(latency, ms(limit), limit, now)))
  return limits
}

test.each([
  [50, 95, 'none'],
  [50, 96, 'high'],
  [50, 140, 'high'],
  [50, 141, 'slow'],
  [1, 21, 'none'],
  [1, 22, 'high'],
  [1, 43, 'slow'],
])('base %d ms, now %d ms: %s', (base, ms, pressure) => {
  const latency = proven(base)
  window(latency, ms, 32, 100)
  expect(latency.pressure).toBe(pressure)
})

test('no room where one more would make a queue too long', () => {
  const latency = new Latency()
  window(latency, 250, 1, 0)
  window(latency, 390, 2, 100)
  expect(latency.pressure).toBe('high')
})

test('one slow window is chance, after two half the limit is tried; a limit nobody reached is not', () => {
  const latency = proven(50)
  expect(window(latency, 200, 32, 100)).toBe(32)
  expect(window(latency, 200, 32, 200)).toBe(16)
  const idle = proven(50)
  for (let now = 100; now < 1000; now += 100) expect(window(idle, 200, 32, now, { reached: false })).toBe(32)
})

test('nothing is tried while latency still rises', () => {
  const latency = proven(50)
  expect([200, 400, 800, 820].map((ms, nth) => window(latency, ms, 32, nth))).toEqual([32, 32, 32, 16])
})

test('a slow doubling goes one step back at once', () => {
  const latency = proven(50)
  for (let i = 0; i < 8; i++) latency.add(200)
  expect(latency.judge(64, true, 'doubling', false, 100)).toBe(32)
})

test('too few successes say nothing', () => {
  const latency = proven(50)
  for (let i = 0; i < 7; i++) latency.add(900)
  expect([latency.judge(32, true, 'slow', false, 100), latency.pressure]).toEqual([32, 'unknown'])
})

test('a queue of ours: half is tried until nothing queues any more', () => {
  const limits = play(proven(50), 100, 5000, 128, (limit) => Math.max(50, (limit * 50) / 8))
  expect(limits.at(-1)).toBe(16)
  expect(limits.slice(20).every((limit) => limit === 16)).toBe(true)
})

test('a base that was learnt with a queue in it is tried down to what it is', () => {
  const limits = play(new Latency(), 0, 5000, 16, (limit) => Math.max(1, limit) * 25)
  expect(limits.at(-1)).toBe(1)
})

test('a service that became slower, or larger requests: half is tried once, and the limit comes back', () => {
  const latency = proven(50)
  const limits = play(latency, 100, 3000, 128, () => 500)
  expect(limits.filter((limit) => limit < 128).length).toBeLessThanOrEqual(2)
  expect(limits).toContain(64)
  expect([limits.at(-1), latency.pressure]).toEqual([128, 'none'])
})

test('what does something else ends the trial: the limit before it counts', () => {
  const latency = proven(50)
  expect(window(latency, 200, 32, 100)).toBe(32)
  expect(window(latency, 200, 32, 200)).toBe(16)
  expect([latency.isTrying, latency.endTrial(16)]).toEqual([true, 32])
  expect([latency.isTrying, latency.endTrial(16)]).toEqual([false, 16])
  expect(play(proven(50), 100, 300, 32, () => 200).at(-1)).toBe(16)
})

test('a trial in which there is too little to send shows nothing', () => {
  const latency = proven(50)
  expect([100, 200].map((now) => window(latency, 200, 32, now))).toEqual([32, 16])
  expect(window(latency, 100, 16, 300, { reached: false })).toBe(32)
})

test('a busy process may be what makes answers slow: an unproven base is left alone', () => {
  const latency = new Latency()
  for (let now = 0; now < 5000; now += 100) {
    for (let i = 0; i < 16; i++) latency.add(100)
    expect(latency.judge(16, true, 'slow', true, now)).toBe(16)
  }
})

test('a base not seen for a minute, or exceeded for less, is looked for: back at once where it has risen, lower where the queue is ours', () => {
  for (const [isOurs, expected] of [
    [false, 64],
    [true, 32],
  ] as const) {
    const latency = proven(50)
    const limits = play(latency, 100, 62_000, 64, (limit) => (isOurs ? limit * 1.5 : 90))
    expect(limits.slice(0, isOurs ? LATENCY.highMs / 200 : 590).every((limit) => limit === 64)).toBe(true)
    expect([Math.min(...limits), limits.at(-1)]).toEqual([32, expected])
  }
})

test('a wait of milliseconds, for which nothing is tried, is taken as it is after a while', () => {
  const latency = proven(5)
  const pressures: string[] = []
  for (let now = 0; now < LATENCY.highMs + 1000; now += 100) {
    for (let nth = 0; nth < 16; nth++) latency.add(18)
    expect(latency.judge(32, true, 'returning', false, now)).toBe(32)
    pressures.push(latency.pressure)
  }
  expect([pressures[0], pressures.at(-1)]).toEqual(['high', 'none'])
})

test('jitter is no slowness: half is tried rarely in minutes of lognormal latency, and never stays', () => {
  const latency = new Latency()
  let seed = 7
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  let [limit, halves] = [64, 0]
  for (let now = 0; now < 120_000; now += 100) {
    for (let i = 0; i < limit; i++)
      latency.add(100 * Math.exp(0.8 * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())))
    limit = latency.judge(limit, true, 'slow', false, now)
    expect(limit).toBeGreaterThanOrEqual(32)
    if (limit < 64) halves++
  }
  expect(halves).toBeLessThan(12)
})

test('whatever the answers: the limit stays, is halved once, or comes back', () => {
  const step = fc.record({
    ms: fc.array(fc.double({ min: 0, max: 10_000, noNaN: true }), { maxLength: 40 }),
    reached: fc.boolean(),
    busy: fc.boolean(),
    wait: fc.nat({ max: 70_000 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 128 }), (steps, start) => {
      const latency = new Latency()
      let [limit, before, now] = [start, start, 0]
      for (const { ms, reached, busy, wait } of steps) {
        for (const one of ms) latency.add(one)
        const next = latency.judge(limit, reached, 'slow', busy, (now += wait))
        expect([limit, Math.floor(limit / 2), before]).toContain(next)
        expect(next).toBeGreaterThanOrEqual(1)
        if (next < limit) before = limit
        limit = next
      }
    }),
  )
})
