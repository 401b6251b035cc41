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
