import { describe, expect, test } from 'vitest'
import { decoderOf, number, read, reference, schemaProblem, sized } from './testing/protobuf-bytes.ts'
import { asText } from '../testing/as-text.ts'

test.each([
  ['message M { int32 a = 0; }', 'numbers the field "a" 0, which is not a valid field number'],
  ['message M { int32 a = 536870912; }', 'numbers the field "a" 536870912, which is not a valid field number'],
  ['message M { Missing a = 1; }', 'uses the type "Missing", which is declared nowhere'],
  ['message M { map<string, Missing> a = 1; }', 'uses the type "Missing", which is declared nowhere'],
  ['message M { .N a = 1; } package p; message N {}', 'uses the type ".N", which is declared nowhere'],
  ['package p; message M { .N a = 1; } message N {}', 'uses the type ".N", which is declared nowhere'],
  ['message M { E a = 1; } enum E { }', 'declares the enum "E" without a value'],
  ['message M { E a = 1; } enum E { A = 2147483648; }', 'numbers "A" of "E" 2147483648, which is beyond 32 bits'],
  ['message M { extensions 5; } extend Missing { int32 a = 5; }', 'uses the type "Missing", which is declared nowhere'],
  ['message M { int32 a = 1; int32 b = 1; }', 'declares two fields of the number 1 in "M"'],
  ['message M { int32 a = 1; string a = 2; }', 'declares two fields "a" in "M"'],
  ['message M {} message M {}', 'declares "M" twice'],
  ['message M {} enum M { A = 0; }', 'declares "M" twice'],
  ['message M { map<float, int32> a = 1; }', 'declares "M.AEntry" as an entry of a map, which it is not'],
  ['message M { int32 a = 1;', /^is not a \.proto text/],
  ['{"type":"record"}', /^is not a \.proto text/],
  ['message M { optional int32 a }', /^is not a \.proto text/],
  [
    'message M { repeated E a = 1; message E { option map_entry = true; string value = 2; } }',
    'declares "M.E" as an entry of a map, which it is not',
  ],
  [
    'message M { repeated E a = 1; message E { option map_entry = true; bytes key = 1; string value = 2; } }',
    'declares "M.E" as an entry of a map, which it is not',
  ],
])('%s', (text, problem) => {
  const found = schemaProblem(`syntax = "proto3"; ${text}`)
  if (typeof problem === 'string') expect(found).toBe(problem)
  else expect(found).toMatch(problem)
})

test.each([
  ['syntax = "proto4"; message M {}', 'is of the edition "proto4", which is not known'],
  ['edition = "2023"; message M { optional int32 a = 1; }', /^is not a \.proto text/],
  ['edition = "1999"; message M {}', 'is of the edition "1999", which is not known'],
])('%s', (text, problem) => {
  expect(schemaProblem(text)).toMatch(problem)
})

test('extensions that clash are a problem, but for options', () => {
  const text = (target: string) => `import "google/protobuf/descriptor.proto"; message M { extensions 5 to max; }
    extend ${target} { optional int32 one = 50000; } message Z { extend ${target} { optional int32 two = 50000; } }`
  expect(schemaProblem(text('M'))).toMatch(/two fields of the number 50000|duplicate id 50000/)
  expect(schemaProblem(text('google.protobuf.FieldOptions'))).toBeUndefined()
})

test('names are found from the innermost scope outwards', () => {
  const text = `syntax = "proto3"; package a.b;
    message M { Inner x = 1; .a.b.Inner y = 2; b.Inner z = 3; a.b.Inner w = 4; M.Inner v = 5; Outer u = 6; c.T t = 7;
      message Inner { int32 inner = 1; message Outer { int32 wrong = 1; } } }
    message Inner { int32 outer = 1; }
    message Outer { int32 right = 1; }`
  const c = reference('c.proto', 'syntax = "proto3"; package a.b.c; message T { int32 t = 1; } ')
  const parts = [1, 2, 3, 4, 5, 6, 7].map((field) => sized(field))
  expect(read(decoderOf(text.replace('package a.b;', 'package a.b; import "c.proto";'), [c]), ...parts)).toBe(
    '{"x":{"inner":0},"y":{"outer":0},"z":{"outer":0},"w":{"outer":0},"v":{"inner":0},"u":{"right":0},"t":{"t":0}}',
  )
})

