import { expect, test } from 'vitest'
import { BaselineErrorRate } from './baseline-error-rate.ts'

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
