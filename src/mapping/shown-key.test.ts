import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyShapes, prefixed } from './key-shapes.ts'
import { shownKey } from './shown-key.ts'
import { mapping, recordDataOf } from './testing/records.ts'
import type { Key } from '../core/types.ts'

const one = mapping({ primaryKey: [['a']] })
const two = mapping({ primaryKey: [['a'], ['b']] })

function shown(map: typeof one, data: string): string | undefined {
  const made = map(recordDataOf(data))
  if ('rejected' in made) throw new Error(made.rejected)
  return shownKey(made.key as Key)
}

test.each([
  ['7', '7'],
  ['-0', '-0'],
  ['0', '0'],
  ['1.10', '1.10'],
  ['9007199254740993', '9007199254740993'],
  ['123456789012345678901200', '123456789012345678901200'],
  ['-5e400', '-5e400'],
  ['true', 'true'],
  ['"x"', '"x"'],
  ['"12"', '"12"'],
  ['"1,2:3"', '"1,2:3"'],
  [String.raw`"a\n\"\ud800\u0000"`, String.raw`"a\n\"\ud800\u0000"`],
  ['""', '""'],
])('the key %s is shown as %s, alone and beside another', (value, text) => {
  expect(shown(one, `{"a":${value}}`)).toBe(text)
  expect(shown(two, `{"a":${value},"b":5}`)).toBe(`(${text}, 5)`)
  expect(shown(two, `{"a":"x,\\"","b":${value}}`)).toBe(String.raw`("x,\"", ${text})`)
})

test('the values of several fields are shown in the order of the names', () => {
  const turned = mapping({ primaryKey: [['b'], ['a']] })
  expect(shown(turned, '{"b":"of b","a":"of a"}')).toBe('("of a", "of b")')
})

test('a key of a shape that is not the first of its table is shown as any other', () => {
  const shapes = new KeyShapes()
  expect(shapes.prefix(['first'])).toBe('')
  const names = ['a', 'b"],[\\', '\n]']
  const of = (text: string, fields: string[]) => shownKey(prefixed(text, shapes.prefix(fields)))
  expect(of('"["a"]x', names.slice(0, 1))).toBe(String.raw`"[\"a\"]x"`)
  expect(of('1,4:"x]"', names.slice(1))).toBe(String.raw`(1, "x]\"")`)
  expect(shownKey(prefixed(5, shapes.prefix(names)))).toBe('5')
})

test('of a very long key its beginning is shown', () => {
  const long = (part: string, times = 70_000): string => part.repeat(times)
  expect(shown(one, `{"a":"${long('xy')}"}`)).toBe(`"${long('xy', 4096)}…"`)
  expect(shown(two, `{"a":"${long('xy')}","b":${long('1')}}`)).toBe(`("${long('xy', 4096)}…", "${long('1', 8192)}…")`)
})

test('no key is shown as none', () => {
  expect(shownKey(undefined)).toBeUndefined()
})

test('any texts and numbers are shown as JSON says them', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.boolean(), fc.constantFrom('1,', '2:"'))
  fc.assert(
    fc.property(value, value, (a, b) => {
      const told = [a, b].map((each) => JSON.stringify(each)).join(', ')
      expect(shown(two, JSON.stringify({ a, b }))).toBe(`(${told})`)
    }),
  )
})