test('a type of the file is not taken for one of another package with the same last name', () => {
  const other = reference('o.proto', 'syntax = "proto3"; package o; message M { message T { int32 other = 1; } }')
  const text =
    'syntax = "proto3"; package p; import "o.proto"; message A { T t = 1; o.M.T u = 2; } message T { int32 mine = 1; }'
  expect(read(decoderOf(text, [other]), sized(1), sized(2))).toBe('{"t":{"mine":0},"u":{"other":0}}')
})

test('names of Object.prototype are names like others', () => {
  const text = `syntax = "proto3"; package constructor.toString; message hasOwnProperty { int32 constructor = 1;
    valueOf toString = 2; map<string, int32> hasOwnProperty = 3; isPrototypeOf e = 4; oneof valueOf { int32 prototype = 5; } }
    message valueOf { int32 x = 1; } enum isPrototypeOf { toLocaleString = 0; }`
  expect(read(text, number(1, 1), sized(2), number(5, 0))).toBe(
    '{"constructor":1,"toString":{"x":0},"hasOwnProperty":{},"e":"toLocaleString","prototype":0}',
  )
})

test('options of whatever form are read over and change nothing', () => {
  const text = `syntax = "proto3"; import "google/protobuf/descriptor.proto"; option java_package = "x";
    option (file).constructor.prototype.polluted = "yes"; option constructor.prototype.polluted = "yes";
    extend google.protobuf.FieldOptions { Rule rule = 50001; string other = 50002; }
    message Rule { string a = 1; repeated Rule b = 2; }
    // a comment
    message M { option deprecated = true; option (x.y).z = { a: 1, b { c: "d" } e: [1, 2.5, -3] };
      string s = 1 [(rule) = { a: "x" b: [{ a: "y" }] }, (other) = 'z', json_name = "S", deprecated = true];
      reserved 5, 7 to 9, 100 to max; reserved "foo", "bar"; /* more */
    }
    service S { rpc Get(M) returns (stream M) { option (google.api.http) = { get: "/v1" additional_bindings { post: "/" } }; } }`
  // its messages are in their order: Rule is the first
  expect(read(text, sized(1, 'x'))).toBe('{"a":"x","b":[]}')
  expect(asText(decoderOf(text).decode(Buffer.from('02020a0178', 'hex'), 0, undefined))).toEqual({ json: '{"s":"x"}' })
  expect(({} as { polluted?: string }).polluted).toBeUndefined()
})

test('a service or an extension at the beginning does not hide the edition', () => {
  const service = 'service S { rpc Get(M) returns (M); }'
  expect(read(`syntax = "proto2"; ${service} message M { optional int32 a = 1; }`)).toBe('{}')
  expect(read(`syntax = "proto3"; ${service} message M { int32 a = 1; }`)).toBe('{"a":0}')
  expect(read('message M { optional int32 a = 1; }')).toBe('{}')
})

test('a field may be of a type that is a group', () => {
  const text = 'message M { optional group Part = 1 { optional int32 a = 1; } optional Part again = 2; }'
  expect(read(text, Buffer.from('0b08010c', 'hex'), sized(2, number(1, 2)))).toBe('{"part":{"a":1},"again":{"a":2}}')
})

