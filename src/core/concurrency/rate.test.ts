import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LastSecond, LearntRate } from './rate.ts'
import { DOUBTED_MS, RATE, SECOND_MS } from './tuning.ts'

/** `perSecond` attempts pass for `seconds`, evenly, each begun as it passes. */
const pass = (rate: LearntRate, perSecond: number, from: number, seconds: number): number => {
  for (let i = 0; i < perSecond * seconds; i++) {
    const at = from + (i * 1000) / perSecond
    rate.pass(at, at)
  }
  return from + seconds * 1000
}

const cut = (rate: LearntRate, inFlight: number, now: number, costMs = 0): void =>
  rate.cut(inFlight, now, { cause: '429', isSuspected: false, costMs })

/** 200 a second have passed for three seconds when one is refused. */
const learnt = (): { rate: LearntRate; now: number } => {
  const rate = new LearntRate()
  const now = pass(rate, 200, 0, 3)
  // what is in flight counts in the first second only
  cut(rate, 100, now)
  return { rate, now }
}

/** Attempts wait for the rate, and all pass. */
const wait = (rate: LearntRate, ms: number, from: number): number => {
  let owed = 0
  for (let now = from; now < from + ms; now += 10) {
    owed += rate.perSecond / 100
    for (; owed >= 1; owed--) rate.pass(now, now)
    rate.waited(10, now)
  }
  return rate.perSecond
}

test('nothing is learnt before a refusal, nor from refusals alone', () => {
  const rate = new LearntRate()
  cut(rate, 0, 10)
  expect(rate.perSecond).toBe(Infinity)
  pass(rate, 100, 0, 1)
  rate.waited(1000, 1000)
  expect(rate.perSecond).toBe(Infinity)
})

test('a refusal leaves nine tenths of what passes, and is kept in words', () => {
  const { rate, now } = learnt()
  expect(rate.perSecond).toBeCloseTo(180, -0.5)
  expect([rate.refusal?.cause, rate.cutAt]).toEqual(['429', now])
})

test('a refusal in the first round trip: what is in flight passes as well, as refusals come first', () => {
  const rate = new LearntRate()
  for (let i = 0; i < 3; i++) rate.pass(0, 50)
  cut(rate, 12, 51)
  expect(rate.perSecond).toBeCloseTo(270)
})

test('nothing is cut twice: a limiter that counts by the second refuses all in the rest of one, whatever the rate', () => {
  const { rate, now } = learnt()
  const before = rate.perSecond
  for (let ms = 0; ms < 900; ms += 50) {
    rate.pass(now - 1, now + ms)
    cut(rate, 0, now + ms)
  }
  expect(rate.perSecond).toBe(before)
  cut(rate, 0, pass(rate, 150, now + 900, 2))
  expect(rate.perSecond).toBeCloseTo(135, -0.5)
})

/** Cuts again and again, 200 a second passing. */
const cuts = (rate: LearntRate, from: number, count: number): number[] => {
  let now = from
  return Array.from({ length: count }, () => {
    now = pass(rate, 200, now, 2)
    cut(rate, 0, now)
    return Math.round(rate.perSecond / 10) * 10
  })
}

test('too high a rate comes down by halves to what passes', () => {
  const rate = new LearntRate()
  cut(rate, 0, pass(rate, 2000, 0, 2))
  expect(rate.perSecond).toBeCloseTo(1800, -1.5)
  expect(cuts(rate, 2000, 4)).toEqual([810, 360, 180, 160])
})

test('within the first second it does so at once: what passed so far is of less', () => {
  const rate = new LearntRate()
  pass(rate, 3000, 0, 0.1)
  cut(rate, 0, 100)
  expect(rate.perSecond).toBeCloseTo(2700, -2)
  cut(rate, 0, pass(rate, 300, 100, 0.5))
  expect(rate.perSecond).toBeCloseTo((450 / 0.6) * RATE.keptOfPassing, -1)
})

test.each([
  [3, 1.01],
  [6.4, 1.1],
  [12.4, 2],
  [18.4, 10],
])('it grows slowly at first and then ever faster: after %d s %d times', (seconds, factor) => {
  const { rate, now } = learnt()
  const at = pass(rate, 200, now, 2)
  cut(rate, 0, at)
  const before = rate.perSecond
  expect(wait(rate, seconds * 1000, at) / before / factor).toBeCloseTo(1, 1)
})

test('a refusal that costs sixteen seconds makes it grow four times as slowly', () => {
  const { rate, now } = learnt()
  const at = pass(rate, 200, now, 2)
  cut(rate, 0, at, 16 * SECOND_MS)
  const before = rate.perSecond
  expect(wait(rate, 4 * 6400, at) / before).toBeCloseTo(1.1, 1)
})

