import { expect, test } from 'vitest'
import { Pace } from './pace.ts'

const starts = (pace: Pace, from: number, to: number, everyMs: number): number => {
  let count = 0
  for (let now = from; now < to; now += everyMs)
    while (now >= pace.at) {
      pace.spend(now)
      count++
    }
  return count
}

test.each([
  [10, 1, 100],
  [200, 1, 2000],
  [5000, 1, 50_000],
  [5000, 8, 50_000],
])(
  '%d a second, looked at every %d ms: so many in ten seconds, one spacing or 10 ms more',
  (rate, everyMs, expected) => {
    const count = starts(new Pace(rate), 1000, 11_000, everyMs)
    expect(count).toBeGreaterThanOrEqual(expected * 0.99)
    expect(count).toBeLessThanOrEqual(expected + Math.max(1, rate / 100) + 1)
  },
)

test('without a rate nothing waits; a rate may come and go', () => {
  const pace = new Pace(Infinity)
  pace.spend(5)
  expect(pace.at).toBe(-Infinity)
  pace.set(1)
  pace.spend(5)
  pace.spend(5)
  expect(pace.at).toBe(1005)
  pace.set(Infinity)
  expect(pace.at).toBe(-Infinity)
})

test('who slept for a minute is owed no burst', () => {
  const pace = new Pace(1000)
  pace.spend(0)
  expect(starts(pace, 60_000, 60_001, 1)).toBe(11)
})
