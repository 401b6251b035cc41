// Values that say little and would take much: each is refused before its work is done, and honest ones are read.

import { expect, it } from 'vitest'
import { decoderOf, group, number, read, sized } from './testing/protobuf-bytes.ts'

const MIB = 2 ** 20
const count = (length: number): number[] => Array.from({ length }, (_, index) => index)
const fields = (length: number, of: string): string =>
  count(length)
    .map((index) => `${of} f${index} = ${index + 1};`)
    .join('')
const repeated = (part: Buffer, times: number): Buffer => Buffer.alloc(part.length * times, part)

const MUCH = /^(?:makes more than \d+ bytes of JSON|holds too many (?:messages|groups) of many fields for its size)/

it.each([
  ['messages without a byte, of many fields that say their default', fields(1000, 'int32'), 'proto3', sized(1)],
  ['messages without a byte, of many fields that are left out', fields(4000, 'optional int32'), 'proto2', sized(1)],
  ['messages of one field of many', fields(4000, 'optional int32'), 'proto2', sized(1, number(7, 1))],
])('%s are refused', (_, inner, syntax, part) => {
  const decoder = decoderOf(`syntax = "${syntax}"; message M { repeated N n = 1; } message N { ${inner} }`)
  expect(read(decoder, repeated(part, 200_000))).toMatch(MUCH)
  expect(read(decoder, repeated(part, 3))).toMatch(/^\{"n":\[\{.*\},\{.*\},\{.*\}\]\}$/)
})

it('groups of many fields are refused', () => {
  const decoder = decoderOf(`message M { repeated group G = 1 { ${fields(4000, 'optional int32')} } }`)
  expect(read(decoder, repeated(group(1), 200_000))).toMatch(MUCH)
  expect(read(decoder, repeated(group(1), 3))).toBe('{"g":[{},{},{}]}')
})

it('entries of a map whose values have many fields are refused', () => {
  const decoder = decoderOf(
    `syntax = "proto3"; message M { map<int32, N> m = 1; } message N { ${fields(4000, 'int32')} }`,
  )
  const entries = count(2000).map((index) => sized(1, number(1, index)))
  expect(read(decoder, ...entries)).toMatch(MUCH)
  expect(read(decoder, ...entries.slice(0, 2))).toMatch(/^\{"m":\{"0":\{"f0":0,.*\},"1":\{.*\}\}\}$/)
})

it('members of a large oneof that take turns are refused', () => {
  const decoder = decoderOf(`syntax = "proto3"; message M { oneof o { ${fields(4000, 'int32')} } }`)
  const turns = Buffer.concat([number(1, 1), number(2, 1)])
  expect(read(decoder, repeated(turns, 200_000))).toMatch(MUCH)
  expect(read(decoder, repeated(turns, 3))).toBe('{"f1":1}')
})

it('however large a value is, what is looked at of it has an end', () => {
  const decoder = decoderOf(`syntax = "proto3"; message M { oneof o { ${fields(100, 'int32')} } }`)
  // a hundred looks for two bytes: less than its size allows
  for (const times of [900_000, 1_100_000, 900_000])
    expect(read(decoder, repeated(number(1, 1), times))).toMatch(times < 1_000_000 ? /^\{"f0":1\}$/ : MUCH)
})

it.each([
  ['of a list', 'message M { repeated int32 n = 1; }', '{"n":[]}'],
  ['of one message', 'message M { optional N n = 1; } message N {}', '{"n":{}}'],
])('however large a value is, the parts %s have an end', (_, schema, json) => {
  const decoder = decoderOf(schema)
  expect(read(decoder, repeated(sized(1), 7_900_000))).toBe(json)
  expect(read(decoder, repeated(sized(1), 8_100_000))).toBe('holds more than 8,000,000 parts of lists and messages')
})

it('a value of a MiB of small messages is read', () => {
  const decoder = decoderOf(`message M { repeated N n = 1; } message N { ${fields(50, 'optional int32')} }`)
  const part = sized(1, number(7, 1), number(9, 2), number(3, 100))
  const times = Math.floor(MIB / part.length)
  expect(read(decoder, repeated(part, times))).toBe(
    `{"n":[${Array(times).fill('{"f2":100,"f6":1,"f8":2}').join(',')}]}`,
  )
})
