// What each damage of a value is called, and what hostile values cannot do.

import { expect, test } from 'vitest'
import { avroDecoder } from './avro-decoder.ts'
import { asText } from '../testing/as-text.ts'
import { decode, double, joined, long, sized } from './testing/avro-bytes.ts'

const FIXED = { type: 'fixed', name: 'F', size: 3 }
const ENUM = { type: 'enum', name: 'E', symbols: ['A', 'B', 'C'] }
const NONE = Buffer.alloc(0)
const decimalOf = (precision: number, scale = 0): object => ({
  type: 'bytes',
  logicalType: 'decimal',
  precision,
  scale,
})
const BIG_DECIMAL = ['null', { type: 'bytes', logicalType: 'big-decimal' }]

const NULLS = { type: 'array', items: 'null' }
const EMPTY = 'holds more than 10000 items that take no bytes'
const ORDER = {
  type: 'record',
  name: 'Order',
  fields: [
    { name: 'id', type: 'long' },
    {
      name: 'lines',
      type: { type: 'array', items: { type: 'record', name: 'Line', fields: [{ name: 'price', type: 'double' }] } },
    },
    { name: 'note', type: ['null', 'string'] },
  ],
}

test.each([
  [ORDER, NONE, 'ends within field "id"'],
  [ORDER, joined(long(7)), 'ends within field "lines"'],
  [ORDER, joined(long(7), long(1), 0, 0), 'ends within field "lines.price"'],
  [ORDER, joined(long(7), long(1), double(1)), 'ends within field "lines"'],
  [ORDER, joined(long(7), long(0), long(1), long(3)), 'ends within field "note"'],
  [ORDER, joined(long(7), long(0), long(2)), 'holds a branch that its union lacks in field "note"'],
  [ORDER, joined(long(7), long(0), long(-1)), 'holds a branch that its union lacks in field "note"'],
  [ORDER, joined(long(7), long(0), long(2n ** 63n - 1n)), 'holds a branch that its union lacks in field "note"'],
  [
    ORDER,
    joined(long(7), long(0), long(1), sized(Buffer.from([255]))),
    'holds a string that is not UTF-8 in field "note"',
  ],
  [ORDER, joined(long(7), long(0), long(0), 0), 'goes on after what its schema describes'],
  ['string', NONE, 'ends too early'],
  ['string', long(-1), 'holds a negative length'],
  ['float', joined(0, 0, 0), 'ends too early'],
  ['double', Buffer.alloc(7), 'ends too early'],
  [FIXED, Buffer.alloc(2), 'ends too early'],
  [{ ...FIXED, size: Number.MAX_SAFE_INTEGER }, Buffer.alloc(2), 'ends too early'],
  ['boolean', joined(2), 'holds a boolean that is neither true nor false'],
  ['int', long(2 ** 31), 'holds an int of more than 32 bits'],
  ['int', Buffer.from('808080808000', 'hex'), 'holds an int of more than 32 bits'],
  ['long', Buffer.alloc(9, 128), 'ends too early'],
  ['long', joined(Buffer.alloc(9, 128), 2), 'holds a long of more than 64 bits'],
  ['long', Buffer.alloc(11, 128), 'holds a long of more than 64 bits'],
  [ENUM, long(3), 'holds a symbol that its enum lacks'],
  [ENUM, long(-1), 'holds a symbol that its enum lacks'],
  [{ ...ENUM, symbols: [] }, long(0), 'holds a symbol that its enum lacks'],
  [[], long(0), 'holds a branch that its union lacks'],
  ['null', joined(0), 'goes on after what its schema describes'],
  [{ type: 'map', values: 'int' }, joined(long(1), long(-5)), 'holds a negative length'],
  [NULLS, joined(long(2n ** 40n), long(0)), EMPTY],
  [NULLS, joined(long(2n ** 63n - 1n), long(0)), EMPTY],
  [NULLS, joined(long(-(2n ** 63n)), long(0), long(0)), EMPTY],
  [NULLS, joined(long(10_000), long(1), long(0)), EMPTY],
  [{ ...NULLS, items: { type: 'record', name: 'R', fields: [] } }, joined(long(1_000_000), long(0)), EMPTY],
  [{ ...NULLS, items: { type: 'fixed', name: 'X', size: 0 } }, joined(long(1_000_000), long(0)), EMPTY],
  [
    { type: 'map', values: { type: 'array', items: ['null', NULLS] } },
    joined(long(1), sized('k'), long(1), long(1), long(1_000_000), long(0), long(0), long(0)),
    EMPTY,
  ],
  [['null', decimalOf(2 ** 31 - 1, 2 ** 31 - 1)], joined(long(1), sized('x')), /^makes more than \d+ bytes/],
  [['null', decimalOf(4)], joined(long(1), sized('')), 'holds a decimal of no bytes, or of more than 4,096'],
  [BIG_DECIMAL, joined(long(1), sized(joined(sized('x'), long(-(2 ** 31))))), /^makes more than \d+ bytes/],
  [BIG_DECIMAL, joined(long(1), sized(joined(sized('x'), long(2 ** 31 - 1)))), /^makes more than \d+ bytes/],
  [BIG_DECIMAL, joined(long(1), sized(sized('x'))), 'ends too early'],
  [BIG_DECIMAL, joined(long(1), sized(long(5)), 1, 1, 1, 1, 1, 1), 'ends too early'],
  [
    BIG_DECIMAL,
    joined(long(1), sized(joined(sized('x'), long(1), 0))),
    'holds a big-decimal that goes on after its scale',
  ],
])('%j from %j: %s', (schema, bytes, problem) => {
  expect(decode(schema, bytes)).toEqual({
    problem: typeof problem === 'string' ? problem : (expect.stringMatching(problem) as string),
  })
})

