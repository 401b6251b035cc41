import { expect, test } from 'vitest'
import { Admission } from './admission.ts'
import { Pace } from './pace.ts'
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
  const admission = new Admission(new Pace(Infinity))
  admission.enter('first', 0)
  expect(admission.inFlight).toBe(1)
  expect(admission.leave(outcome, 100)).toBe(pauses)
  expect([admission.inFlight, admission.waiting]).toEqual([0, waiting])
  expect([admission.isPaused(599), admission.isPaused(600)]).toEqual([pauses, false])
  expect(admission.opensAt).toBe(pauses ? 600 : -Infinity)
  for (const expected of [0, 0]) {
    admission.enter('retry', 600)
    expect(admission.waiting).toBe(expected)
  }
})

test('it opens when pause and pace are over', () => {
  const admission = new Admission(new Pace(1))
  admission.enter('first', 0)
  admission.enter('first', 0)
  expect([admission.opensAt, admission.isPaced(999), admission.isPaced(1000)]).toEqual([1000, true, false])
  admission.leave(again(true, 5000), 0)
  expect(admission.opensAt).toBe(5000)
})
