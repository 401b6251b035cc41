import { expect, test } from 'vitest'
import { ProtobufWire } from './protobuf-wire.ts'

function wireOf(...bytes: number[]): ProtobufWire {
  const wire = new ProtobufWire()
  wire.load(Buffer.from(bytes), 0)
  return wire
}

const TEN = [255, 255, 255, 255, 255, 255, 255, 255, 255]

test('a number has its two halves', () => {
  const wire = wireOf(...TEN, 1)
  wire.varint()
  expect([wire.high, wire.low, wire.at]).toEqual([-1, -1, 10])
})

test.each([
  [[0x80, 0x80, 0x80, 0x80, 0x10], 1, 0],
  [[0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 8, 0],
  [[0x80, 0x00], 0, 0],
  [[0xff, 0xff, 0xff, 0xff, 0x0f], 0, -1],
])('%j is %d × 2^32 + %d', (bytes, high, low) => {
  const wire = wireOf(...bytes)
  wire.varint()
  expect([wire.high, wire.low, wire.at]).toEqual([high, low, bytes.length])
})

test.each([[[...TEN, 2]], [[...TEN, 0x81, 0]], [[...TEN, 255]]])('%j is no number of 64 bits', (bytes) => {
  expect(() => wireOf(...bytes).varint()).toThrow('holds a number of more than 64 bits')
})

test.each([
  [[], 'ends'],
  [[0x80], 'ends'],
  [[0x07], 'holds a field of the number 0'],
  [[0xff, 0xff, 0xff, 0xff, 0x1f], 'holds a tag or a length of more than 32 bits'],
  [[0x88, 0x80, 0x80, 0x80, 0x80, 0x00], 'holds a tag or a length of more than 32 bits'],
])('%j is no tag', (bytes, trouble) => {
  expect(() => wireOf(...bytes).tag()).toThrow(trouble)
})

test('the highest tag', () => {
  expect(wireOf(0xff, 0xff, 0xff, 0xff, 0x0f).tag()).toBe(4_294_967_295)
})

test('a length reaches no further than the end', () => {
  expect(wireOf(2, 1, 1).sized()).toBe(3)
  expect(() => wireOf(3, 1, 1).sized()).toThrow('ends')
  expect(() => wireOf(0xff, 0xff, 0xff, 0xff, 0x0f, 1).sized()).toThrow('ends')
  const part = wireOf(2, 1, 1)
  part.end = 2
  expect(() => part.sized()).toThrow('ends')
})

test.each([
  [0, [0x80, 1]],
  [1, [1, 2, 3, 4, 5, 6, 7, 8]],
  [2, [2, 9, 9]],
  [5, [1, 2, 3, 4]],
])('an unknown field of the wire type %d is passed, and not beyond the end', (wireType, bytes) => {
  const wire = wireOf(...bytes, 77)
  wire.skip(8 + wireType)
  expect(wire.at).toBe(bytes.length)
  expect(() => wireOf(...bytes.slice(0, -1)).skip(8 + wireType)).toThrow('ends')
})

test('an unknown group is passed with all that is in it', () => {
  const wire = wireOf(0x08, 1, 0x13, 0x1a, 1, 0x0c, 0x14, 0x0c, 77)
  wire.skip(0x0b)
  expect(wire.at).toBe(8)
})

test.each([
  [[0x0b, 0x14], 'ends a group that is not the last it began'],
  [[0x0c], 'ends a group that is not the last it began'],
  [[0x0b, 0x13, 0x0c, 0x14], 'ends a group that is not the last it began'],
  [[0x0b], 'ends'],
  [[0x0b, 0x0e], 'holds a field of the wire type 6, which does not exist'],
  [[0x0f], 'holds a field of the wire type 7, which does not exist'],
  [Array.from({ length: 1000 }, () => 0x0b), 'holds groups more than 256 deep'],
])('%j breaks', (bytes, trouble) => {
  const wire = wireOf(...bytes)
  expect(() => wire.skip(wire.tag())).toThrow(trouble)
})

test('fixed numbers', () => {
  const wire = wireOf(1, 0, 0, 128, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 192, 63, 0, 0, 0, 0, 0, 0, 240, 191)
  wire.fixed32()
  expect(wire.low).toBe(-2_147_483_647)
  wire.fixed64()
  expect([wire.high, wire.low]).toEqual([0, -1])
  expect([wire.float(), wire.double()]).toEqual([1.5, -1])
  expect(() => wire.float()).toThrow('ends')
})
