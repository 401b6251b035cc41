import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FaultShare } from './faults.ts'
import type { OfFaults } from './faults.ts'
import { FAULTS } from './tuning.ts'

/** Answers a hundred a second times ten, evenly: one a millisecond, each begun 10 ms before. */
class Answers {
  readonly faults = new FaultShare()
  now = 1000
  isPressed = true
  #owed = 0

  /** So many answers, of which a share are faults.
   *  @returns what was found, if anything, in order */
  come(count: number, share: number, rate = Infinity, everyMs = 1): OfFaults[] {
    const found: OfFaults[] = []
    for (let i = 0; i < count; i++) {
      this.now += everyMs
      this.#owed += share
      const isFault = this.#owed >= 1
      if (isFault) this.#owed--
      const finding = this.faults.count({
        isFault,
        started: this.now - 10,
        now: this.now,
        rate,
        isPressed: this.isPressed,
      })
      if (finding !== undefined) found.push(finding)
    }
    return found
  }
}

/** A tenth of the answers are faults at a thousand a second: a limit is suspected. */
function suspected(share = 0.1): Answers {
  const answers = new Answers()
  expect(answers.come(2000, share).includes('refused')).toBe(true)
  expect(answers.come(2000, share, 810).every((found) => found === 'refused')).toBe(true)
  return answers
}

/** The same, and less was sent for nothing. */
function withBaseline(share = 0.1): Answers {
  const answers = suspected(share)
  expect(answers.come(2000, share, 500, 2)).toEqual([Infinity])
  return answers
}

test("a small share is nobody's limit", () => {
  const answers = new Answers()
  expect(answers.come(20_000, FAULTS.tolerated * 0.9)).toEqual([])
  expect(answers.faults.isMeasuring).toBe(false)
})

test('a few at once are within the allowance, more are measured, and then they are refusals', () => {
  const answers = new Answers()
  answers.come(1000, 0)
  expect([answers.come(FAULTS.atOnce, 1), answers.faults.isMeasuring]).toEqual([[], false])
  answers.come(2, 1)
  expect(answers.faults.isMeasuring).toBe(true)
  expect(answers.come(2000, 0.1).every((found) => found === 'refused')).toBe(true)
  expect(answers.faults.isMeasuring).toBe(false)
})

test('a burst that is over when it is measured was nothing', () => {
  const answers = new Answers()
  answers.come(20, 1)
  expect(answers.come(4000, 0)).toEqual([])
  expect(answers.faults.isMeasuring).toBe(false)
})

test('who sends less than it may is never asked: it cannot be too much', () => {
  const answers = new Answers()
  answers.isPressed = false
  expect(answers.come(20_000, 0.2)).toEqual([])
  expect(answers.faults.isMeasuring).toBe(false)
})

test('at seven tenths of the rate the share is the same and less gets through: it is the baseline', () => {
  const answers = withBaseline()
  expect(answers.come(5000, 0.1)).toEqual([])
  expect(answers.come(5000, 0.1 * FAULTS.margin * 0.9)).toEqual([])
})

test('after a while it is asked anew, and found anew', () => {
  const answers = withBaseline()
  expect(answers.come(15_000, 0.1).includes('refused')).toBe(true)
  answers.come(2000, 0.1, 810)
  expect(answers.come(2000, 0.1, 500, 2)).toEqual([Infinity])
})

test('above that the rate is not asked', () => {
  const answers = suspected()
  answers.come(5000, 0.1, 700)
  expect(answers.faults.isMeasuring).toBe(false)
  answers.come(5, 0.1, 600)
  expect(answers.faults.isMeasuring).toBe(true)
})

test.each([
  ['the share falls', 0.02, 500, 2],
  ['as much gets through', 0.1, 500, 1],
  ['hardly anything passes', 0.6, 500, 2],
])('it is a limit if, at less, %s', (_, share, rate, everyMs) => {
  const answers = suspected()
  expect(answers.come(3000, share, rate, everyMs).filter((found) => typeof found === 'number')).toEqual([])
})

test('a baseline that grows when more is sent was a limit, and no baseline is believed in for a minute', () => {
  const answers = withBaseline()
  expect(answers.come(2000, 0.35).includes('refused')).toBe(true)
  answers.come(1000, 0.35, 1000)
  expect(answers.come(3000, 0.35, 500, 2).includes(Infinity)).toBe(false)
})

test('a baseline that is over hides no limit that comes later', () => {
  const answers = withBaseline()
  answers.come(20_000, 0.001)
  expect(answers.come(4000, 0.1).includes('refused')).toBe(true)
})

test('an outage ends what is asked', () => {
  const answers = suspected()
  answers.come(5, 0.1, 600)
  answers.faults.stop()
  expect(answers.faults.isMeasuring).toBe(false)
})

const part = fc.record({
  count: fc.integer({ min: 1, max: 1500 }),
  share: fc.constantFrom(0, 0.005, 0.05, 0.2, 0.7, 1),
  rate: fc.constantFrom(Infinity, 5, 300, 600, 1000, 5000),
  everyMs: fc.constantFrom(0, 1, 10, 200),
  isPressed: fc.boolean(),
  stops: fc.boolean(),
})

test('whatever comes: only faults are refusals, what is restored is a rate, and without faults nothing is asked for long', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const answers = new Answers()
      for (const { count, share, rate, everyMs, isPressed, stops } of parts) {
        answers.isPressed = isPressed
        const found = answers.come(count, share, rate, everyMs)
        expect(found.filter((one) => one === 'refused').length).toBeLessThanOrEqual(Math.ceil(count * share))
        for (const one of found) if (typeof one === 'number') expect(one).toBeGreaterThan(0)
        if (!isPressed) expect(found.filter((one) => one === 'refused').length).toBeLessThanOrEqual(1)
        if (stops) {
          answers.faults.stop()
          expect(answers.faults.isMeasuring).toBe(false)
        }
      }
      answers.come(2000, 0, Infinity, 10)
      expect(answers.faults.isMeasuring).toBe(false)
    }),
    { numRuns: 50 },
  )
})