test('it does not grow beyond twice of what passes: what hangs is not answered yet', () => {
  const { rate, now } = learnt()
  for (let at = now; at < now + 40_000; at += 10) {
    if (at % 10 === 0) rate.pass(at, at)
    rate.waited(10, at)
  }
  expect(rate.perSecond).toBeLessThan(100 * RATE.mostAhead + 40 * RATE.step + 200)
})

test('it is forgotten once nothing waited for it in a minute in which requests passed', () => {
  const { rate, now } = learnt()
  rate.pass(now, now + DOUBTED_MS)
  rate.waited(10, now + DOUBTED_MS)
  rate.pass(now, now + 2 * DOUBTED_MS)
  expect(rate.perSecond).toBeLessThan(200)
  rate.pass(now, now + 2 * DOUBTED_MS + 1)
  expect(rate.perSecond).toBe(Infinity)
})

test('a small rate grows by a quarter of an attempt a second in each second, in steps of any length', () => {
  const rates = [10, 100, 1000].map((ms) => {
    const rate = new LearntRate()
    rate.pass(0, 0)
    let now = 10_000
    for (; rate.perSecond > 1; now += 2000) {
      rate.pass(now, now)
      cut(rate, 0, now)
    }
    rate.pass(now, now)
    cut(rate, 0, now)
    for (const end = now + 2000; now < end; now += ms) {
      rate.pass(now, now)
      rate.waited(ms, now)
    }
    return rate.perSecond
  })
  for (const rate of rates) expect(rate).toBeGreaterThanOrEqual(1.5)
})

test('a pause makes the last second show less than passes: at most half is cut', () => {
  const { rate, now } = learnt()
  pass(rate, 200, now, 2)
  const before = rate.perSecond
  pass(rate, 200, now + 3000, 0.2)
  cut(rate, 0, now + 3200)
  expect(rate.perSecond).toBeCloseTo(before * RATE.keptAtLeast * RATE.keptOfPassing, 0)
})

test('a cut by what may be chance, after which nothing passed until an outage was over, is taken back; no other', () => {
  for (const isOutage of [true, false])
    for (const isSuspected of [true, false]) {
      const { rate, now } = learnt()
      const before = rate.perSecond
      const at = pass(rate, before, now, 2)
      rate.cut(0, at, { isSuspected, costMs: 0 })
      if (isOutage) rate.endOutage(at + 5000)
      else rate.endPause(at + 5000)
      expect(rate.perSecond / before).toBeCloseTo(isOutage && isSuspected ? 1 : RATE.keptOfPassing, 1)
    }
})

const pause = (seconds: number) => ({ isSuspected: false, costMs: seconds * 1000, isPause: true })

test('after a pause no more is sent than passed in the second before it: all is answered by then', () => {
  const rate = new LearntRate()
  for (let nth = 0; nth < 3; nth++) rate.pass(0, 25)
  rate.cut(13, 25, pause(20))
  expect(rate.perSecond).toBeGreaterThan(200)
  rate.pass(0, 26)
  rate.endPause(20_025)
  expect(rate.perSecond).toBeCloseTo(4 * RATE.keptOfPassing, 0)
})

test('what is refused before anything passed is learnt at the end of its pause', () => {
  const rate = new LearntRate()
  rate.cut(16, 25, pause(20))
  for (let nth = 0; nth < 4; nth++) rate.pass(0, 26)
  expect(rate.perSecond).toBe(Infinity)
  rate.endPause(20_025)
  expect(rate.perSecond).toBeCloseTo(4 * RATE.keptOfPassing, 0)
  expect(rate.since).toBe(20_025)
})

test.each([
  [20, 40, 0.9],
  [20, 10, 0.81],
  [20, 2, 0.5],
])('a pause of %d s that comes %d s after the last: %d of the rate are left', (costs, after, left) => {
  const { rate, now } = learnt()
  rate.endPause(now)
  const before = rate.perSecond
  rate.cut(0, pass(rate, before, now, after), pause(costs))
  expect(rate.perSecond / before).toBeCloseTo(left, 1)
})

test.each([0, 1000])('a refusal that costs %d ms in the very moment in which a pause ends leaves a rate', (costMs) => {
  const { rate, now } = learnt()
  rate.endPause(now)
  const before = rate.perSecond
  rate.pass(now, now)
  rate.cut(0, now, { isSuspected: false, costMs })
  expect(rate.perSecond / before).toBeGreaterThan(0.2)
  expect(rate.perSecond).toBeLessThan(before)
})

test('what passed is counted in the last second, to a sixteenth', () => {
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

test('the count of the last second is unbiased, wherever in a slot it is looked at', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 2000 }), fc.double({ min: 0, max: 1000, noNaN: true }), (rate, from) => {
      const counter = new LastSecond()
      for (let i = 0; i < 3 * rate; i++) counter.add(from + (i * 1000) / rate)
      // an event more or less
      expect(Math.abs(counter.perSecond - rate)).toBeLessThanOrEqual(1.2)
    }),
  )
})
