import { expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

const starts = (limiter: RateLimiter, from: number, to: number, everyMs: number): number => {
  let count = 0
  for (let now = from; now < to; now += everyMs)
    while (now >= limiter.at) {
      limiter.spend(now)
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
    const count = starts(new RateLimiter(rate), 1000, 11_000, everyMs)
    expect(count).toBeGreaterThanOrEqual(expected * 0.99)
    expect(count).toBeLessThanOrEqual(expected + Math.max(1, rate / 100) + 1)
  },
)

test('without a rate nothing waits; a rate may come and go', () => {
  const limiter = new RateLimiter(Infinity)
  limiter.spend(5)
  expect(limiter.at).toBe(-Infinity)
  limiter.set(1)
  limiter.spend(5)
  limiter.spend(5)
  expect(limiter.at).toBe(1005)
  limiter.set(Infinity)
  expect(limiter.at).toBe(-Infinity)
})

test('who slept for a minute is owed no burst', () => {
  const limiter = new RateLimiter(1000)
  limiter.spend(0)
  expect(starts(limiter, 60_000, 60_001, 1)).toBe(11)
})
