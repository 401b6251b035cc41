import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { KeyMap } from './key-map.ts'

const key = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.constantFrom(64, 128, 192, 65_536, 65_600, 2 ** 32, 2 ** 33 + 64, -1, -64, Number.MAX_SAFE_INTEGER),
  fc.maxSafeInteger(),
  fc.constantFrom('7', '"a', '#1.0'),
  fc.string({ maxLength: 3 }),
)
const step = fc.tuple(fc.constantFrom('put', 'put', 'delete', 'get'), key)

it('does what a Map does, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const [map, model] = [new KeyMap<object>(), new Map<string | number, object>()]
      const entries = new Map<string | number, number>()
      for (const [what, at] of steps) {
        const entry = entries.get(at)
        const value = {}
        if (what === 'put') {
          if (entry === undefined) entries.set(at, map.add(at, value))
          else map.replace(entry, value)
          model.set(at, value)
        } else if (what === 'delete' && entry !== undefined) {
          map.delete(entry)
          entries.delete(at)
          model.delete(at)
        }
        expect(map.get(at)).toBe(model.get(at))
      }
      for (const [at, value] of model) expect(map.get(at)).toBe(value)
      expect(new Set(map.values())).toEqual(new Set(model.values()))
    }),
    { numRuns: 500 },
  )
})

it('grows and empties', () => {
  const map = new KeyMap<{ at: number }>()
  const entries: number[] = []
  for (let at = 0; at < 10_000; at++) entries.push(map.add(at * 64, { at }))
  for (let at = 0; at < 10_000; at++) expect(map.get(at * 64)?.at).toBe(at)
  for (let at = 0; at < 10_000; at += 2) map.delete(entries[at]!)
  for (let at = 0; at < 10_000; at++) expect(map.get(at * 64)?.at).toBe(at % 2 === 0 ? undefined : at)
})
