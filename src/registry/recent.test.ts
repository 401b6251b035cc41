import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Recent } from './recent.ts'

it('keeps what was used lately and never more than its bound', () => {
  const step = fc.record({ key: fc.nat(30), sets: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const recent = new Recent<number, string>(10)
      let used: number[] = []
      const known = new Set<number>()
      for (const { key, sets } of steps) {
        if (sets) {
          recent.set(key, `v${key}`)
          known.add(key)
        }
        const value = recent.get(key)
        if (value !== undefined) expect([known.has(key), value]).toEqual([true, `v${key}`])
        if (used.includes(key)) expect(value).toBe(`v${key}`)
        if (value !== undefined) used = [key, ...used.filter((one) => one !== key)].slice(0, 5)
        expect(recent.size).toBeLessThanOrEqual(10)
      }
    }),
  )
})

it('forgets what it is told to', () => {
  const recent = new Recent<number, string>(2)
  recent.set(1, 'a')
  recent.set(2, 'b')
  recent.delete(1)
  expect([recent.get(1), recent.get(2), recent.size]).toEqual([undefined, 'b', 1])
})
