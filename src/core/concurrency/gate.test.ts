import { expect, test } from 'vitest'
import { again } from '../testing/outcomes.ts'
import type { Outcome } from '../types.ts'
import { ConcurrencyGate } from './gate.ts'

test.each<[string, Outcome, boolean, number]>([
  ['delivered', { status: 'delivered' }, false, 0],
  ['too large', { status: 'too-large' }, false, 0],
  ['refused', { status: 'refused', reason: 'no' }, false, 0],
  ['a retry', again('server', false), false, 1],
  ['congestion', again('server', true), false, 1],
  ['a Retry-After of one batch', again('server', false, 500), false, 1],
  ['a Retry-After of the origin', again('server', true, 500), true, 1],
])('%s', (_, outcome, pauses, waiting) => {
  const gate = new ConcurrencyGate(Infinity)
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

test('it opens when pause and rate allow it', () => {
  const gate = new ConcurrencyGate(1)
  gate.enter('first', 0)
  gate.enter('first', 0)
  expect([gate.opensAt, gate.isRateLimited(1989), gate.isRateLimited(1990)]).toEqual([1990, true, false])
  gate.leave(again('server', true, 5000), 0)
  expect(gate.opensAt).toBe(5000)
})

const starts = (gate: ConcurrencyGate, from: number, to: number, everyMs: number): number => {
  const before = gate.inFlight
  for (let now = from; now < to; now += everyMs) while (!gate.isRateLimited(now)) gate.enter('first', now)
  return gate.inFlight - before
}

test.each([
  [10, 1, 100],
  [200, 1, 2000],
  [5000, 1, 50_000],
  [5000, 8, 50_000],
])('%d a second, looked at every %d ms: so many in ten seconds, 10 ms more', (rate, everyMs, expected) => {
  const count = starts(new ConcurrencyGate(rate), 1000, 11_000, everyMs)
  expect(count).toBeGreaterThanOrEqual(expected * 0.99)
  expect(count).toBeLessThanOrEqual(expected + Math.max(1, rate / 100) + 1)
})

test('without a rate nothing waits; a rate may come and go', () => {
  const gate = new ConcurrencyGate(Infinity)
  gate.enter('first', 5)
  expect(gate.opensAt).toBe(-Infinity)
  gate.setRate(1)
  gate.enter('first', 5)
  gate.enter('first', 5)
  expect(gate.opensAt).toBe(1995)
  gate.setRate(Infinity)
  expect(gate.opensAt).toBe(-Infinity)
})

test('a caller that slept for a minute is owed no burst', () => {
  const gate = new ConcurrencyGate(1000)
  gate.enter('first', 0)
  expect(starts(gate, 60_000, 60_001, 1)).toBe(11)
})
