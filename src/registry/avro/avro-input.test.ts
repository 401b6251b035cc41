import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { AvroInput } from './avro-input.ts'
import { long } from './testing/avro-bytes.ts'

function input(bytes: Buffer): AvroInput {
  const input = new AvroInput()
  // the memory goes on behind the end
  input.load(Buffer.concat([Buffer.from([9]), bytes, Buffer.alloc(20, 1)]).subarray(0, bytes.length + 1), 1)
  return input
}

function readLong(hex: string): bigint {
  const bytes = input(Buffer.from(hex, 'hex'))
  const value = bytes.readLong()
  expect(bytes.at).toBe(bytes.end)
  return Number.isNaN(value) ? bytes.big : BigInt(value)
}

test.each([
  ['00', 0n],
  ['01', -1n],
  ['02', 1n],
  ['7f', -64n],
  ['8001', 64n],
  ['feffffff0f', 2n ** 31n - 1n],
  ['ffffffff0f', -(2n ** 31n)],
  ['feffffffffffff0f', 2n ** 52n - 1n],
  ['feffffffffffff1f', 2n ** 53n - 1n],
  ['8080808080808010', 2n ** 52n],
  ['8080808080808020', 2n ** 53n],
  ['ffffffffffffff1f', -(2n ** 53n)],
  ['feffffffffffffffff01', 2n ** 63n - 1n],
  ['ffffffffffffffffff01', -(2n ** 63n)],
  // longer than needed is allowed
  ['8000', 0n],
  ['80808080808080808000', 0n],
])('%s is the long %d', (hex, value) => {
  expect(readLong(hex)).toBe(value)
})

test('every long, at every length', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat(63), (value, shift) => {
      const shifted = value >> BigInt(shift)
      expect(readLong(long(shifted).toString('hex'))).toBe(shifted)
    }),
    { numRuns: 3000 },
  )
})

test('a number is safe, and what is not is big', () => {
  for (const value of [2n ** 53n - 1n, -(2n ** 53n) + 1n]) expect(input(long(value)).readLong()).toBe(Number(value))
  for (const value of [2n ** 53n, -(2n ** 53n)]) {
    const bytes = input(long(value))
    expect(bytes.readLong()).toBeNaN()
    expect(bytes.big).toBe(value)
  }
})

test.each([
  ['', 'ends'],
  ['80', 'ends'],
  ['8080808080', 'ends'],
  ['808080808080808080', 'ends'],
  ['80808080808080808002', 'holds a long of more than 64 bits'],
  ['8080808080808080808000', 'holds a long of more than 64 bits'],
])('%s is no long: it %s', (hex, words) => {
  expect(() => readLong(hex)).toThrow(words)
})

test.each(['feffffff1f', '8080808010', '808080808000', 'feffffffffffffffff01'])('%s is no int', (hex) => {
  expect(() => input(Buffer.from(hex, 'hex')).readInt()).toThrow('holds an int of more than 32 bits')
})

test('an int has 32 bits', () => {
  for (const value of [0, -1, 2 ** 31 - 1, -(2 ** 31)]) expect(input(long(value)).readInt()).toBe(value)
})

test.each([
  [long(-1), 'holds a negative length'],
  [long(-(2n ** 63n)), 'holds a negative length'],
  [long(1), 'ends'],
  [long(2n ** 40n), 'ends'],
  [long(2n ** 63n - 1n), 'ends'],
])('%j is no length of what follows', (bytes, words) => {
  expect(() => input(bytes).readSized()).toThrow(words)
})

test('a block says how many, whichever way', () => {
  expect(input(long(7)).readBlock()).toBe(7)
  expect(input(Buffer.concat([long(-7), long(100)])).readBlock()).toBe(7)
  expect(input(long(2n ** 63n - 1n)).readBlock()).toBe(Infinity)
  expect(input(Buffer.concat([long(-(2n ** 63n)), long(1)])).readBlock()).toBe(Infinity)
  expect(() => input(Buffer.concat([long(-7), long(-1)])).readBlock()).toThrow('holds a block of negative size')
  expect(() => input(Buffer.concat([long(-7), long(-(2n ** 63n))])).readBlock()).toThrow('negative size')
  expect(() => input(long(-7)).readBlock()).toThrow('ends')
})

test('takes what is there and no byte more', () => {
  const bytes = input(Buffer.alloc(3))
  expect(bytes.take(3)).toBe(1)
  expect(bytes.take(0)).toBe(4)
  expect(() => bytes.take(1)).toThrow('ends')
  bytes.load(Buffer.alloc(2), 5)
  expect(() => bytes.readLong()).toThrow('ends')
})
