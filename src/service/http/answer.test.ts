import { expect, test } from 'vitest'
import { retryAfterMs } from './answer.ts'

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
