import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readIndexes } from './protobuf-indexes.ts'
import { varint } from './testing/protobuf-bytes.ts'
import { ProtobufWire } from './protobuf-wire.ts'

function indexesOf(bytes: Buffer): [indexes: readonly number[], at: number] {
  const wire = new ProtobufWire()
  wire.load(bytes, 0)
  return [readIndexes(wire), wire.at]
}

test.each([
  ['00', [0], 1],
  ['0077', [0], 1],
  ['0200', [0], 2],
  ['0204', [2], 2],
  ['0400020a', [0, 1], 3],
  ['02c801', [100], 3],
])('%s names %j', (hex, indexes, at) => {
  expect(indexesOf(Buffer.from(hex, 'hex'))).toEqual([indexes, at])
})

test.each([
  ['0102', [2], 2],
  ['0100', [0], 2],
  ['020100', [1, 0], 3],
  ['03010200', [1, 2, 0], 4],
])('%s can only be of plain numbers and names %j', (hex, indexes, at) => {
  expect(indexesOf(Buffer.from(hex, 'hex'))).toEqual([indexes, at])
})

test.each([
  ['', 'ends'],
  ['02', 'ends'],
  ['0400', 'ends'],
  ['feffffff0f', 'ends'],
  ['ffffffff0f', 'ends'],
  ['80808080808001', 'begins with message indexes that are beyond 2^32'],
])('%s names none', (hex, trouble) => {
  expect(() => indexesOf(Buffer.from(hex, 'hex'))).toThrow(trouble)
})

test('what is written in zigzag is read so', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 6 }), fc.uint8Array(), (indexes, rest) => {
      const written = Buffer.concat([indexes.length, ...indexes].map((index) => varint(index * 2)))
      expect(indexesOf(Buffer.concat([written, rest]))).toEqual([indexes, written.length])
    }),
  )
})
