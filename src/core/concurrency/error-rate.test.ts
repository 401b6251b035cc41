import { expect, test } from 'vitest'
import type { Outcome, RetryCause } from '../types.ts'
import { BaselineErrorRate, Window } from './error-rate.ts'

const bad = (cause: RetryCause, congestion: boolean): Outcome => ({
  status: 'retry',
  cause,
  ambiguous: false,
  congestion,
  reason: 'no',
})
const delivered: Outcome = { status: 'delivered' }
const refused: Outcome = { status: 'refused', reason: 'no' }
const throttled = bad('throttled', true)
const busy = bad('server', true)
const late = bad('timeout', true)
const fault = bad('server', false)

const filled = (counts: readonly (readonly [number, Outcome])[]): Window => {
  const window = new Window()
  window.open(0, true)
  for (const [count, outcome] of counts)
    for (let i = 0; i < count; i++) {
      window.started++
      if (outcome.status !== 'retry') window.isAlive = true
      window.count(outcome)
    }
  return window
}

test.each<[string, (readonly [number, Outcome])[], number, string]>([
  ['only successes', [[10, delivered]], 0, 'clean'],
  ['refusals of points are answers', [[10, refused]], 0, 'clean'],
  [
    'one 429 of few',
    [
      [10, delivered],
      [1, throttled],
    ],
    0,
    'congested',
  ],
  [
    'one 503 of few',
    [
      [10, delivered],
      [1, busy],
    ],
    0,
    'congested',
  ],
  [
    'one timeout of few',
    [
      [10, delivered],
      [1, late],
    ],
    0,
    'congested',
  ],
  [
    'one 429 of hundreds',
    [
      [200, delivered],
      [1, throttled],
    ],
    0,
    'uneasy',
  ],
  [
    'a lone 500',
    [
      [3, delivered],
      [1, fault],
    ],
    0,
    'clean',
  ],
  [
    'some 500s of many',
    [
      [96, delivered],
      [4, fault],
    ],
    0,
    'clean',
  ],
  [
    '500s above a tenth',
    [
      [20, delivered],
      [4, fault],
    ],
    0,
    'congested',
  ],
  ['nothing but 429', [[4, throttled]], 0, 'dead'],
  ['nothing but 500', [[1, fault]], 0, 'dead'],
  [
    'a third bad, as always',
    [
      [40, delivered],
      [20, busy],
    ],
    0.5,
    'clean',
  ],
  [
    'far more bad than always',
    [
      [20, delivered],
      [80, busy],
    ],
    0.1,
    'congested',
  ],
])('%s', (_, counts, baseline, verdict) => {
  expect(filled(counts).verdict(baseline, false)).toBe(verdict)
})

test('what succeeds although it started earlier shows that the origin is alive', () => {
  const window = filled([[4, throttled]])
  window.isAlive = true
  expect([window.verdict(0, false), window.verdict(0, true)]).toEqual(['congested', 'dead'])
})

test.each<[string, (readonly [number, Outcome])[], number, number, boolean]>([
  ['a generation', [[16, delivered]], 0, 50, true],
  ['too early', [[16, delivered]], 0, 49, false],
  ['half a generation', [[8, delivered]], 0, 1000, false],
  [
    'bad ones end it sooner',
    [
      [3, delivered],
      [1, throttled],
    ],
    0,
    50,
    true,
  ],
  ['a single one does not', [[1, throttled]], 0, 50, false],
  [
    'not when they are baseline',
    [
      [3, delivered],
      [1, throttled],
    ],
    0.5,
    50,
    false,
  ],
  ['no answer, no end', [], 0, 1000, false],
])('over: %s', (_, counts, baseline, now, isOver) => {
  expect(filled(counts).isOver(16, baseline, now)).toBe(isOver)
})

test('the share refused is one of what was sent, as refusals come sooner than successes', () => {
  const window = filled([
    [5, throttled],
    [5, delivered],
  ])
  expect(window.shed).toBe(0.5)
  window.started += 90
  expect(window.shed).toBe(0.05)
  window.open(100, false)
  expect([window.since, window.started, window.shed]).toEqual([0, 90, 0])
  window.open(200, true)
  expect([window.since, window.started]).toEqual([200, 0])
})

/** Answers for `ms`, `perSecond` of them, every `nth` bad; says whether a proof was completed. */
const play = (baseline: BaselineErrorRate, from: number, ms: number, perSecond: number, nth: number): boolean => {
  let isProven = false
  for (let i = 1; i <= (perSecond * ms) / 1000; i++)
    if (baseline.count(i % nth === 0, from + (i * 1000) / perSecond)) isProven = true
  return isProven
}

test('the same share however slow we are: a baseline, for 30 s', () => {
  const baseline = new BaselineErrorRate()
  const proofs = [1000, 500, 250, 125, 60].map((rate, i) => play(baseline, i * 1000, 1000, rate, 4))
  expect(proofs.some(Boolean)).toBe(true)
  expect(baseline.share(5000)).toBeGreaterThan(0.25)
  expect(baseline.share(5000)).toBeLessThan(0.6)
  expect(baseline.share(40_000)).toBe(0)
})

test.each<[string, (second: number) => [number, number]]>([
  // of 1,000, 500, 250 a second 200 pass
  [
    'a limiter',
    (second) =>
      [
        [250, 2],
        [220, 8],
        [205, 40],
      ][Math.min(2, second)] as [number, number],
  ],
  ['as much passes as before', () => [400, 4]],
  ['the share falls', (second) => [1000 / 2 ** second, 4 * 2 ** second]],
  ['nothing passes', (second) => [1000 / 2 ** second, 1]],
  ['rarely one', () => [1000, 200]],
])('%s: no baseline', (_, at) => {
  const baseline = new BaselineErrorRate()
  for (let second = 0; second < 8; second++) {
    const [rate, nth] = at(second)
    expect(play(baseline, second * 1000, 1000, rate, nth)).toBe(false)
  }
  expect(baseline.share(8000)).toBe(0)
})

test('refuted, it is not believed again for 30 s', () => {
  const baseline = new BaselineErrorRate()
  const fall = (from: number): boolean =>
    [1000, 500, 250, 125, 60].map((rate, i) => play(baseline, from + i * 1000, 1000, rate, 4)).some(Boolean)
  expect(fall(0)).toBe(true)
  baseline.refute(5000)
  expect(baseline.share(5000)).toBe(0)
  expect(fall(5000)).toBe(false)
  expect(fall(60_000)).toBe(true)
})
