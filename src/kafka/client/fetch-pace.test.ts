import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { FetchPace } from './fetch-pace.ts'
import { answerBytes } from '../log/testing/log.ts'

const NOTHING = answerBytes(1, [[{ batches: Buffer.alloc(0) }, { batches: Buffer.alloc(0) }]])
const SOMETHING = answerBytes(1, [[{ batches: Buffer.alloc(0) }, { batches: Buffer.alloc(70) }]])

it('never lets fetches that bring nothing follow each other in less than 50 ms, and holds no other', () => {
  const steps = fc.array(fc.record({ answer: fc.constantFrom(NOTHING, SOMETHING), took: fc.nat(120) }))
  fc.assert(
    fc.property(steps, (all) => {
      let now = 1_000
      const pace = new FetchPace(() => now)
      expect(pace.asked()).toBe(0)
      for (const { answer, took } of all) {
        now += took
        pace.answered(answer)
        const rest = pace.asked()
        expect(rest).toBe(answer === NOTHING ? Math.max(0, 50 - took) : 0)
        now += rest
      }
    }),
  )
})

it('takes an answer without partitions for one that brings nothing, and none of an answer that is cut', () => {
  const pace = new FetchPace(() => 0)
  pace.asked()
  pace.answered(answerBytes(1, []))
  expect(pace.asked()).toBe(50)
  pace.answered(NOTHING.subarray(0, -10))
  expect(pace.asked()).toBe(0)
})
