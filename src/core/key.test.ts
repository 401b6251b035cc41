import { expect, it, test } from 'vitest'
import { KeyMap, exactOf, fenceOf } from './key.ts'

test.each([
  [1, 1, 1],
  ['a', 'a', 'a'],
  [{ exact: '1.0', fence: 1 }, '1.0', 1],
  [undefined, undefined, undefined],
])('%j is exactly %j behind fence %j', (key, exact, fence) => {
  expect([exactOf(key), fenceOf(key)]).toEqual([exact, fence])
})

import * as fc from 'fast-check'

const SEED = 4711

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
      const [map, model] = [new KeyMap<object>(SEED), new Map<string | number, object>()]
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
  const map = new KeyMap<{ at: number }>(SEED)
  const entries: number[] = []
  for (let at = 0; at < 10_000; at++) entries.push(map.add(at * 64, { at }))
  for (let at = 0; at < 10_000; at++) expect(map.get(at * 64)?.at).toBe(at)
  for (let at = 0; at < 10_000; at += 2) map.delete(entries[at]!)
  for (let at = 0; at < 10_000; at++) expect(map.get(at * 64)?.at).toBe(at % 2 === 0 ? undefined : at)
})

/** So many that looks which take as long as their number would take minutes, and the runner's limit would end it. */
const HOSTILE = 2 ** 17
const GOLDEN = 0x9e3779b1

/** Texts of one hash, for whoever knows its factor (that of before there was a seed): three characters, or three others, that
 *  lead from one state to the same next one. */
function textsOfOneHash(): string[] {
  const blocks = Math.log2(HOSTILE)
  let state = 3 * blocks
  let texts = ['']
  for (let block = 0; block < blocks; block++) {
    const [one, other, next] = meeting(state)
    texts = texts.flatMap((text) => [text + one, text + other])
    state = next
  }
  return texts
}

function meeting(state: number): [one: string, other: string, next: number] {
  const seen = new Map<number, string>()
  for (let at = 1; ; at++) {
    const bits = Math.imul(at, GOLDEN) >>> 0
    const text = String.fromCharCode(0x100 + (at & 0x3fff), 0x100 + (bits >>> 18), 0x100 + ((bits >>> 4) & 0x3fff))
    let next = state
    for (let place = 0; place < 3; place++) next = Math.imul(next ^ text.charCodeAt(place), 0x01000193)
    const other = seen.get(next)
    if (other !== undefined && other !== text) return [other, text, next]
    seen.set(next, text)
  }
}

const FLOODS: readonly (readonly [string, () => readonly (number | string)[]])[] = [
  ['texts of one hash', textsOfOneHash],
  ['numbers of one hash', () => range((high) => high * 2 ** 32 + (Math.imul(high, 0x85ebca6b) >>> 0))],
  ['numbers of one bucket', () => range((lap) => lap * HOSTILE + (-Math.imul(lap, GOLDEN) & (HOSTILE - 1)))],
  ['numbers that differ in their first bits only', () => range((at) => at * 2 ** 32)],
  ['numbers with a step', () => range((at) => at * HOSTILE)],
]

function range(key: (at: number) => number): number[] {
  return Array.from({ length: HOSTILE }, (_, at) => key(at))
}

it.each(FLOODS)('is no slower for %s', (_, keysOf) => {
  const keys = keysOf()
  expect(new Set(keys).size).toBe(HOSTILE)
  const map = new KeyMap<object>(SEED)
  const value = {}
  for (const key of keys) map.add(key, value)
  for (let round = 0; round < 30; round++)
    if (keys.some((key) => map.get(key) === undefined)) expect.fail('one is lost')
})
