import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Timed } from './timed.ts'

test('the earliest first; of equal times the one put first', () => {
  const step = fc.option(fc.integer({ min: 0, max: 9 }), { nil: 'take' as const })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const timed = new Timed<number>()
      const naive: { at: number; item: number }[] = []
      for (const [item, at] of steps.entries()) {
        if (at === 'take') expect(timed.take()).toBe(naive.shift()?.item)
        else {
          timed.put(at, item)
          naive.push({ at, item })
          naive.sort((a, b) => a.at - b.at || a.item - b.item)
        }
        expect([timed.size, timed.nextAt]).toEqual([naive.length, naive[0]?.at ?? Infinity])
        expect(timed.lastAt).toBe(naive.at(-1)?.at ?? -Infinity)
      }
      expect([...timed].sort((a, b) => a - b)).toEqual(naive.map(({ item }) => item).sort((a, b) => a - b))
      timed.clear()
      expect([timed.size, timed.take()]).toEqual([0, undefined])
    }),
  )
})
