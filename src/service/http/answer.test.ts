import * as fc from 'fast-check'
import { expect, test, describe } from 'vitest'
import { JsonPieces } from '../../json/completeness.ts'
import { retryAfterMs, beginsJson, isCutOff } from './answer.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

test.each([
  ['0', 0],
  ['7', 7_000],
  [' 120 ', 120_000],
  ['99999999999999999999999', Number.MAX_SAFE_INTEGER],
  ['Tue, 01 Jan 2030 00:01:00 GMT', 60_000],
  ['Tuesday, 01-Jan-30 00:01:00 GMT', 60_000],
  ['Tue Jan  1 00:01:00 2030', 60_000],
  ['Mon, 01 Jan 2029 00:00:00 GMT', 0],
])('%j asks for %i ms', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected)
})

test.each([undefined, '', '-5', '1.5', '1e3', '0x10', 'soon', 'Tue, later', '2030-01-01', 'NaN', '7 8'])(
  '%j is ignored',
  (value) => {
    expect(retryAfterMs(value, NOW)).toBeUndefined()
  },
)

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
