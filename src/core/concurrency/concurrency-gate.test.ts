import { expect, test } from 'vitest'
import { ConcurrencyGate } from './concurrency-gate.ts'
import { RateLimiter } from './rate-limiter.ts'
import type { Outcome } from '../types.ts'

const again = (congestion: boolean, afterMs?: number): Outcome => ({
  status: 'retry',
  cause: 'server',
  ambiguous: false,
  congestion,
  reason: 'no',
  ...(afterMs === undefined ? {} : { afterMs }),
})

test.each<[string, Outcome, boolean, number]>([
  ['delivered', { status: 'delivered' }, false, 0],
  ['too large', { status: 'too-large' }, false, 0],
  ['refused', { status: 'refused', reason: 'no' }, false, 0],
  ['a retry', again(false), false, 1],
  ['congestion', again(true), false, 1],
  ['a Retry-After of one batch', again(false, 500), false, 1],
  ['a Retry-After of the origin', again(true, 500), true, 1],
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
  expect([gate.opensAt, gate.isRateLimited(999), gate.isRateLimited(1000)]).toEqual([1000, true, false])
  gate.leave(again(true, 5000), 0)
  expect(gate.opensAt).toBe(5000)
})
