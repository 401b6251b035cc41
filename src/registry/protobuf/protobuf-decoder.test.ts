import { expect, test } from 'vitest'
import { decoderOf, group, number, read, sized } from './testing/protobuf-bytes.ts'

function one(fields: string, ...parts: readonly Buffer[]): string {
  return read(`syntax = "proto3"; message M { ${fields} } enum E { A = 0; B = 1; C = -2; }`, ...parts)
}

const HIGHEST = 2n ** 64n - 1n

// what an encoder writes is in protobuf-fuzz.test.ts
test.each([
  ['int32', number(1, 2 ** 32 + 7), '7'],
  ['sint32', number(1, 4_294_967_295), '-2147483648'],
  ['int64', number(1, -(2n ** 63n)), '-9223372036854775808'],
  ['uint64', number(1, HIGHEST), '18446744073709551615'],
  ['bool', number(1, 2n ** 40n), 'true'],
  ['fixed32', Buffer.from('0dffffffff', 'hex'), '4294967295'],
  ['sfixed64', Buffer.from('090000000000000080', 'hex'), '-9223372036854775808'],
  ['double', Buffer.from('09000000000000f07f', 'hex'), '"Infinity"'],
  ['string', sized(1, 'é"\\\u0001\u2028😀\ufffd'), '"é\\"\\\\\\u0001\u2028😀\ufffd"'],
  ['bytes', sized(1, Buffer.from([251, 255, 254])), '"+//+"'],
  ['E', number(1, -2), '"C"'],
  ['E', number(1, 77), '77'],
])('%s: %j is %s', (type, bytes, json) => {
  expect(one(`${type} f = 1;`, bytes)).toBe(`{"f":${json}}`)
  // the same with presence, in a list, packed, and as a value of a map
  expect(one(`optional ${type} f = 1;`, bytes)).toBe(`{"f":${json}}`)
  expect(one(`repeated ${type} f = 1;`, bytes, bytes)).toBe(`{"f":[${json},${json}]}`)
  if (bytes[0] !== 10)
    expect(one(`repeated ${type} f = 1;`, sized(1, bytes.subarray(1), bytes.subarray(1)), bytes)).toBe(
      `{"f":[${json},${json},${json}]}`,
    )
  expect(
    one(`map<int32, ${type}> m = 2;`, sized(2, number(1, 7), Buffer.from([bytes[0]! + 8]), bytes.subarray(1))),
  ).toBe(`{"m":{"7":${json}}}`)
})

test('what is absent has its default, except where absence is known', () => {
  const fields = `
    int64 a = 1; double b = 2; bool c = 3; string d = 4; bytes e = 5; E f = 6; repeated M g = 7; map<string, M> h = 8;
    M i = 9; optional int32 j = 10; oneof o { string k = 11; M l = 12; } repeated int32 m = 13;`
  expect(one(fields)).toBe('{"a":0,"b":0,"c":false,"d":"","e":"","f":"A","g":[],"h":{},"m":[]}')
})

test('what is set to its default and known to be set is written', () => {
  const fields = 'optional int32 a = 1; oneof o { string b = 2; M c = 3; } M d = 4;'
  expect(one(fields, number(1, 0), sized(2), sized(4))).toBe('{"a":0,"b":"","d":{}}')
})

test('fields come in the order of their declaration and by the names of the file', () => {
  const fields = 'int32 snake_case = 9; int32 camelCase = 2 [json_name = "other"]; int32 a = 536870911;'
  expect(one(fields, number(536_870_911, 3), number(2, 2), number(9, 1))).toBe('{"snake_case":1,"camelCase":2,"a":3}')
})

