import { expect, test } from 'vitest'
import type { ValueDecoder } from '../types.ts'
import { durationJson, timestampJson } from './protobuf-well-known.ts'
import { decoderOf, number, read, sized, varint } from './testing/protobuf-bytes.ts'

const PROTOBUF = ['timestamp', 'duration', 'wrappers', 'struct', 'field_mask', 'empty', 'any'].map(
  (name) => `import "google/protobuf/${name}.proto";`,
)

const decoders = new Map<string, ValueDecoder>()

/** Made once a schema. */
function cached(text: string): ValueDecoder {
  const decoder = decoders.get(text) ?? decoderOf(text)
  decoders.set(text, decoder)
  return decoder
}

function one(type: string, ...parts: readonly Buffer[]): string {
  const text = `syntax = "proto3"; package p; ${PROTOBUF.join(' ')} import "confluent/types/decimal.proto";
    message M { ${type} f = 1; } message Other { string s = 1; M m = 2; message Inner { int64 i = 1; } }`
  const json = read(cached(text), sized(1, ...parts))
  expect(json).toMatch(/^\{"f":.*\}$/)
  // as a list's member and as a map's value it is the same
  expect(read(cached(text.replace(`${type} f`, `repeated ${type} f`)), sized(1, ...parts), sized(1, ...parts))).toBe(
    `{"f":[${json.slice(5, -1)},${json.slice(5, -1)}]}`,
  )
  expect(read(cached(text.replace(`${type} f`, `map<int32, ${type}> f`)), sized(1, sized(2, ...parts)))).toBe(
    `{"f":{"0":${json.slice(5, -1)}}}`,
  )
  return json.slice(5, -1)
}

const double = (field: number, value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([varint(field * 8 + 1), bytes])
}

test.each([
  ['google.protobuf.Timestamp', [number(1, 1), number(2, 5_000_000)], '"1970-01-01T00:00:01.005Z"'],
  ['google.protobuf.Timestamp', [], '"1970-01-01T00:00:00Z"'],
  ['google.protobuf.Timestamp', [number(1, -(2n ** 63n))], '{"seconds":-9223372036854775808,"nanos":0}'],
  ['google.protobuf.Duration', [number(1, -1), number(2, -500_000_000)], '"-1.500s"'],
  ['google.protobuf.Empty', [number(7, 1)], '{}'],
  ['google.protobuf.DoubleValue', [double(1, 0.5)], '0.5'],
  ['google.protobuf.DoubleValue', [double(1, Number.NaN)], '"NaN"'],
  ['google.protobuf.FloatValue', [], '0'],
  ['google.protobuf.Int64Value', [number(1, -(2n ** 63n))], '-9223372036854775808'],
  ['google.protobuf.UInt64Value', [number(1, -1)], '18446744073709551615'],
  ['google.protobuf.Int32Value', [number(1, -1)], '-1'],
  ['google.protobuf.UInt32Value', [number(1, 7)], '7'],
  ['google.protobuf.BoolValue', [], 'false'],
  ['google.protobuf.BoolValue', [number(1, 1)], 'true'],
  ['google.protobuf.StringValue', [sized(1, 'é')], '"é"'],
  ['google.protobuf.StringValue', [], '""'],
  ['google.protobuf.BytesValue', [sized(1, 'a')], '"YQ=="'],
  ['google.protobuf.FieldMask', [], '""'],
  ['google.protobuf.FieldMask', [sized(1, 'foo_bar.baz'), sized(1, 'a')], '"fooBar.baz,a"'],
  ['google.protobuf.FieldMask', [sized(1, 'fooBar'), sized(1, 'a')], '{"paths":["fooBar","a"]}'],
  ['google.protobuf.FieldMask', [sized(1, 'a_1')], '{"paths":["a_1"]}'],
  ['google.protobuf.FieldMask', [sized(1, 'a,b')], '{"paths":["a,b"]}'],
  ['google.protobuf.FieldMask', [sized(1)], '{"paths":[""]}'],
])('%s of %j is %s', (type, parts, json) => {
  expect(one(type, ...parts)).toBe(json)
})

test('a path is as long as it likes', () => {
  const path = 'a'.repeat(10_000_000)
  expect(one('google.protobuf.FieldMask', sized(1, path))).toBe(`"${path}"`)
})

const text = (value: string) => sized(3, value)
const list = (...values: readonly Buffer[]) => sized(6, ...values.map((value) => sized(1, value)))
const object = (...entries: readonly (readonly [string, Buffer])[]) =>
  sized(5, ...entries.map(([key, value]) => sized(1, sized(1, key), sized(2, value))))

