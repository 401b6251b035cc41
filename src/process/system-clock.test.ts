import { expect, test } from 'vitest'
import { EventLoopLag, systemClock } from './system-clock.ts'

test('a delay is told for half a minute at least, then no longer, however often it is asked', () => {
  let now = 0
  const delays = { max: 0, reset: () => (delays.max = 0), enable: () => true, disable: () => true }
  const lag = new EventLoopLag({ now: () => now }, delays)
  const at = (seconds: number, longestMs = 0): number => {
    now = seconds * 1000
    delays.max = Math.max(delays.max, longestMs * 1e6)
    return lag.seconds
  }
  expect(at(1)).toBe(0)
  // the look itself is no delay
  expect(at(2, 20)).toBe(0)
  expect(at(29, 520)).toBeCloseTo(0.5)
  expect(at(31, 120)).toBeCloseTo(0.5)
  expect(at(32, 220)).toBeCloseTo(0.5)
  expect(at(61)).toBeCloseTo(0.5)
  expect(at(62)).toBeCloseTo(0.2)
  expect(at(200)).toBeCloseTo(0.2)
  expect(at(201)).toBe(0)
})

test('a loop that was held up is seen', async () => {
  using lag = new EventLoopLag(systemClock)
  const { signal } = new AbortController()
  await systemClock.wait(100, signal)
  const end = performance.now() + 200
  while (performance.now() < end);
  await systemClock.wait(1, signal)
  expect(lag.seconds).toBeGreaterThan(0.15)
})