test('of a field the last one counts, and messages merge', () => {
  const fields = 'int32 a = 1; M b = 2; repeated int32 c = 3; string d = 4;'
  const parts = [number(1, 1), number(1, 2), sized(4, 'x'), sized(4, 'y')]
  expect(one(fields, ...parts)).toBe('{"a":2,"c":[],"d":"y"}')
  const merged = [sized(2, number(1, 1), number(3, 1)), number(1, 5), sized(2, number(3, 2), sized(2, number(1, 9)))]
  expect(one(fields, ...merged, sized(2, sized(2, sized(4, 'z'))))).toBe(
    '{"a":5,"b":{"a":1,"b":{"a":9,"c":[],"d":"z"},"c":[1,2],"d":""},"c":[],"d":""}',
  )
})

test('of a oneof the last member counts; the same message twice merges, unless another came between', () => {
  const fields = 'oneof o { int32 a = 1; M b = 2; string c = 3; } oneof p { int32 d = 4; int32 e = 5; }'
  expect(one(fields, number(1, 1), sized(3, 'x'), number(5, 1), number(4, 2))).toBe('{"c":"x","d":2}')
  const [left, right] = [sized(2, number(4, 1)), sized(2, number(1, 2))]
  expect(one(fields, left, right)).toBe('{"b":{"a":2,"d":1}}')
  expect(one(fields, left, number(1, 7), right)).toBe('{"b":{"a":2}}')
})

test('maps: keys as texts, of one key the last, what lacks a key or a value has the default', () => {
  const key = (value: number) => sized(1, number(1, value), number(2, value * 2))
  expect(one('map<int32, int32> m = 1;', key(3), key(1), sized(1, number(1, 3), number(2, 9)))).toBe(
    '{"m":{"3":9,"1":2}}',
  )
  expect(one('map<string, M> m = 1;', sized(1), sized(1, sized(1, 'é"')))).toBe('{"m":{"":{"m":{}},"é\\"":{"m":{}}}}')
  expect(one('map<sint64, string> m = 1;', sized(1, number(1, 1)), sized(1, sized(2, 'x')))).toBe(
    '{"m":{"-1":"","0":"x"}}',
  )
  expect(one('map<bool, E> m = 1;', sized(1, number(1, 1), number(2, 1)), sized(1))).toBe(
    '{"m":{"true":"B","false":"A"}}',
  )
  expect(one('map<string, bytes> m = 1;', sized(1, sized(1, '__proto__'), sized(2, 'a')))).toBe(
    '{"m":{"__proto__":"YQ=="}}',
  )
  const overlong = Buffer.from('0a06088380001001', 'hex')
  expect(one('map<int32, int32> m = 1;', key(3), overlong)).toBe('{"m":{"3":1}}')
})

test('a map by its entry, as descriptors and the texts made of them have it', () => {
  const text = `syntax = "proto3"; message M { repeated PartEntry part = 1; PartEntry single = 2;
    message PartEntry { option map_entry = true; string value = 2; int32 key = 1; } }`
  const entry = [sized(2, 'x'), number(1, 4)]
  expect(read(text, sized(1, ...entry), sized(2, ...entry))).toBe('{"part":{"4":"x"},"single":{"key":4,"value":"x"}}')
})

test('unknown fields and other wire types are passed', () => {
  const fields = 'int32 a = 1; string b = 2; repeated int32 c = 3; M d = 4; repeated fixed32 e = 5;'
  const wrong = [sized(1, 'x'), number(2, 5), Buffer.from('1d00000000', 'hex'), number(4, 1), number(5, 1)]
  const unknown = [number(99, 1), sized(98, 'x'), Buffer.from('e90101234567890123456789', 'hex').subarray(0, 10)]
  expect(one(fields, ...wrong, ...unknown, group(97, number(1, 1), group(97)), number(1, 3))).toBe(
    '{"a":3,"b":"","c":[],"e":[]}',
  )
})

const PROTO2 = `
  message M {
    required int32 id = 1;
    optional string name = 2 [default = "x"];
    optional Kind kind = 3 [default = TWO];
    repeated group Item = 4 { optional int32 n = 1; repeated group Inner_Part = 2 { required bytes b = 1; } }
    optional group Single = 5 { optional int32 n = 1; optional int32 m = 2; }
    extensions 100 to max;
    extend M { optional int32 inside = 101; }
  }
  enum Kind { option allow_alias = true; ONE = 1; TWO = 2; ALSO_TWO = 2; }
  extend M { optional int64 outside = 100; repeated M more = 102; }`