test('a value nests no deeper than the stack allows', () => {
  const list = { type: 'record', name: 'L', fields: [{ name: 'next', type: ['null', { type: 'array', items: 'L' }] }] }
  const nested = (depth: number): Buffer =>
    joined(Buffer.alloc(2 * depth, joined(long(1), long(1))), long(0), Buffer.alloc(depth))
  expect(decode(list, nested(511))).toHaveProperty('json')
  const problem = 'nests deeper than 1024 levels in field "next.next.next.next.….next.next.next"'
  expect(decode(list, nested(512))).toEqual({ problem })
  expect(decode(list, nested(500_000))).toEqual({ problem })
})

test('records without a byte: neither endless nor exponential', () => {
  const self = { type: 'record', name: 'S', fields: [{ name: 's', type: 'S' }] }
  expect(decode(self, NONE)).toEqual({ problem: expect.stringMatching(/^nests deeper/) as string })
  let twice: object = { type: 'record', name: 'R0', fields: [] }
  for (let depth = 1; depth < 60; depth++) {
    twice = {
      type: 'record',
      name: `R${depth}`,
      fields: [
        { name: 'a', type: twice },
        { name: 'b', type: `R${depth - 1}` },
      ],
    }
  }
  expect(decode(twice, NONE)).toEqual({
    problem: expect.stringMatching(/^makes more than \d+ bytes of JSON/) as string,
  })
})

test('items without a byte are read where they are not too many', () => {
  const nulls = `[${Array(10_000).fill('null').join(',')}]`
  expect(decode(NULLS, joined(long(10_000), long(0)))).toEqual({ json: nulls })
  // those that take bytes are none
  const pairs = { type: 'array', items: { type: 'record', name: 'P', fields: [{ name: 'a', type: 'int' }] } }
  expect(decode(pairs, joined(long(100_000), Buffer.alloc(100_000), long(0)))).toEqual({
    json: `[${Array(100_000).fill('{"a":0}').join(',')}]`,
  })
})

test('neither many blocks of items without a byte nor many short ones make much of little', () => {
  expect(decode(NULLS, Buffer.alloc(3 * 400_000, long(100_000)))).toEqual({ problem: EMPTY })
  const short = joined(long(2_000_000), Buffer.alloc(2_000_000), long(0))
  expect(decode({ type: 'array', items: 'string' }, short)).toEqual({
    problem: 'makes more than 4194304 bytes of JSON (beyond max_request_bytes)',
  })
})

test('JSON may be as long as the limit says, or twice the value', () => {
  const text = 'x'.repeat(5000)
  for (const most of [4096, 5002, 20_000]) {
    const decoder = avroDecoder({ type: 'AVRO', text: '"string"', references: [] }, most)
    if ('problem' in decoder) throw new Error(decoder.problem)
    expect(asText(decoder.decode(sized(text), 0, undefined))).toEqual({ json: `"${text}"` })
    expect(asText(decoder.decode(sized('\u0001'.repeat(Math.ceil(most / 6))), 0, undefined))).toEqual({
      problem: `makes more than ${most} bytes of JSON (beyond max_request_bytes)`,
    })
  }
})

test('one decoder reads on after a damaged value', () => {
  const decoder = avroDecoder({ type: 'AVRO', text: JSON.stringify(ORDER), references: [] })
  if ('problem' in decoder) throw new Error(decoder.problem)
  const good = joined(long(7), long(1), double(1.5), long(0), long(1), sized('x'))
  for (let round = 0; round < 3; round++) {
    expect(asText(decoder.decode(good.subarray(0, -1), 0, undefined))).toEqual({ problem: 'ends within field "note"' })
    expect(asText(decoder.decode(joined(1, 2, good), 2, undefined))).toEqual({
      json: '{"id":7,"lines":[{"price":1.5}],"note":"x"}',
    })
    expect(asText(decoder.decode(good, good.length + 5, undefined))).toEqual({ problem: 'ends within field "id"' })
  }
})

test('messages never hold what a value holds', () => {
  const type = { type: 'map', values: ORDER }
  const decoded = decode(
    type,
    joined(long(1), sized('secret key'), long(1), long(0), long(1), long(50), Buffer.from('secret text')),
  )
  expect(decoded).toEqual({ problem: 'ends within field "note"' })
})
