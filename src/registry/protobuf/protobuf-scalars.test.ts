import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedText, unsignedText } from './protobuf-scalars.ts'

function halves(value: bigint): [high: number, low: number] {
  return [Number(BigInt.asIntN(32, value >> 32n)), Number(BigInt.asIntN(32, value))]
}

test.each([
  0n,
  1n,
  4_294_967_295n,
  4_294_967_296n,
  4_295_000_000n,
  9_007_199_254_740_993n,
  10_000_000_000_000_000_000n,
  18_446_744_073_709_551_615n,
])('unsigned %d', (value) => {
  expect(unsignedText(...halves(value))).toBe(String(value))
})

test.each([
  -1n,
  -4_294_967_295n,
  -4_294_967_296n,
  -9_007_199_254_740_993n,
  9_223_372_036_854_775_807n,
  -9_223_372_036_854_775_808n,
])('signed %d', (value) => {
  expect(signedText(...halves(value))).toBe(String(value))
})

test('all are what BigInt says', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
      expect(unsignedText(...halves(value))).toBe(String(value))
      expect(signedText(...halves(value))).toBe(String(BigInt.asIntN(64, value)))
    }),
    { numRuns: 2000 },
  )
})
