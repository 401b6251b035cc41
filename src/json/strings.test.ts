import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeString, singleLine } from './strings.ts'

function decoded(json: string): string {
  const bytes = Buffer.from(`xx${json}yy`)
  return decodeString(bytes, 3, bytes.length - 3)
}

test('gives what JSON.parse gives, lone surrogates too', () => {
  // Code units in any order: lone surrogates included.
  const text = fc.array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0x22, 0x5c, 10, 0x41, 0xd83d, 0xde00)), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(text, fc.infiniteStream(fc.nat(3)), (units, how) => {
      // 0: escape whatever can be; else as JSON.stringify writes it.
      const json = units.map((unit) => {
        const escaped = `\\u${unit.toString(16).padStart(4, '0')}`
        return how.next().value === 0 || (unit >= 0xd800 && unit <= 0xdfff)
          ? escaped
          : JSON.stringify(String.fromCharCode(unit)).slice(1, -1)
      })
      expect(decoded(`"${json.join('')}"`)).toBe(JSON.parse(`"${json.join('')}"`))
    }),
    { numRuns: 3000 },
  )
})

test.each([
  ['""', ''],
  ['"plain"', 'plain'],
  ['"Zoë 日本 😀"', 'Zoë 日本 😀'],
  ['"\\ud83d\\ude00"', '😀'],
  ['"é\\u00e9\\/"', 'éé/'],
  ['"\\b\\f\\n\\r\\t\\"\\\\"', '\b\f\n\r\t"\\'],
  ['"\\u0000"', '\0'],
])('%s', (json, text) => {
  expect(decoded(json)).toBe(text)
})

test('two different lone surrogates stay different', () => {
  expect(decoded('"\\ud800"')).not.toBe(decoded('"\\ud801"'))
  expect(decoded('"\\ud800"')).not.toBe(decoded('"\ufffd"'))
})

test('a backslash behind the range is not seen', () => {
  expect(decodeString(Buffer.from('a\\nb\\n'), 0, 4)).toBe('a\nb')
  expect(decodeString(Buffer.from('ab\\n'), 0, 2)).toBe('ab')
})

test('a text of very many escapes', () => {
  const text = 'a"\n'.repeat(5000)
  expect(decoded(JSON.stringify(text))).toBe(text)
})

/** What a terminal obeys beyond ASCII, DEL with it: controls (U+009B begins a sequence), and marks that turn the writing direction. */
const OBEYED = Array.from('\u007f\u0080\u0085\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069')

test('whatever is in it, it is one line for every reader, no terminal obeys it, and it is the same value', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\r', '\u00a0', '\u200d', '😀', ...OBEYED) })
  fc.assert(
    // not an object's names: JSON.parse of Node 24.21 may take an escaped name for one that another object had in its place
    fc.property(fc.array(text), (value) => {
      const line = singleLine(value)
      expect(line).not.toMatch(new RegExp(`[\n\r${OBEYED.join('')}]`))
      expect(JSON.parse(line)).toEqual(value)
    }),
  )
})
