import { expect, test } from 'vitest'
import { figure, roundedSpan } from './report-figures.ts'

test.each([
  [0, '0 s'],
  [0.4, '0.4 ms'],
  [12.4, '12.4 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [12_345, '12.3 s'],
  [60_000, '1 min'],
  [245_000, '4 min 5 s'],
  [12_000_000, '3 h 20 min'],
  [187_200_000, '2 d 4 h'],
])('%d ms is %s', (ms, words) => {
  expect(roundedSpan(ms)).toBe(words)
})

test.each([
  [0, 'count', '0'],
  [0.0052, 'count', '0.0052'],
  [950, 'count', '950'],
  [999.9, 'count', '1 k'],
  [3300, 'count', '3.3 k'],
  [1_250_000, 'count', '1.25 M'],
  [9e18, 'count', '9,000 P'],
  [0, 'bytes', '0 B'],
  [1023, 'bytes', '1,023 B'],
  [1024, 'bytes', '1 KiB'],
  [150 * 1024, 'bytes', '150 KiB'],
  [3.5 * 1024 * 1024, 'bytes', '3.5 MiB'],
  [1500, 'time', '1.5 s'],
] as const)('%d of %s is %s', (value, unit, words) => {
  expect(figure(value, unit)).toBe(words)
})
