import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentFacts } from './recent-facts.ts'
import { facts } from './testing/facts.ts'

test('a rate begins with the second snapshot', () => {
  const recent = new RecentFacts(5000)
  expect([recent.newest, recent.since]).toEqual([undefined, undefined])
  const first = facts({ at: 1 })
  recent.add(first)
  expect([recent.newest, recent.since]).toEqual([first, undefined])
})

test('it looks back over the whole span, and no further than it must', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 2, maxLength: 40 }), (steps) => {
      const recent = new RecentFacts(5000)
      const times = steps.map((_, index) => steps.slice(0, index + 1).reduce((sum, step) => sum + step, 0))
      for (const at of times) recent.add(facts({ at }))
      const last = times.at(-1)!
      expect(recent.newest!.at).toBe(last)
      const expected = times.findLast((at) => at <= last - 5000) ?? times[0]
      expect(recent.since!.at).toBe(expected)
    }),
  )
})
