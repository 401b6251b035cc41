import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FaultAllowance } from './faults.ts'
import { FAULTS, SECOND_MS } from './tuning.ts'

/** So many answers a second for so many seconds, a share of them faults, evenly.
 *  @returns when there was a refusal, in seconds from the first answer */
function comes(
  to: { faults: FaultAllowance; now: number },
  perSecond: number,
  share: number,
  seconds: number,
): number[] {
  const from = to.now
  const refusals: number[] = []
  for (let n = 1, owed = 0; n <= perSecond * seconds; n++) {
    to.now = from + (n * 1000) / perSecond
    owed += share
    const isFault = owed >= 1
    if (isFault) owed--
    if (to.faults.count(isFault, to.now)) refusals.push((to.now - from) / 1000)
  }
  return refusals
}

const fresh = (): { faults: FaultAllowance; now: number } => ({ faults: new FaultAllowance(), now: 1000 })

test('a few at once, and a small share for good, are chance', () => {
  const answers = fresh()
  expect(comes(answers, 1000, 1, FAULTS.atOnce / 1000)).toEqual([])
  expect(comes(answers, 1000, FAULTS.leastTolerated * 0.99, 60)).toEqual([])
})

test.each([10, 100, 1000])('at %d a second, a share up to a fifth is chance within seconds', (perSecond) => {
  const answers = fresh()
  for (const share of [0.06, 0.1, 0.2]) {
    const learns =
      (2 * FAULTS.stretches * Math.max(FAULTS.stretchMs, (FAULTS.stretchAnswers * 1000) / perSecond)) / 1000
    comes(answers, perSecond, share, learns)
    expect(comes(answers, perSecond, share, 60)).toEqual([])
  }
})

test('more than a quarter is a refusal each second, however many faults there are', () => {
  const answers = fresh()
  const refusals = comes(answers, 1000, 0.5, 20)
  expect(refusals.length).toBeGreaterThanOrEqual(19)
  expect(refusals.length).toBeLessThanOrEqual(20)
})

test('what fails only when more is sent is no chance', () => {
  const answers = fresh()
  for (let times = 0; times < 10; times++) {
    comes(answers, 100, 0, 3)
    expect(comes(answers, 120, 0.17, 3).length).toBeGreaterThan(0)
  }
})

test('what was learnt is over with the stretches it was learnt in', () => {
  const answers = fresh()
  comes(answers, 100, 0.2, 20)
  comes(answers, 100, 0, (FAULTS.stretches * FAULTS.stretchMs) / 1000 + 3)
  expect(comes(answers, 100, 0.2, 3).length).toBeGreaterThan(0)
})

const part = fc.record({
  perSecond: fc.integer({ min: 1, max: 2000 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  seconds: fc.integer({ min: 1, max: 20 }),
})

test('whatever came before: refusals are a second apart, and a fifth that stays is chance after four stretches', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const answers = fresh()
      for (const { perSecond, share, seconds } of parts) {
        const refusals = comes(answers, perSecond, share, seconds)
        for (const [index, at] of refusals.slice(1).entries())
          expect(at - refusals[index]!).toBeGreaterThanOrEqual(SECOND_MS / 1000 - 1e-6)
      }
      comes(answers, 200, 0.2, 4 * (FAULTS.stretchMs / 1000) + FAULTS.stretchAnswers)
      expect(comes(answers, 200, 0.2, 20)).toEqual([])
    }),
    { numRuns: 100 },
  )
})
