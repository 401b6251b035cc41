import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { zigzagVarint } from './testing/log.ts'
import { UnpackError } from './unreadable-batch.ts'
import { VarintReader } from './varint-reader.ts'

test('any number of 32 bits is read, and the place behind it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer()), (value) => {
      const reader = new VarintReader(Buffer.concat([Buffer.of(9), zigzagVarint(value), Buffer.of(7)]), 1)
      expect(reader.int()).toBe(value)
      expect(reader.bytes[reader.at]).toBe(7)
    }),
  )
})

test('any number of 64 bits is read or passed', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
      const bytes = zigzagVarint(value)
      const reader = new VarintReader(bytes, 0)
      expect(reader.long()).toBe(value)
      expect(reader.at).toBe(bytes.length)
      reader.at = 0
      reader.skipLong()
      expect(reader.at).toBe(bytes.length)
    }),
  )
})

test('what ends too early or goes on too long is an UnpackError', () => {
  const endless = Buffer.alloc(20, 0xff)
  for (const bytes of [Buffer.alloc(0), Buffer.of(0x80), endless]) {
    expect(() => new VarintReader(bytes, 0).int()).toThrow(UnpackError)
    expect(() => new VarintReader(bytes, 0).long()).toThrow(UnpackError)
    expect(() => new VarintReader(bytes, 0).skipLong()).toThrow(UnpackError)
  }
  for (const size of [-1, 4, 2 ** 31])
    expect(() => new VarintReader(Buffer.alloc(3), 0).bytesOf(size)).toThrow(UnpackError)
  expect(new VarintReader(Buffer.from([1, 2, 3]), 1).bytesOf(2)).toEqual(Buffer.from([2, 3]))
})
