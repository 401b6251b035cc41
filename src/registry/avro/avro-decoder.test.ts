// What each Avro type becomes.

import { expect, test } from 'vitest'
import { decode, decodeField, double, joined, long, sized } from './testing/avro-bytes.ts'

function float(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

const FIXED = { type: 'fixed', name: 'F', size: 3 }
const ENUM = { type: 'enum', name: 'E', symbols: ['A', 'Ünknown"', 'C'] }
const NONE = Buffer.alloc(0)
const VARIABLE = {
  type: 'record',
  name: 'VariableScaleDecimal',
  namespace: 'io.debezium.data',
  fields: [
    { name: 'scale', type: 'int' },
    { name: 'value', type: 'bytes' },
  ],
}

// what an encoder writes is in avro-oracle.test.ts
test.each([
  ['null', NONE, 'null'],
  ['long', long(-(2n ** 63n)), '-9223372036854775808'],
  // longer than needed is allowed
  ['long', Buffer.from('8000', 'hex'), '0'],
  ['long', Buffer.from('80808080808080808000', 'hex'), '0'],
  ['float', float(NaN), '"NaN"'],
  ['double', double(-Infinity), '"-Infinity"'],
  ['bytes', sized(''), '""'],
  ['string', sized('Zo\u00eb "\\ \n 🎉'), '"Zo\u00eb \\"\\\\ \\n 🎉"'],
  [{ ...FIXED, size: 0 }, NONE, '""'],
  [ENUM, long(1), '"Ünknown\\""'],
  [VARIABLE, joined(long(3), sized(Buffer.from([0xfe]))), '"-0.002"'],
  [VARIABLE, joined(long(-2), sized(Buffer.from([5]))), '"500"'],
  [{ ...VARIABLE, namespace: 'mine' }, joined(long(3), sized(Buffer.from([0xfe]))), '{"scale":3,"value":"/g=="}'],
  [{ type: 'record', name: 'Empty', fields: [] }, NONE, '{}'],
  [{ type: 'array', items: 'int' }, long(0), '[]'],
  [{ type: 'map', values: 'int' }, long(0), '{}'],
])('%j: %s', (type, bytes, json) => {
  expect(decodeField(type, bytes)).toEqual({ json })
  expect(() => JSON.parse(json) as unknown).not.toThrow()
  if (type !== 'bytes') expect(decode(type, bytes)).toEqual({ json })
})

test('a value that is bytes has no length: so the wire format of registries has it', () => {
  expect(decode('bytes', Buffer.from([0, 255, 16]))).toEqual({ json: '"AP8Q"' })
  expect(decode('bytes', NONE)).toEqual({ json: '""' })
  const decimal = { type: 'bytes', logicalType: 'decimal', precision: 4, scale: 2 }
  expect(decode(decimal, Buffer.from([255]))).toEqual({ json: '"-0.01"' })
  expect(decode(decimal, NONE)).toEqual({ problem: expect.stringMatching(/^holds a decimal of no bytes/) as string })
  expect(decode(['bytes'], joined(long(0), sized(Buffer.from([0, 255, 16]))))).toEqual({ json: '"AP8Q"' })
})

test('arrays in blocks, with and without their sizes', () => {
  const bytes = joined(long(2), long(1), long(2), long(-1), long(1), long(3), long(1), long(4), long(0))
  expect(decode({ type: 'array', items: 'int' }, bytes)).toEqual({ json: '[1,2,3,4]' })
  // the size is for who skips the block: a wrong one changes nothing
  expect(decode({ type: 'array', items: 'int' }, joined(long(-1), long(77), long(3), long(0)))).toEqual({ json: '[3]' })
  expect(decode({ type: 'array', items: 'int' }, joined(long(-1), long(-1), long(3), long(0)))).toEqual({
    problem: 'holds a block of negative size',
  })
})

test('maps, and of equal keys the last', () => {
  const entry = (key: string, value: number): Buffer => joined(sized(key), long(value))
  const map = (...entries: Buffer[]): Buffer => joined(...entries.flatMap((bytes) => [long(1), bytes]), long(0))
  const type = { type: 'map', values: 'int' }
  expect(decode(type, map(entry('a', 1), entry('"', 2)))).toEqual({ json: '{"a":1,"\\"":2}' })
  expect(decode(type, map(entry('a', 1), entry('b', 2), entry('a', 3)))).toEqual({ json: '{"b":2,"a":3}' })
  expect(decode(type, map(entry('', 1), entry('', 22), entry('', 333), entry('b', 4)))).toEqual({
    json: '{"":333,"b":4}',
  })
  expect(decode(type, map(entry('__proto__', 1), entry('1', 2), entry('0', 3)))).toEqual({
    json: '{"__proto__":1,"1":2,"0":3}',
  })
  expect(
    decodeField(
      { type: 'array', items: type },
      joined(long(2), map(entry('k', 1), entry('k', 2)), map(entry('k', 3)), long(0)),
    ),
  ).toEqual({
    json: '[{"k":2},{"k":3}]',
  })
})

test('300,000 entries of one key', () => {
  const entry = joined(sized('k'), long(1))
  const bytes = joined(long(300_000), Buffer.alloc(900_000, entry), long(0))
  expect(decode({ type: 'map', values: 'int' }, bytes)).toEqual({ json: '{"k":1}' })
})

test('types that hold themselves', () => {
  const list = {
    type: 'record',
    name: 'acme.List',
    fields: [
      { name: 'value', type: 'int' },
      { name: 'next', type: ['null', 'List'] },
    ],
  }
  expect(decode(list, joined(long(1), long(1), long(2), long(0)))).toEqual({
    json: '{"value":1,"next":{"value":2,"next":null}}',
  })
  const tree = { type: 'record', name: 'T', fields: [{ name: 't', type: { type: 'array', items: 'T' } }] }
  expect(decode(tree, joined(long(2), long(0), long(1), long(0), long(0), long(0)))).toEqual({
    json: '{"t":[{"t":[]},{"t":[{"t":[]}]}]}',
  })
  const map = {
    type: 'map',
    values: { type: 'record', name: 'M', fields: [{ name: 'm', type: { type: 'map', values: 'M' } }] },
  }
  expect(decode(map, joined(long(1), sized('a'), long(0), long(0)))).toEqual({ json: '{"a":{"m":{}}}' })
})

test('names that JSON has to escape', () => {
  const schema = { type: 'record', name: 'R', fields: [{ name: 'a"\n\ud800é', type: 'null' }] }
  expect(decode(schema, NONE)).toEqual({ json: '{"a\\"\\n\\ud800é":null}' })
})

const bytesOf = (logicalType: string, more: object = {}): object => ({ type: 'bytes', logicalType, ...more })
const fixedOf = (size: number, logicalType: string, more: object = {}): object => ({
  type: 'fixed',
  name: 'F',
  size,
  logicalType,
  ...more,
})
const longOf = (logicalType: string): object => ({ type: 'long', logicalType })
const intOf = (logicalType: string): object => ({ type: 'int', logicalType })

test.each([
  [bytesOf('decimal', { precision: 9, scale: 2 }), sized(Buffer.from('ff', 'hex')), '"-0.01"'],
  [bytesOf('decimal', { precision: 9, scale: 4 }), sized(Buffer.from('12d644', 'hex')), '"123.4500"'],
  [bytesOf('decimal', { precision: 9, scale: 10 }), sized(Buffer.from('ff', 'hex')), '"/w=="'],
  [fixedOf(4, 'decimal', { precision: 9, scale: 2 }), Buffer.from('ffffff85', 'hex'), '"-1.23"'],
  [fixedOf(4, 'decimal', { precision: 10, scale: 2 }), Buffer.from('ffffff85', 'hex'), '"////hQ=="'],
  [bytesOf('big-decimal'), sized(joined(sized(Buffer.from('12d644', 'hex')), long(4))), '"123.4500"'],
  [bytesOf('big-decimal'), sized(joined(sized(Buffer.from('05', 'hex')), long(-3))), '"5000"'],
  [{ type: 'string', logicalType: 'uuid' }, sized('0190B3C4-no uuid'), '"0190B3C4-no uuid"'],
  [
    fixedOf(16, 'uuid'),
    Buffer.from('0190b3c47e6f7abc8def0123456789ab', 'hex'),
    '"0190b3c4-7e6f-7abc-8def-0123456789ab"',
  ],
  [
    fixedOf(12, 'duration'),
    Buffer.from('01000000020000ffffffffff', 'hex'),
    '{"months":1,"days":4278190082,"millis":4294967295}',
  ],
  [intOf('date'), long(20_778), '"2026-11-21"'],
  [intOf('date'), long(-719_529), '"-0001-12-31"'],
  [intOf('time-millis'), long(45_296_789), '"12:34:56.789"'],
  [intOf('time-millis'), long(86_400_000), '86400000'],
  [intOf('time-millis'), long(-1), '-1'],
  [longOf('time-micros'), long(45_296_789_012), '"12:34:56.789012"'],
  [longOf('time-micros'), long(2n ** 63n - 1n), '9223372036854775807'],
  [longOf('timestamp-millis'), long(1_795_264_496_789), '"2026-11-21T12:34:56.789Z"'],
  [longOf('timestamp-micros'), long(-1), '"1969-12-31T23:59:59.999999Z"'],
  [longOf('timestamp-nanos'), long(1_795_264_496_789_012_345n), '"2026-11-21T12:34:56.789012345Z"'],
  [longOf('timestamp-millis'), long(-(2n ** 63n)), '"-292275055-05-16T16:47:04.192Z"'],
  [longOf('local-timestamp-millis'), long(1_795_264_496_789), '"2026-11-21T12:34:56.789"'],
  [longOf('local-timestamp-micros'), long(0), '"1970-01-01T00:00:00.000000"'],
  [longOf('local-timestamp-nanos'), long(-1), '"1969-12-31T23:59:59.999999999"'],
  [{ type: 'long', 'connect.name': 'io.debezium.time.MicroTimestamp', 'connect.version': 1 }, long(7), '7'],
  [intOf('timestamp-millis'), long(7), '7'],
  [longOf('acme-thing'), long(7), '7'],
  // said at the field it is no logical type of the type
  [['null', longOf('timestamp-millis')], joined(long(1), long(0)), '"1970-01-01T00:00:00.000Z"'],
])('%j: %s', (type, bytes, json) => {
  expect(decodeField(type, bytes)).toEqual({ json })
})
