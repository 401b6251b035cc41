import { expect, test } from 'vitest'
import { Latency } from './latency.ts'

const window = (latency: Latency, ms: number, limit: number, now: number, over: { reached?: boolean } = {}): number => {
  for (let i = 0; i < 16; i++) latency.add(ms)
  return latency.judge(limit, over.reached ?? true, false, now)
}

const quiet = (floor: number): Latency => {
  const latency = new Latency()
  expect(window(latency, floor, 32, 0)).toBe(32)
  return latency
}

test.each([
  [50, 80, 'none'],
  [50, 81, 'high'],
  [50, 110, 'high'],
  [50, 111, 'slow'],
  [0.3, 20, 'none'],
  [1, 21, 'none'],
  [1, 22, 'slow'],
])('floor %d ms, now %d ms: %s', (floor, ms, pressure) => {
  const latency = quiet(floor)
  window(latency, ms, 32, 100)
  expect(latency.pressure).toBe(pressure)
})

test('one slow window is chance, two cut; a limit nobody reached is not cut', () => {
  const latency = quiet(50)
  expect(window(latency, 200, 32, 100)).toBe(32)
  expect(window(latency, 200, 32, 200)).toBeCloseTo(27.2)
  const idle = quiet(50)
  for (let now = 100; now < 1000; now += 100) expect(window(idle, 200, 32, now, { reached: false })).toBe(32)
})

test('a slow doubling goes one step back at once', () => {
  const latency = quiet(50)
  for (let i = 0; i < 8; i++) latency.add(200)
  expect(latency.judge(64, true, true, 100)).toBe(32)
})

test('too few successes say nothing', () => {
  const latency = quiet(50)
  for (let i = 0; i < 15; i++) latency.add(900)
  expect([latency.judge(32, true, false, 100), latency.pressure]).toEqual([32, 'none'])
})

test('a queue of ours: cuts go on as long as answers are slow', () => {
  const latency = quiet(50)
  let limit = 128
  for (let now = 100; now < 5000; now += 100) limit = window(latency, (limit * 50) / 8, limit, now)
  expect(limit).toBeGreaterThan(8)
  expect(limit).toBeLessThan(18)
})

test('a service that became slower, or larger requests: the cuts that do not help are taken back', () => {
  const latency = quiet(50)
  let limit = 128
  let least = limit
  for (let now = 100; now < 3000; now += 100) {
    limit = window(latency, 500, limit, now)
    least = Math.min(least, limit)
  }
  expect(least).toBeGreaterThan(70)
  expect([limit, latency.pressure]).toEqual([128, 'none'])
})

test('a floor not seen for 30 s is looked for: back at once where it has risen, lower where the queue is ours', () => {
  for (const [isOurs, expected] of [
    [false, 64],
    [true, 38.4],
  ] as const) {
    const latency = quiet(50)
    const mean = (limit: number): number => (isOurs ? limit * 1.5 : 90)
    let limit = 64
    const seen = new Set<number>()
    for (let now = 100; now < 31_000; now += 100) seen.add((limit = window(latency, mean(limit), limit, now)))
    expect([Math.min(...seen), limit]).toEqual([38.4, expected])
  }
})

test('jitter is no slowness: no cut in minutes of lognormal latency', () => {
  const latency = new Latency()
  let seed = 7
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  let limit = 64
  for (let now = 0; now < 120_000; now += 100) {
    for (let i = 0; i < 64; i++)
      latency.add(100 * Math.exp(0.8 * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())))
    limit = latency.judge(64, true, false, now)
    expect(limit).toBeGreaterThan(38)
  }
})
