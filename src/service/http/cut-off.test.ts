import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { JsonPieces } from '../../json/unfinished.ts'
import { beginsJson, isCutOff } from './cut-off.ts'

const OBJECT = '{'
const EITHER = '{['

/** White space where JSON allows it, since JSON.stringify writes none. */
const objects = fc
  .record({
    value: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })),
    indent: fc.constantFrom(0, 1, 4),
    before: fc.constantFrom('', ' ', '\r\n\t ', '\uFEFF', '\uFEFF\n'),
  })
  .map(({ value, indent, before }) => ({ before, text: JSON.stringify(value, null, indent) }))

test('each beginning of an object is one, wherever it is cut, and the whole object is none', () => {
  fc.assert(
    fc.property(objects, ({ before, text }) => {
      const bytes = Buffer.from(before + text)
      const first = Buffer.byteLength(before)
      for (let end = first + 1; end < bytes.length; end++) {
        if (!beginsJson(bytes.subarray(0, end), OBJECT)) return false
      }
      return !beginsJson(bytes, OBJECT)
    }),
    { numRuns: 300 },
  )
})

test('what stands behind a whole object, or in an object where nothing may, is no beginning', () => {
  fc.assert(
    fc.property(objects, fc.constantFrom('x', '{', '}', ',', '\0'), ({ before, text }, garbage) => {
      expect(beginsJson(Buffer.from(`${before}${text}${garbage}`), OBJECT)).toBe(false)
      expect(beginsJson(Buffer.from(`${before}{${garbage === '}' ? ']' : garbage} `), OBJECT)).toBe(false)
    }),
    { numRuns: 200 },
  )
})

describe.each<[boolean, (string | Uint8Array)[]]>([
  [
    true,
    [
      '{',
      ' \r\n{',
      '{"code":200,"mess',
      '{"a":"\\',
      '{"a":"\\u00f',
      '{"a":"\\ud83d',
      Buffer.from('{"a":"é').subarray(0, -1),
      Buffer.from('{"é":1').subarray(0, 3),
      '{"a"',
      '{"a":',
      '{"a":-',
      '{"a":1',
      '{"a":1.',
      '{"a":1e',
      '{"a":t',
      '{"a":fals',
      '{"a":[nul',
      '{"a":{"b":null},"c":true',
      '{"a":[[[[',
      `{"a":${'['.repeat(100_000)}`,
      // The first bytes of a byte order mark, which may stand before an object.
      Buffer.of(0xef),
      Buffer.of(0xef, 0xbb),
      Buffer.of(0xef, 0xbb, 0xbf),
      Buffer.of(0xef, 0xbb, 0xbf, 0x7b),
    ],
  ],
  [
    false,
    [
      '',
      ' \r\n',
      '{}',
      '{"a":1} \n',
      '{"a":1}x',
      '{}{',
      '[{"a":',
      '"a',
      'tru',
      '4',
      '<html><title>Sign in',
      '{<',
      '{a',
      "{'a",
      '{,',
      '{"a":1,}',
      '{"a":01',
      '{"a":tx',
      '{"a":1 tr',
      '{"a":tr}',
      '{"a":NaN',
      '{"a":"\n',
      '{"a":"\\x',
      '{"a":"\\u00g',
      '{"a" "b',
      '{"a":[1}',
      '{{ template }}',
    ],
  ],
])('%j:', (expected, bodies) => {
  test.each(bodies)('the beginning of an object? %j', (body) => {
    expect(beginsJson(Buffer.from(body), OBJECT)).toBe(expected)
  })
})

test.each([
  ['[', true],
  ['[{"id":7,"status":"comp', true],
  ['{"id":', true],
  ['[]', false],
  ['[1,2]x', false],
  ['(1', false],
])('the beginning of an object or an array? %j: %j', (body, expected) => {
  expect(beginsJson(Buffer.from(body), EITHER)).toBe(expected)
})

test.each([
  ['{"a":["x', OBJECT, true],
  ['{"a":[{}', OBJECT, true],
  ['{"a":"}', OBJECT, true],
  ['[{}', OBJECT, false],
  ['[{}', EITHER, true],
  ['[{}]', EITHER, false],
  ['{"a":1}', EITHER, false],
  ['{"a"]', EITHER, false],
  ['  ', EITHER, false],
] as const)('a body that is longer than what is kept is judged as a whole: %j, %j: %j', (text, openings, isLost) => {
  const bytes = Buffer.from(text)
  const body = bytes.subarray(0, 1)
  const json = new JsonPieces().add(bytes)
  const answer = { status: 200, headers: {}, body, length: bytes.length, json, end: 'whole' } as const
  expect(isCutOff(answer, openings)).toBe(isLost)
})