test('proto2: what is absent is left out, but lists', () => {
  expect(read(PROTO2, number(1, 1))).toBe('{"id":1,"item":[]}')
})

test('proto2: enums have the first of two names, extensions their full name', () => {
  const parts = [number(1, 1), number(3, 2), number(100, -1), number(101, 4), sized(102, number(1, 2))]
  expect(read(PROTO2, ...parts)).toBe(
    '{"id":1,"kind":"TWO","item":[],"[outside]":-1,"[more]":[{"id":2,"item":[]}],"[M.inside]":4}',
  )
})

test('proto2: groups, in a list and merged', () => {
  const inner = group(2, sized(1, 'a'))
  const items = [group(4, number(1, 1), inner, inner), group(4)]
  const single = [group(5, number(1, 1)), group(5, number(2, 2)), group(5, number(1, 3))]
  expect(read(PROTO2, number(1, 1), ...items, ...single)).toBe(
    '{"id":1,"item":[{"n":1,"inner_part":[{"b":"YQ=="},{"b":"YQ=="}]},{"inner_part":[]}],"single":{"n":3,"m":2}}',
  )
})

test.each([
  ['', 'lacks what its schema requires in field "id"'],
  ['0801620c', 'ends too early'],
  ['080123', 'ends too early'],
  ['0801231323', 'ends too early'],
  ['08012314', 'ends a group that is not the last it began'],
  ['080124', 'ends a group that is not the last it began'],
  ['080123132a', 'ends too early'],
  ['080123131424', 'lacks what its schema requires in field "item.inner_part.b"'],
])('proto2: %s is none', (hex, problem) => {
  expect(read(PROTO2, Buffer.from(hex, 'hex'))).toBe(problem)
})

test('editions: presence and encoding by their features', () => {
  const text = `edition = "2023"; option features.field_presence = IMPLICIT;
    message M {
      int32 implicit = 1; int32 explicit = 2 [features.field_presence = EXPLICIT];
      int32 needed = 3 [features.field_presence = LEGACY_REQUIRED];
      M delimited = 4 [features.message_encoding = DELIMITED]; repeated M all = 5 [features.message_encoding = DELIMITED];
      oneof o { int32 a = 6; }
    }`
  const [needed] = [number(3, 0)]
  expect(read(text, needed)).toBe('{"implicit":0,"needed":0,"all":[]}')
  expect(read(text, needed, group(4, needed, number(2, 0)), group(5, needed))).toBe(
    '{"implicit":0,"needed":0,"delimited":{"implicit":0,"explicit":0,"needed":0,"all":[]},"all":[{"implicit":0,"needed":0,"all":[]}]}',
  )
  expect(read(text)).toBe('lacks what its schema requires in field "needed"')
  expect(read('edition = "2023"; message M { int32 a = 1; repeated int32 b = 2; map<int32, M> c = 3; }')).toBe(
    '{"b":[],"c":{}}',
  )
})

test('a whole file may be delimited, but not its maps', () => {
  const text = `edition = "2023"; option features.message_encoding = DELIMITED;
    message M { M a = 1; map<int32, M> m = 2; int32 n = 3; }`
  expect(read(text, group(1, number(3, 1)), sized(2, number(1, 5), sized(2, number(3, 2))))).toBe(
    '{"a":{"m":{},"n":1},"m":{"5":{"m":{},"n":2}}}',
  )
})

