import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { logicalBytes, logicalNumber } from './avro-logical.ts'
import { dateText, timestampText, timeText } from './avro-time.ts'

// those that are known: avro-decoder.test.ts
test.each([
  [{ logicalType: 'timestamp-picos' }, 'long'],
  [{ logicalType: null }, 'long'],
  [{ logicalType: { toString: 1 } }, 'long'],
  [{ logicalType: 'timestamp-millis' }, 'int'],
  [{ logicalType: 'date' }, 'long'],
  [{ logicalType: 'time-millis' }, 'long'],
  [{ logicalType: 'time-micros' }, 'int'],
] as const)('%j on %s is ignored', (definition, type) => {
  expect(logicalNumber(type, definition)).toBe(logicalNumber(type, {}))
})

test.each([
  [{ logicalType: 'uuid' }, undefined],
  [{ logicalType: 'uuid' }, 15],
  [{ logicalType: 'duration' }, 16],
  [{ logicalType: 'big-decimal' }, 16],
  [{ logicalType: 'decimal' }, undefined],
  [{ logicalType: 'decimal', precision: '4' }, undefined],
  [{ logicalType: 'decimal', precision: 4.5 }, undefined],
  [{ logicalType: 'decimal', precision: 0 }, undefined],
  [{ logicalType: 'decimal', precision: 2 ** 31 }, undefined],
  [{ logicalType: 'decimal', precision: 4, scale: 5 }, undefined],
  [{ logicalType: 'decimal', precision: 4, scale: -1 }, undefined],
  [{ logicalType: 'decimal', precision: 4, scale: null }, undefined],
  [{ logicalType: 'decimal', precision: 19 }, 8],
  [{ logicalType: 'decimal', precision: 1 }, 0],
])('%j on bytes, or a fixed of %s, is ignored', (definition, size) => {
  expect(logicalBytes(definition, size)).toBe(logicalBytes({}, size))
})

// within the range of Date: below
test.each([
  [-719_529, '-0001-12-31'],
  [2_932_896, '9999-12-31'],
  [2_932_897, '+10000-01-01'],
  [2_147_483_647, '+5881580-07-11'],
  [-2_147_483_648, '-5877641-06-23'],
])('day %d is %s', (days, text) => {
  expect(dateText(days)).toBe(text)
})

test.each([
  [0, 3, '00:00:00.000'],
  [45_296_789, 3, '12:34:56.789'],
  [86_399_999, 3, '23:59:59.999'],
  [1, 6, '00:00:00.000001'],
  [45_296_789_012, 6, '12:34:56.789012'],
  [86_399_999_999, 6, '23:59:59.999999'],
  [86_400_000, 3, undefined],
  [86_400_000_000, 6, undefined],
  [-1, 3, undefined],
])('%d units of 10^-%d seconds are %s', (units, digits, text) => {
  expect(timeText(units, digits)).toBe(text)
})

test.each([
  [-1n, 6, '1969-12-31T23:59:59.999999'],
  [951_782_400_000_000n, 6, '2000-02-29T00:00:00.000000'],
  [-2_203_891_200_000_001n, 6, '1900-02-28T23:59:59.999999'],
  [1_795_264_496_789_012_345n, 9, '2026-11-21T12:34:56.789012345'],
  [-86_400_000_000_000n, 9, '1969-12-31T00:00:00.000000000'],
  [-86_400_000_000_001n, 9, '1969-12-30T23:59:59.999999999'],
  [2n ** 63n - 1n, 9, '2262-04-11T23:47:16.854775807'],
  [2n ** 63n - 1n, 6, '+294247-01-10T04:00:54.775807'],
  [-(2n ** 63n), 6, '-290308-12-21T19:59:05.224192'],
  [2n ** 63n - 1n, 3, '+292278994-08-17T07:12:55.807'],
  [-(2n ** 63n), 3, '-292275055-05-16T16:47:04.192'],
])('%d units of 10^-%d seconds since 1970 are %s', (units, digits, text) => {
  expect(timestampText(units, digits)).toBe(text)
  if (units === BigInt(Number(units)) && Number.isSafeInteger(Number(units))) {
    expect(timestampText(Number(units), digits)).toBe(text)
  }
})

test('the same as Date where Date goes', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (millis) => {
      const iso = new Date(millis).toISOString().slice(0, -1)
      expect(timestampText(millis, 3).replace(/^([+-])/, '$1')).toBe(iso.replace(/^([+-])0{0,2}(?=\d{4})/, '$1'))
    }),
    { numRuns: 3000 },
  )
})

test('a number and a bigint are the same point in time', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.constantFrom(3, 6, 9), (units, digits) => {
      expect(timestampText(units, digits)).toBe(timestampText(BigInt(units), digits))
    }),
  )
})
