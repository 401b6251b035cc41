// What is equal stays equal, however it is spelt, up to the limits of a key.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Key } from '../core/types.ts'
import { canonicalNumberText } from '../json/decimal.ts'
import { readAtom, MOST_BYTES, rowKey, shownKey, type Atom } from './key-atom.ts'
import { mapping, recordDataOf } from './testing/records.ts'
import { KeyShapes, prefixed } from './topic-table.ts'

function atomOf(json: string): Atom {
  const atom: Atom = { exact: 0, fence: 0 }
  const bytes = Buffer.from(`:${json},`)
  const problem = readAtom(bytes, 1, bytes.length - 1, atom)
  if (problem !== undefined) throw new Error(problem)
  return atom
}

const quoted = (text: string): string => JSON.stringify(text)
/** Every code unit as an escape. */
const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
const isNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)

const part = fc.oneof(
  fc.constantFrom('x', '7', '0', 'é', '😀', '\ud83d', '\ude00', '"', '\\', '\n', '~', '-', '.', 'e', 'aé', '10'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const times = fc.oneof(fc.nat(40), fc.integer({ min: 400, max: 500 }))
const text = fc
  .tuple(fc.array(fc.tuple(part, times), { minLength: 1, maxLength: 3 }))
  .map(([parts]) => parts.map(([piece, count]) => piece.repeat(count)).join(''))

test('a text has one key, however it is spelt, and shares it with no other', () => {
  fc.assert(
    fc.property(text, text, fc.nat(), (one, other, at) => {
      const { exact, fence } = atomOf(quoted(one))
      expect(atomOf(escaped(one))).toEqual({ exact, fence })
      expect(exact).toBe(`"${one}`)
      expect(fence === exact).toBe(!isNumber(one))
      const cut = at % (one.length + 1)
      for (const changed of [
        other,
        `${one.slice(0, cut)}${one.slice(cut + 1)}`,
        `${one.slice(0, cut)}x${one.slice(cut)}`,
      ])
        expect(atomOf(quoted(changed)).exact === exact).toBe(changed === one)
    }),
    { numRuns: 15 },
  )
})

const digits = fc.tuple(fc.stringMatching(/^[1-9]\d{0,30}$/), times).map(([begin, count]) => begin + '07'.repeat(count))
const number = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -99, max: 99 })))
  .map(
    ([sign, whole, decimals, e]) =>
      `${sign}${whole}${decimals === null ? '' : `.${decimals}`}${e === null ? '' : `e${e}`}`,
  )

test('a number has the fence of its value, also in a string', () => {
  fc.assert(
    fc.property(number, fc.nat(80), (sent, by) => {
      const { exact, fence } = atomOf(sent)
      expect(fence).toBe(canonicalNumberText(sent))
      for (const same of [
        `${sent.replace(/e.*/, '')}${sent.includes('.') ? '' : '.'}${'0'.repeat(by + 1)}${/e.*/.exec(sent)?.[0] ?? ''}`,
      ])
        expect(atomOf(same).fence).toBe(fence)
      const asText = atomOf(quoted(sent))
      expect([asText.fence, atomOf(escaped(sent))]).toEqual([fence, asText])
      expect(asText.exact).not.toBe(exact)
      expect(atomOf(sent.replace(/7(?=[^7]*$)/, '8')).fence === fence).toBe(!sent.includes('7'))
      if (!/[.e]/.test(sent)) expect(exact).toBe(fence)
      else expect(exact).not.toBe(fence)
    }),
    { numRuns: 15 },
  )
})

test('a value of more than 65,536 bytes as sent is no key', () => {
  const long = (json: (length: number) => string): void => {
    expect(atomOf(json(MOST_BYTES)).exact).toBeDefined()
    expect(() => atomOf(json(MOST_BYTES + 1))).toThrow(/^has more than 65,536 bytes; choose another key$/)
  }
  long((length) => `"${'x'.repeat(length - 2)}"`)
  long((length) => `"${'x'.repeat(length - 8)}\\u00e9"`)
  long((length) => `"${'é'.repeat(2)}${'x'.repeat(length - 6)}"`)
  long((length) => '7'.repeat(length))
  long((length) => `0.${'7'.repeat(length - 2)}`)
})

test.each(['[', '{'])('what is very long and begins with %s is no key', (open) => {
  const close = open === '[' ? ']' : '}'
  expect(() => atomOf(`${open}${' '.repeat(MOST_BYTES)}${close}`)).toThrow(
    open === '[' ? 'is an array' : 'is an object',
  )
})

test('a number with an exponent beyond ±10,000 is no key, and one in a string is text', () => {
  const beyond = /^has an exponent beyond ±10,000; let it be sent as a string, or choose another key$/
  for (const number of ['1e10001', '-1E-10001', '0e10001', '1.5e+99999999999999999999', `1e${'9'.repeat(1_000)}`])
    expect(() => atomOf(number)).toThrow(beyond)
  for (const number of ['1e10000', '-1.5E-10000', '1e+0000000000000010000', '0e-10000'])
    expect(atomOf(number).exact).toBe(`#${number}`)
  expect(atomOf('"1e10001"')).toEqual({ exact: '"1e10001', fence: '1e10001' })
  expect(atomOf('"10e99999999999999999999"')).toMatchObject({ fence: '1e100000000000000000000' })
})

const one = mapping({ primaryKey: [['a']] })
const two = mapping({ primaryKey: [['a'], ['b']] })

function keyOf(map: typeof one, data: string): Key {
  const made = map(recordDataOf(data))
  if ('rejected' in made) throw new Error(made.rejected)
  return made.key as Key
}

function shown(map: typeof one, data: string): string | undefined {
  return shownKey(keyOf(map, data))
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

test.each<readonly [data: string, other: string, isOne: boolean]>([
  ['{"a":1}', '{"a":1.0}', true],
  ['{"a":1}', '{"a":"1"}', false],
  ['{"a":"1"}', '{"a":"1.0"}', false],
  ['{"a":0}', '{"a":-0}', true],
  ['{"a":9007199254740993}', '{"a":9007199254740992.0}', false],
  ['{"a":9007199254740993}', '{"a":9007199254740993.0}', true],
  ['{"a":1e400}', '{"a":10e399}', true],
  ['{"a":"#1"}', '{"a":"#1.0"}', false],
  ['{"a":1,"b":"2,"}', '{"a":1.0,"b":"2,"}', true],
  ['{"a":1,"b":"x"}', '{"a":"1","b":"x"}', false],
  ['{"a":"1","b":2e0}', '{"a":"1","b":2}', true],
  ['{"a":"12","b":3}', '{"a":"1","b":"2,3"}', false],
])('a row of key %s and one of key %s: is it one row? %s', (data, other, isOne) => {
  const shapes = new KeyShapes()
  shapes.prefix(['c'])
  const prefix = shapes.prefix(['a', 'b'])
  const map = data.includes('"b"') ? two : one
  const [key, otherKey] = [data, other].map((text) => keyOf(map, text))
  expect(rowKey(key) === rowKey(otherKey)).toBe(isOne)
  expect(rowKey(prefixed(key, prefix)) === rowKey(prefixed(otherKey, prefix))).toBe(isOne)
  expect(rowKey(prefixed(key, prefix))).not.toBe(rowKey(key))
})
