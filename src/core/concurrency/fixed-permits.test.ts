import { expect, test } from 'vitest'
import { again, delivered } from '../testing/outcomes.ts'
import type { Outcome } from '../types.ts'
import { FixedPermits } from './fixed-permits.ts'

const throttled = (afterMs?: number, congestion = true): Outcome => again('throttled', congestion, afterMs)

test('no more attempts than the limit; each given back may be taken again', () => {
  const permits = new FixedPermits({ limit: 2 })
  expect([1, 2, 3].map(() => permits.take('first', 0))).toEqual([true, true, false])
  expect(permits.take('retry', 0)).toBe(false)
  expect(permits.nextChange(0)).toBeUndefined()
  permits.give(delivered, 10, 10)
  expect([permits.take('retry', 10), permits.take('first', 10)]).toEqual([true, false])
})

test.each<[string, Outcome, boolean, number]>([
  ['delivered', delivered, false, 0],
  ['too large', { status: 'too-large' }, false, 0],
  ['refused', { status: 'refused', reason: 'no' }, false, 0],
  ['a retry', again('server', false), false, 1],
  ['congestion', again('server', true), false, 1],
  ['a Retry-After of one batch', again('server', false, 500), false, 1],
  ['a Retry-After of the origin', again('server', true, 500), true, 1],
])('%s', (_, outcome, pauses, waiting) => {
  const permits = new FixedPermits({ limit: 9 })
  permits.take('first', 0)
  expect(permits.inFlight).toBe(1)
  expect(permits.give(outcome, 100, 100)).toBe(pauses)
  expect([permits.inFlight, permits.waiting]).toEqual([0, waiting])
  expect([permits.take('retry', 599), permits.nextChange(599)]).toEqual(pauses ? [false, 600] : [true, undefined])
  for (let nth = 0; nth < 2; nth++) permits.take('retry', 600)
  expect(permits.waiting).toBe(0)
})

test('the longest Retry-After pauses every attempt until it is over', () => {
  const permits = new FixedPermits({ limit: 4 })
  for (const afterMs of [500, 2000, 100]) {
    permits.take('first', 0)
    permits.give(throttled(afterMs), 1, 100)
  }
  expect([permits.take('first', 2099), permits.take('retry', 2099)]).toEqual([false, false])
  expect(permits.nextChange(2099)).toBe(2100)
  expect(permits.take('retry', 2100)).toBe(true)
  expect(permits.nextChange(2100)).toBeUndefined()
})

test('first attempts wait while as many batches as permits wait for their retry', () => {
  const permits = new FixedPermits({ limit: 2 })
  for (let i = 0; i < 2; i++) permits.take('first', 0)
  for (let i = 0; i < 2; i++) permits.give(throttled(), 1, 0)
  expect(permits.take('first', 0)).toBe(false)
  expect(permits.take('retry', 0)).toBe(true)
  permits.give(delivered, 1, 0)
  expect(permits.take('first', 0)).toBe(true)
})

const starts = (permits: FixedPermits, from: number, to: number, everyMs: number): number => {
  const before = permits.inFlight
  for (let now = from; now < to; now += everyMs) while (permits.take('retry', now)) continue
  return permits.inFlight - before
}

test.each([
  [10, 1, 100],
  [200, 1, 2000],
  [5000, 1, 50_000],
  [5000, 8, 50_000],
])('%d a second, looked at every %d ms: so many in ten seconds, 10 ms more', (perSecond, everyMs, expected) => {
  const permits = new FixedPermits({ limit: Infinity, perSecond })
  const count = starts(permits, 1000, 11_000, everyMs)
  expect(count).toBeGreaterThanOrEqual(expected * 0.99)
  expect(count).toBeLessThanOrEqual(expected + Math.max(1, perSecond / 100) + 1)
  // a caller that slept for a minute is owed no burst
  expect(starts(permits, 71_000, 71_001, 1)).toBe(Math.floor(1 + perSecond / 100))
})

test('the rate spaces attempts, retries too, and may come and go', () => {
  let learnt = Infinity
  const permits = new FixedPermits({ limit: 100 }, () => learnt)
  expect([permits.take('first', 5), permits.take('first', 5), permits.nextChange(5)]).toEqual([true, true, undefined])
  learnt = 1
  expect([permits.take('first', 5), permits.take('retry', 5), permits.nextChange(5)]).toEqual([true, false, 995])
  expect([permits.take('retry', 994), permits.take('retry', 995)]).toEqual([false, true])
  learnt = Infinity
  expect([permits.take('first', 995), permits.nextChange(995)]).toEqual([true, undefined])
})