describe('a file sees itself, its imports, and what those import publicly', () => {
  const bare = reference('money.proto', 'syntax = "proto3"; message Money { string amount = 1; }')
  const shop = (how: string, by = 'money.proto', of = bare) =>
    reference(
      'shop.proto',
      `syntax = "proto3"; package shop; import ${how} "${by}"; message Order { Money total = 1; }`,
      [of],
    )
  const text = (imports: string) =>
    `syntax = "proto3"; package shop; ${imports} message Basket { Order order = 1; } message Cents { int64 cents = 2; }`
  const order = sized(1, sized(1, sized(1, '9.90')))
  const other = reference('other.proto', 'syntax = "proto3"; package shop; message Money { int64 cents = 2; }')
  const right = '{"order":{"total":{"amount":"9.90"}}}'

  test.each(['', 'weak', 'public'])('import %s: a type of a file beside it is another one', (how) => {
    const decoder = decoderOf(text('import "shop.proto"; import "other.proto";'), [shop(how), other])
    expect(read(decoder, order)).toBe(right)
    expect(decoder.warning).toBeUndefined()
  })

  test('what an import imports publicly is seen, onward, and nothing behind one that is not', () => {
    const middle = (how: string) => reference('middle.proto', `import ${how} "money.proto";`, [bare])
    const outer = (how: string) => reference('outer.proto', 'import public "middle.proto";', [middle(how)])
    const made = (how: string) =>
      decoderOf(text('import "shop.proto"; import "other.proto";'), [shop('', 'outer.proto', outer(how)), other])
    expect(read(made('public'), order)).toBe(right)
    expect(made('public').warning).toBeUndefined()
    expect(
      schemaProblem(text('import "shop.proto"; import "other.proto";'), [shop('', 'outer.proto', outer('')), other]),
    ).toBe('uses the type "Money", which its file does not import and several others declare')
  })

  test('a type that it does not see is that of the one file that declares it, with a warning', () => {
    const blind = reference(
      'shop.proto',
      'syntax = "proto3"; package shop; message Order { Money total = 1; Money tax = 2; }',
    )
    const decoder = decoderOf(text('import "shop.proto"; import "money.proto";'), [blind, bare])
    expect(read(decoder, order)).toBe(right)
    expect(decoder.warning).toBe(
      'uses "Money" in files that do not import what declares them: taken from the one file that does.',
    )
    const both = text('import "shop.proto"; import "money.proto"; import "other.proto";')
    expect(schemaProblem(both, [blind, bare, other])).toBe(
      'uses the type "Money", which its file does not import and several others declare',
    )
    expect(schemaProblem(text('import "shop.proto";'), [blind])).toBe(
      'uses the type "Money", which is declared nowhere',
    )
  })

  test('of many such names the first five are named', () => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
    const all = reference('all.proto', `syntax = "proto3"; ${names.map((name) => `message ${name} {}`).join('')}`)
    const blind = names.map((name, index) => `.${name} f${index} = ${index + 1};`).join('')
    const middle = reference('middle.proto', 'import "all.proto";', [all])
    expect(decoderOf(`syntax = "proto3"; import "middle.proto"; message M { ${blind} }`, [middle]).warning).toBe(
      'uses ".A", ".B", ".C", ".D", ".E" and 2 more in files that do not import what declares them: taken from the one file that does.',
    )
  })

  test('copies of one file under two paths are one, wherever one of them is seen', () => {
    const copy = reference('copy.proto', bare.schema.text)
    const decoder = decoderOf(text('import "shop.proto"; import "money.proto";'), [shop('', 'copy.proto', copy), bare])
    expect(read(decoder, order)).toBe(right)
    expect(decoder.warning).toBeUndefined()
    const third = reference('third.proto', bare.schema.text)
    const thrice = text('import "money.proto"; import "copy.proto"; import "shop.proto";')
    expect(decoderOf(thrice, [shop('', 'third.proto', third), bare, copy]).warning).toBeUndefined()
  })

  test('the same holds for what is extended, for values of maps, and for enums', () => {
    const base = reference(
      'base.proto',
      'message Node { extensions 5; message M { extensions 5; } } enum Kind { PAID = 1; }',
    )
    const used = reference(
      'used.proto',
      `package b; import "base.proto"; message Holder { optional Node node = 1; optional .Node.M m = 2;
        map<string, Kind> kinds = 3; } extend Node { optional Kind kind = 5; } extend .Node.M { optional int32 m = 5; }`,
      [base],
    )
    const hiding = reference(
      'hiding.proto',
      'package b; message Node { extensions 5; message M { extensions 5; } } enum Kind { CLOSED = 1; }',
    )
    const root = 'import "used.proto"; import "hiding.proto"; message Root { optional b.Holder holder = 1; }'
    const value = [sized(1, number(5, 1)), sized(2, number(5, 7)), sized(3, sized(1, 'k'), number(2, 1))]
    expect(read(decoderOf(root, [used, hiding]), sized(1, ...value))).toBe(
      '{"holder":{"node":{"[b.kind]":"PAID"},"m":{"[b.m]":7},"kinds":{"k":"PAID"}}}',
    )
  })
})

test('extensions of a message set may have numbers of 32 bits, and only its values are not read', () => {
  const text = `message M { optional int32 a = 1; optional S s = 2; extensions 9; }
    message S { option message_set_wire_format = true; extensions 4 to max; }
    extend S { optional M m = 2147483646; }`
  expect(read(text, number(1, 5))).toBe('{"a":5}')
  expect(read(text, sized(2))).toBe('is of a message set, which is not read in field "s"')
  expect(schemaProblem(text.replace('extend S', 'extend M'))).toMatch(/not a valid field number$/)
})
