import { expect, test } from 'vitest'
import { LastSecond, LearntRate, RateLimiter } from './rate.ts'

/** `perSecond` passes for `seconds`, evenly. */
const pass = (rate: LearntRate, perSecond: number, from: number, seconds: number): number => {
  for (let i = 0; i < perSecond * seconds; i++) rate.pass(from + (i * 1000) / perSecond)
  return from + seconds * 1000
}

const learnt = (): { rate: LearntRate; now: number } => {
  const rate = new LearntRate()
  const now = pass(rate, 200, 0, 3)
  rate.cut(0.1, 0, now)
  return { rate, now }
}

test('nothing is learnt before a refusal, nor from refusals alone', () => {
  const rate = new LearntRate()
  expect(rate.perSecond).toBe(Infinity)
  rate.cut(1, 0, 10)
  expect(rate.perSecond).toBe(Infinity)
  pass(rate, 100, 0, 1)
  rate.grow(1000)
  expect(rate.perSecond).toBe(Infinity)
})

test('the first refusal: a little less than what passed in the last second', () => {
  const { rate } = learnt()
  expect(rate.perSecond).toBeGreaterThan(170)
  expect(rate.perSecond).toBeLessThan(200)
})

test('a refusal in the first round trip: what is in flight passes as well, as refusals come first', () => {
  const rate = new LearntRate()
  for (let i = 0; i < 3; i++) rate.pass(50)
  rate.cut(0.06, 12, 51)
  expect(rate.perSecond).toBeGreaterThan(250)
  expect(rate.perSecond).toBeLessThan(320)
})

test('later it does not count: what passed in a second is known', () => {
  const rate = new LearntRate()
  rate.cut(0.1, 100, pass(rate, 200, 0, 3))
  expect(rate.perSecond).toBeLessThan(200)
})

test('whatever is refused then, what passes goes on passing: a limiter that counts by the second ends nothing', () => {
  const { rate, now } = learnt()
  const before = rate.perSecond
  for (let ms = 0; ms < 900; ms += 50) rate.cut(1, 0, now + ms)
  expect(rate.perSecond).toBe(before)
  rate.cut(1, 0, now + 1000)
  expect(rate.perSecond).toBeCloseTo(before * 0.95)
})

test('too high a rate comes down by halves to what passes', () => {
  const rate = new LearntRate()
  pass(rate, 3000, 0, 0.1)
  rate.cut(0.9, 0, 100)
  expect(rate.perSecond).toBeGreaterThan(2500)
  const now = pass(rate, 200, 200, 3)
  for (const expected of [1300, 700, 350, 200, 200]) {
    rate.cut(0.9, 0, now)
    expect(rate.perSecond).toBeLessThan(expected * 1.15)
  }
  expect(rate.perSecond).toBeGreaterThan(170)
})

test('known, it grows slowly up to where it was refused, then ever faster', () => {
  const { rate, now } = learnt()
  pass(rate, 200, now, 2)
  rate.cut(0.05, 0, now + 2000)
  const start = rate.perSecond
  const after = (seconds: number): number => {
    for (let i = 0; i < seconds * 10; i++) rate.grow(100)
    return rate.perSecond / start
  }
  const [four, eight, twenty] = [after(4), after(4), after(12)]
  expect(four).toBeLessThan(1.06)
  expect(eight).toBeLessThan(1.12)
  expect(twenty).toBeGreaterThan(3)
})

test('in doubt it doubles in two seconds; restored it is what it was', () => {
  const { rate } = learnt()
  const start = rate.perSecond
  rate.doubt()
  for (let i = 0; i < 20; i++) rate.grow(100)
  expect(rate.perSecond).toBeCloseTo(2 * start)
  rate.restore(start)
  expect(rate.perSecond).toBeCloseTo(2 * start)
  rate.restore(Infinity)
  expect(rate.perSecond).toBe(Infinity)
})

test('never slower than one a second', () => {
  const rate = new LearntRate()
  rate.pass(0)
  for (let now = 10_000; now < 300_000; now += 2000) rate.cut(1, 0, now)
  expect(rate.perSecond).toBe(1)
})

test('the time of a pause does not count: what passed before it is still what passes in a second', () => {
  const after = (rested: number): number => {
    const rate = new LearntRate()
    pass(rate, 200, 0, 1)
    rate.cut(0.02, 0, 1000)
    pass(rate, 200, 1000, 1.1)
    rate.cut(0.02, 0, 2100)
    pass(rate, 200, 2100, 1.2)
    rate.rested(rested)
    pass(rate, 200, 4300, 0.2)
    rate.cut(0.02, 0, 4500)
    const cut = rate.perSecond
    rate.grow(500)
    return rate.perSecond / cut
  }
  expect(after(1000)).toBeLessThan(1.05)
  // taken for a rate nobody knows yet, it doubles
  expect(after(0)).toBeGreaterThan(1.15)
})

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

import * as fc from 'fast-check'

test('as many as there were in the second before the last, to a sixteenth', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 400 }), { minLength: 1 }), fc.nat({ max: 10_000 }), (gaps, from) => {
      const counter = new LastSecond()
      const times: number[] = []
      let now = from
      for (const gap of gaps) {
        times.push((now += gap))
        counter.add(now)
      }
      expect(counter.total).toBeGreaterThanOrEqual(times.filter((time) => time > now - 937).length)
      expect(counter.total).toBeLessThanOrEqual(times.filter((time) => time > now - 1000).length)
    }),
  )
})
