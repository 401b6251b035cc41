import { expect, test } from 'vitest'
import { again, delivered } from '../testing/outcomes.ts'
import type { Outcome } from '../types.ts'
import { ConcurrencyGate, FixedPermits } from './gate.ts'
import { RateLimiter } from './rate.ts'

const throttled = (afterMs?: number, congestion = true): Outcome => again('throttled', congestion, afterMs)

test('no more attempts than the limit; each given back may be taken again', () => {
  const permits = new FixedPermits({ limit: 2 })
  expect([1, 2, 3].map(() => permits.take('first', 0))).toEqual([true, true, false])
  expect(permits.take('retry', 0)).toBe(false)
  expect(permits.nextChange(0)).toBeUndefined()
  permits.give(delivered, 10, 10)
  expect([permits.take('retry', 10), permits.take('first', 10)]).toEqual([true, false])
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

test('without Retry-After, or when only one batch is meant, nothing is paused', () => {
  const permits = new FixedPermits({ limit: 4 })
  for (const outcome of [throttled(), throttled(5000, false)]) {
    permits.take('first', 0)
    permits.give(outcome, 1, 0)
  }
  expect([permits.nextChange(0), permits.take('first', 0)]).toEqual([undefined, true])
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

test('refusals and 413s of any number keep no permit: who ends in a reject comes for no retry', () => {
  const permits = new FixedPermits({ limit: 1 })
  for (let i = 0; i < 10; i++) {
    for (const outcome of [{ status: 'too-large' }, { status: 'refused', reason: 'no' }] as const) {
      expect(permits.take('first', 0)).toBe(true)
      permits.give(outcome, 1, 0)
    }
  }
  // the halves of a split come as retries that nobody counted
  expect(permits.take('retry', 0)).toBe(true)
})

test('the rate spaces attempts, retries too; of what was not used ten milliseconds are made up for', () => {
  const permits = new FixedPermits({ limit: 100, perSecond: 10 })
  for (const now of [1000, 60_000]) {
    expect([permits.take('first', now), permits.take('retry', now)]).toEqual([true, false])
    expect(permits.nextChange(now)).toBe(now + 90)
    expect([permits.take('retry', now + 89), permits.take('retry', now + 90)]).toEqual([false, true])
    expect(permits.take('first', now + 189)).toBe(false)
  }
})

test.each<[string, Outcome, boolean, number]>([
  ['delivered', { status: 'delivered' }, false, 0],
  ['too large', { status: 'too-large' }, false, 0],
  ['refused', { status: 'refused', reason: 'no' }, false, 0],
  ['a retry', again('server', false), false, 1],
  ['congestion', again('server', true), false, 1],
  ['a Retry-After of one batch', again('server', false, 500), false, 1],
  ['a Retry-After of the origin', again('server', true, 500), true, 1],
])('%s', (_, outcome, pauses, waiting) => {
  const gate = new ConcurrencyGate(new RateLimiter(Infinity))
  gate.enter('first', 0)
  expect(gate.inFlight).toBe(1)
  expect(gate.leave(outcome, 100)).toBe(pauses)
  expect([gate.inFlight, gate.waiting]).toEqual([0, waiting])
  expect([gate.isPaused(599), gate.isPaused(600)]).toEqual([pauses, false])
  expect(gate.opensAt).toBe(pauses ? 600 : -Infinity)
  for (const expected of [0, 0]) {
    gate.enter('retry', 600)
    expect(gate.waiting).toBe(expected)
  }
})

test('it opens when pause and rate limiter allow it', () => {
  const gate = new ConcurrencyGate(new RateLimiter(1))
  gate.enter('first', 0)
  gate.enter('first', 0)
  expect([gate.opensAt, gate.isRateLimited(1989), gate.isRateLimited(1990)]).toEqual([1990, true, false])
  gate.leave(again('server', true, 5000), 0)
  expect(gate.opensAt).toBe(5000)
})