test.each([
  [[], 'null'],
  [[number(1, 0)], 'null'],
  [[number(1, 7)], 'null'],
  [[double(2, 0.1)], '0.1'],
  [[double(2, -0)], '-0.0'],
  [[double(2, Infinity)], '"Infinity"'],
  [[text('a"')], '"a\\""'],
  [[number(4, 1)], 'true'],
  [[number(4, 0)], 'false'],
  [[sized(5)], '{}'],
  [[sized(6)], '[]'],
  [[list(text('a'), Buffer.alloc(0), list(), object())], '["a",null,[],{}]'],
  [[object(['k', text('v')], ['k', number(4, 1)], ['é', list(double(2, 1))])], '{"k":true,"é":[1]}'],
  [[text('a'), number(4, 1)], 'true'],
])('a Value of %j is %s', (parts, json) => {
  expect(one('google.protobuf.Value', ...parts)).toBe(json)
  expect(one('google.protobuf.ListValue', sized(1, ...parts))).toBe(`[${json}]`)
  expect(one('google.protobuf.Struct', sized(1, sized(1, 'k'), sized(2, ...parts)))).toBe(`{"k":${json}}`)
})

test('a Struct of other values is an ordinary message', () => {
  const schema = `syntax = "proto3"; package google.protobuf; message M { Struct s = 1; }
    message Struct { map<string, string> fields = 1; }`
  expect(read(schema, sized(1, sized(1, sized(1, 'k'), sized(2, 'v'))))).toBe('{"s":{"fields":{"k":"v"}}}')
})

test('a field that is NullValue is null', () => {
  const schema = `syntax = "proto3"; import "google/protobuf/struct.proto"; message M { google.protobuf.NullValue a = 1;
    repeated google.protobuf.NullValue b = 2; oneof o { google.protobuf.NullValue c = 3; } }`
  expect(read(schema)).toBe('{"a":null,"b":[]}')
  expect(read(schema, number(1, 3), number(2, 0), number(3, 0))).toBe('{"a":null,"b":[null],"c":null}')
})

const any = (url: string, ...value: readonly Buffer[]) => [sized(1, url), sized(2, ...value)]

test.each([
  [[], '{}'],
  [[sized(1), sized(2)], '{}'],
  [any('type.googleapis.com/p.Other', sized(1, 'x')), '{"@type":"type.googleapis.com/p.Other","s":"x"}'],
  [any('a/b/p.Other.Inner', number(1, -1)), '{"@type":"a/b/p.Other.Inner","i":-1}'],
  [any('p.Other.Inner'), '{"@type":"p.Other.Inner","i":0}'],
  [any('x/google.protobuf.Duration', number(1, 1)), '{"@type":"x/google.protobuf.Duration","value":"1s"}'],
  [any('x/google.protobuf.Int64Value'), '{"@type":"x/google.protobuf.Int64Value","value":0}'],
  [any('x/google.protobuf.Empty'), '{"@type":"x/google.protobuf.Empty"}'],
  [
    any('x/google.protobuf.Any', ...any('x/p.Other.Inner', number(1, 1))),
    '{"@type":"x/google.protobuf.Any","value":{"@type":"x/p.Other.Inner","i":1}}',
  ],
  [any('x/un"known', Buffer.from('a')), '{"@type":"x/un\\"known","value":"YQ=="}'],
  [any('x/p.'), '{"@type":"x/p.","value":""}'],
  [[sized(2, 'a')], '{"@type":"","value":"YQ=="}'],
  [[...any('x/p.M'), ...any('x/p.Other.Inner', number(1, 5))], '{"@type":"x/p.Other.Inner","i":5}'],
])('an Any of %j is %s', (parts, json) => {
  expect(one('google.protobuf.Any', ...parts)).toBe(json)
})

const ANY =
  'syntax = "proto3"; import "google/protobuf/any.proto"; message M { google.protobuf.Any a = 1; string s = 2; }'

test.each([
  [any('x/M', Buffer.from([18])), 'ends within field "a"'],
  [any('x/M', sized(2, Buffer.from([255]))), 'holds a string that is not UTF-8 in field "a.s"'],
  [[sized(1, Buffer.from([255]))], 'holds a string that is not UTF-8 in field "a"'],
])('an Any of %j is a problem', (parts, problem) => {
  expect(read(ANY, sized(1, ...parts))).toBe(problem)
})

