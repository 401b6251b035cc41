import { expect, test } from 'vitest'
import { acknowledges, isCutOff, piecesOf, retryAfterMs } from './answer.ts'

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

// where an object may break off: src/json/completeness.test.ts
test.each<[string | Uint8Array, typeof OBJECT | typeof EITHER, boolean]>([
  ['{"a":["x', OBJECT, true],
  [' \r\n{', OBJECT, true],
  ['{"a":1}x', OBJECT, false],
  ['{"a":1} \n', OBJECT, false],
  ['{"a":"}', OBJECT, true],
  ['tru', OBJECT, false],
  ['<html><title>Sign in', OBJECT, false],
  ['[{}', OBJECT, false],
  ['[{"id":7,"status":"comp', EITHER, true],
  ['[{}]', EITHER, false],
  ['{"a":1}', EITHER, false],
  ['{"a"]', EITHER, false],
  ['(1', EITHER, false],
  ['  ', EITHER, false],
  ['', EITHER, false],
  // a byte order mark may stand before an object
  [Buffer.of(0xef), OBJECT, true],
  [Buffer.of(0xef, 0xbb), OBJECT, true],
  [Buffer.of(0xef, 0xbb, 0xbf), OBJECT, true],
  [Buffer.of(0xef, 0xbb, 0xbf, 0x7b), OBJECT, true],
  ['\uFEFF\n{}', OBJECT, false],
  ['\uFEFF\n', OBJECT, false],
])('a body that ends with its connection: %j, %j: %j', (text, openings, isLost) => {
  const body = Buffer.from(text as string)
  const answer = { status: 200, headers: {}, body, length: body.length, json: undefined, end: 'whole' } as const
  expect(isCutOff(answer, openings)).toBe(isLost)
  if (isLost) expect(acknowledges(answer)).toBe(false)
  // longer than what is kept
  const longer = { ...answer, body: body.subarray(0, 4), json: piecesOf(body) }
  expect(isCutOff(longer, openings)).toBe(isLost)
})