test.each([
  ['0a02ff41', 'holds a string that is not UTF-8 in field "a"'],
  ['0a03eda080', 'holds a string that is not UTF-8 in field "a"'],
  ['1a050a036100ff', 'holds a string that is not UTF-8 in field "m"'],
  ['12', 'ends too early'],
  ['12050a03', 'ends too early'],
  ['12020a03', 'ends within field "b"'],
  ['1205120312010a', 'ends within field "b.b.b"'],
  ['00', 'holds a field of the number 0'],
  ['0800', undefined],
  ['08ffffffffffffffffff02', 'holds a number of more than 64 bits'],
  ['0ae80710', 'ends too early'],
  ['220180', 'ends within field "c"'],
  ['0e', 'holds a field of the wire type 6, which does not exist'],
  ['0f', 'holds a field of the wire type 7, which does not exist'],
  ['ffffffff1f', 'holds a tag or a length of more than 32 bits'],
  ['888080808000', 'holds a tag or a length of more than 32 bits'],
  ['08ffffffffffffffffff8100', 'holds a number of more than 64 bits'],
  ['3b'.repeat(1000), 'holds groups more than 256 deep'],
  ['f1ffffff0f01020304050607', 'ends too early'],
  ['f5ffffff0f010203', 'ends too early'],
  ['2a03000000', 'ends within field "d"'],
  ['2a04000000002a0100', 'ends within field "d"'],
])('%s is a problem in words', (hex, problem) => {
  const text =
    'syntax = "proto3"; message M { string a = 1; M b = 2; map<string, int32> m = 3; repeated int32 c = 4; repeated fixed32 d = 5; }'
  expect(read(text, Buffer.from(hex, 'hex'))).toBe(problem ?? '{"a":"","m":{},"c":[],"d":[]}')
})

test('proto2 strings have to be UTF-8 too: JSON has no others', () => {
  expect(read('message M { optional string a = 1; }', sized(1, Buffer.from([255])))).toBe(
    'holds a string that is not UTF-8 in field "a"',
  )
})

function nested(levels: number, wrap: (inner: Buffer) => Buffer): Buffer {
  let bytes: Buffer = Buffer.alloc(0)
  for (let level = 0; level < levels; level++) bytes = wrap(bytes)
  return bytes
}

test.each([
  ['M a = 1;', (inner: Buffer) => sized(1, inner)],
  ['repeated M a = 1;', (inner: Buffer) => sized(1, inner)],
  ['repeated group A = 1 { optional M b = 1; }', (inner: Buffer) => group(1, sized(1, inner))],
])('%s nests as deep as 255, and what is deeper is a problem', (field, wrap) => {
  const text = field.includes('group') ? `message M { ${field} }` : `syntax = "proto3"; message M { ${field} }`
  const most = field.includes('group') ? 127 : 255
  const decoder = decoderOf(text)
  expect(JSON.parse(read(decoder, nested(most, wrap)))).toBeTypeOf('object')
  for (const levels of [most + 1, 5000]) {
    expect(read(decoder, nested(levels, wrap))).toMatch(
      /^holds (messages|groups) more than 256 deep in field "a\.[ab….]*"$/,
    )
  }
})

test('a value cannot become more than its length lets expect', () => {
  const long = 'x'.repeat(1000)
  const text = `syntax = "proto3"; message M { repeated N n = 1; } message N { int32 ${long} = 1; }`
  const decoded = read(text, Buffer.from('0a00'.repeat(20_000), 'hex'))
  expect(decoded).toMatch(/^makes more than \d+ bytes of JSON \(beyond max_request_bytes\) in field "n"$/)
})

test('one decoder reads value after value, also after a problem', () => {
  const decoder = decoderOf('syntax = "proto3"; message M { repeated int32 a = 1; M b = 2; }')
  expect(read(decoder, sized(2, number(1, 5)))).toBe('{"a":[],"b":{"a":[5]}}')
  expect(read(decoder, sized(2, number(1, 5)), Buffer.from([18]))).toBe('ends too early')
  expect(read(decoder, number(1, 1))).toBe('{"a":[1]}')
})

test('a message set is not read', () => {
  const text =
    'message M { optional S s = 1; } message S { option message_set_wire_format = true; extensions 4 to max; }'
  expect(read(text)).toBe('{}')
  expect(read(text, sized(1, group(1, number(2, 5), sized(3))))).toBe(
    'is of a message set, which is not read in field "s"',
  )
})