test('an Any in an Any in an Any ends somewhere', () => {
  let bytes: Buffer = Buffer.alloc(0)
  for (let level = 0; level < 2000; level++) bytes = sized(1, ...any('x/M', bytes))
  expect(read(ANY, bytes)).toMatch(/^holds messages more than 256 deep in field "a\.a/)
})

test('a broken text of a mask is a problem', () => {
  const schema =
    'syntax = "proto3"; import "google/protobuf/field_mask.proto"; message M { google.protobuf.FieldMask f = 1; }'
  expect(read(schema, sized(1, sized(1, Buffer.from([255]))))).toBe('holds a string that is not UTF-8 in field "f"')
})

const decimal = (hex: string, scale: number) => [sized(1, Buffer.from(hex, 'hex')), number(2, 9), number(3, scale)]

test.each([
  [decimal('ff38', 2), '"-2.00"'],
  [decimal('018ee90ff6c373e0ee4e3f0ad2', 10), '"12345678901234567890.1234567890"'],
  [decimal('05', -3), '"5000"'],
  [[], '"0"'],
  [[number(3, 2)], '"0.00"'],
  [decimal('05', 10_001), '{"value":"BQ==","precision":9,"scale":10001}'],
  [decimal('05', -(2 ** 31)), '{"value":"BQ==","precision":9,"scale":-2147483648}'],
])('a Decimal of %j is %s', (parts, json) => {
  expect(one('confluent.type.Decimal', ...parts)).toBe(json)
})

test('a Decimal of thousands of bytes stays bytes', () => {
  const json = one('confluent.type.Decimal', sized(1, Buffer.alloc(4097, 1)))
  expect(JSON.parse(json)).toEqual({ value: Buffer.alloc(4097, 1).toString('base64'), precision: 0, scale: 0 })
})

test('what only has the name of a well-known type is an ordinary message', () => {
  const schema = `syntax = "proto3"; package google.protobuf; message M { Timestamp t = 1; Value v = 2; Any a = 3; }
    message Timestamp { string text = 1; } message Value { int32 x = 1; } message Any { string type_url = 1; string value = 2; }`
  expect(read(schema, sized(1, sized(1, 'x')), sized(2), sized(3, sized(2, 'y')))).toBe(
    '{"t":{"text":"x"},"v":{"x":0},"a":{"type_url":"","value":"y"}}',
  )
})

test('google/type and the rest of google/protobuf are ordinary messages', () => {
  const names = ['money', 'date', 'dayofweek', 'latlng', 'datetime', 'phone_number', 'color', 'interval', 'decimal']
  const schema = `syntax = "proto3"; ${names.map((name) => `import "google/type/${name}.proto";`).join(' ')}
    import "google/protobuf/api.proto"; import "confluent/meta.proto"; import "confluent/type/variant.proto";
    message M { google.type.Money money = 1; google.type.DayOfWeek day = 2; google.protobuf.Api api = 3;
      confluent.type.Variant variant = 4; google.type.Interval interval = 5; }`
  const money = sized(1, sized(1, 'EUR'), number(2, 2n ** 62n))
  expect(read(decoderOf(schema), money, number(2, 3), sized(5, sized(1, number(1, 1))))).toBe(
    '{"money":{"currency_code":"EUR","units":4611686018427387904,"nanos":0},"day":"WEDNESDAY","interval":{"start_time":"1970-01-01T00:00:01Z"}}',
  )
})

test.each([
  ['0', '0', '"1970-01-01T00:00:00Z"'],
  ['1', '500000000', '"1970-01-01T00:00:01.500Z"'],
  ['1', '10', '"1970-01-01T00:00:01.000000010Z"'],
  ['1', '10000', '"1970-01-01T00:00:01.000010Z"'],
  ['-1', '999999999', '"1969-12-31T23:59:59.999999999Z"'],
  ['-62135596800', '0', '"0001-01-01T00:00:00Z"'],
  ['253402300799', '999999999', '"9999-12-31T23:59:59.999999999Z"'],
  ['1709164800', '0', '"2024-02-29T00:00:00Z"'],
  ['-62135596801', '0', '{"seconds":-62135596801,"nanos":0}'],
  ['253402300800', '0', '{"seconds":253402300800,"nanos":0}'],
  ['0', '-1', '{"seconds":0,"nanos":-1}'],
  ['0', '1000000000', '{"seconds":0,"nanos":1000000000}'],
  ['9223372036854775807', '2147483647', '{"seconds":9223372036854775807,"nanos":2147483647}'],
  ['-9223372036854775808', '0', '{"seconds":-9223372036854775808,"nanos":0}'],
])('the point in time %s s and %s ns is %s', (seconds, nanos, json) => {
  expect(timestampJson(seconds, nanos)).toBe(json)
})

test.each([
  ['0', '0', '"0s"'],
  ['1', '500000000', '"1.500s"'],
  ['-1', '-500000000', '"-1.500s"'],
  ['0', '-1', '"-0.000000001s"'],
  ['-3', '0', '"-3s"'],
  ['3', '120000', '"3.000120s"'],
  ['315576000000', '999999999', '"315576000000.999999999s"'],
  ['-315576000000', '0', '"-315576000000s"'],
  ['315576000001', '0', '{"seconds":315576000001,"nanos":0}'],
  ['1', '-1', '{"seconds":1,"nanos":-1}'],
  ['-1', '1', '{"seconds":-1,"nanos":1}'],
  ['0', '1000000000', '{"seconds":0,"nanos":1000000000}'],
  ['9223372036854775807', '0', '{"seconds":9223372036854775807,"nanos":0}'],
])('the duration of %s s and %s ns is %s', (seconds, nanos, json) => {
  expect(durationJson(seconds, nanos)).toBe(json)
})
