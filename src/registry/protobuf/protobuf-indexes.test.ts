import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readIndexes } from './protobuf-indexes.ts'
import { ProtobufWire } from './protobuf-wire.ts'
import { decoderOf, number, reference, varint } from './testing/protobuf-bytes.ts'
import { asText } from '../testing/as-text.ts'

const NESTED = `syntax = "proto3"; message A { map<string, string> m = 1; message B { int32 b = 1; message C { int32 c = 1; } } }
  message D { int32 d = 1; }`

function indexed(indexes: readonly number[], inHeader: boolean): string {
  const decoder = decoderOf(NESTED)
  const written = Buffer.concat(indexes.map((index) => varint(index)))
  const value = number(1, 5)
  const decoded = inHeader
    ? asText(decoder.decode(Buffer.concat([Buffer.alloc(2), value]), 2, written))
    : asText(decoder.decode(Buffer.concat([Buffer.alloc(2), written, value]), 2, undefined))
  return 'json' in decoded ? decoded.json : decoded.problem
}

test.each([
  [[0], '{"m":{}}'],
  [[2, 2], '{"d":5}'],
  [[4, 0, 0], '{"b":5}'],
  [[6, 0, 0, 0], '{"c":5}'],
  [[1, 1], '{"d":5}'],
  [[2, 4], 'has message indexes of no message in its schema'],
  [[4, 0, 2], 'has message indexes of no message in its schema'],
  [[4, 2, 0], 'has message indexes of no message in its schema'],
])('message indexes %j', (indexes, expected) => {
  expect(indexed(indexes, true)).toBe(expected)
  expect(indexed(indexes, false)).toBe(expected)
})

test('message indexes in a header are all it holds', () => {
  expect(indexed([0, 0], true)).toBe('has more than message indexes behind the id in its header')
  expect(indexed([], true)).toBe('has no message indexes behind the id in its header')
  expect(indexed([2], true)).toBe('ends too early')
  expect(indexed([254, 0], true)).toBe('ends too early')
})

test('message indexes count entries of maps that are written out, and name none', () => {
  const text = `syntax = "proto3"; message A { repeated MEntry m = 1;
    message MEntry { option map_entry = true; string key = 1; string value = 2; } message B { int32 b = 1; } }`
  const decoder = decoderOf(text)
  expect(asText(decoder.decode(Buffer.from('0400020805', 'hex'), 0, undefined))).toEqual({ json: '{"b":5}' })
  expect(asText(decoder.decode(Buffer.from('0400000805', 'hex'), 0, undefined))).toEqual({
    problem: 'has message indexes of an entry of a map',
  })
})

test('a schema that only passes on another one stands for that', () => {
  const other = reference('other.proto', 'syntax = "proto3"; message X { int32 x = 1; } message Y { int32 y = 1; }')
  const decoder = decoderOf('syntax = "proto3"; import public "other.proto";', [other])
  expect(asText(decoder.decode(Buffer.from('02020805', 'hex'), 0, undefined))).toEqual({ json: '{"y":5}' })
})

function indexesOf(bytes: Buffer): [indexes: readonly number[], at: number] {
  const wire = new ProtobufWire()
  wire.load(bytes, 0)
  return [readIndexes(wire), wire.at]
}

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
