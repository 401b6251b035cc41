import { describe, expect, it } from 'vitest'
import { decoderOf, group, number, read, reference, schemaProblem, sized } from './testing/protobuf-bytes.ts'

describe('comments', () => {
  it('may touch words, and hold what names may not', () => {
    const text = 'syntax="proto3";message/**/M/* } */{int32/* a */a=/*=*/1/* " */;}// }'
    expect(read(decoderOf(text), number(1, 5))).toBe('{"a":5}')
  })

  it('are none within string literals, which hold none of their ends', () => {
    const text = String.raw`syntax = "proto3"; option (o) = "// \" /*"; option (p) = '\'//'; message M { int32 a = 1; }`
    expect(read(decoderOf(text), number(1, 5))).toBe('{"a":5}')
  })

  it.each([
    '/*',
    '/*/',
    '"',
    "'",
    '\\"',
    '/',
    '//',
    '{',
    '}',
    '\n',
    '"\n',
    '/* {',
    '//\n',
    'a.',
    '[',
    '-',
    ';',
    'message M{',
  ])('a text of nothing but %j is soon read', (part) => {
    const began = performance.now()
    for (const text of [part.repeat(1_000_000), `option (o) = {${part.repeat(1_000_000)}`]) {
      expect(schemaProblem(text)).toBeDefined()
    }
    // what grows by the square takes hours
    expect(performance.now() - began).toBeLessThan(40_000)
  })
})

describe('what protoc takes', () => {
  const proto2 = (body: string) => `syntax = "proto2"; message M { ${body} }`

  it.each([
    [
      'a minus apart from its number',
      'enum E { A = 0; B = - 1; C = -/**/2; reserved - 9 to - 7; } optional E e = 1 [default = C];',
    ],
    ['numbers of eight and of sixteen', 'enum E { Z = 0x0; B = -0X1; C = 010; } optional E e = 0x1;'],
    ['angles in an option', 'option (o) = { a < b: 1; > c: [< >, { }] }; enum E { A = 0; B = -1; } optional E e = 1;'],
    ['a shell’s comment in an option', 'option (o) = { # ] here \n }; enum E { A = 0; B = -1; } optional E e = 1;'],
    ['blanks in a type', 'message N { enum E { A = 0; B = -1; } } optional . M /* */ . N . \n E e = 1;'],
    [
      'an option of several strings',
      'enum E { A = 0; B = -1; } optional E e = 1 [(o) = "a" \'b\', deprecated = true];',
    ],
  ])('%s', (_, body) => {
    expect(read(proto2(body), number(1, -1))).toBe('{"e":"B"}')
  })

  it('groups with options, of a oneof, of an extension, and with extensions of their own', () => {
    const text = `package a . b ; message M { optional group Part = 1 [deprecated = true] { optional int32 a = 1; extensions 5; }
      oneof o { group One = 2 { optional int32 a = 1; } int32 two = 3; } extensions 100; }
      extend . a.b . M { optional group More = 100 { optional int32 a = 1; } }
      extend M.Part { optional int32 five = 5; }`
    expect(read(text, group(1, number(1, 1), number(5, 5)), group(2, number(1, 2)), group(100, number(1, 3)))).toBe(
      '{"part":{"a":1,"[a.b.five]":5},"one":{"a":2},"[a.b.more]":{"a":3}}',
    )
    expect(read(text, group(2, number(1, 2)), number(3, 7))).toBe('{"two":7}')
  })

  it('features in either form, of which others do not matter', () => {
    const text = (
      features: string,
    ) => `edition = "2024"; ${features} export message M { int32 a = 1; local enum E { A = 0; }
      M b = 2; int32 c = 3 [features = { [pb.x] { field_presence: IMPLICIT } field_presence: EXPLICIT, utf8_validation: NONE }]; }`
    const both = '{"a":0,"b":{"a":5}}'
    for (const features of [
      'option features.field_presence = IMPLICIT; option features.message_encoding = DELIMITED;',
      'option features = { message_encoding: DELIMITED; field_presence: IMPLICIT };',
    ]) {
      expect(read(text(features), group(2, number(1, 5)))).toBe(both)
    }
    expect(
      read(text('option features.(pb.x).field_presence = IMPLICIT; option (features).field_presence = IMPLICIT;')),
    ).toBe('{}')
  })

  it('words of the language as names', () => {
    const text = `syntax = "proto3"; message map { string map = 1; map<string, map> message = 2; export service = 3; } message export {}`
    expect(read(text, sized(1, 'x'), sized(3))).toBe('{"map":"x","message":{},"service":{}}')
  })

  it('the name __proto__', () => {
    const text =
      'syntax = "proto3"; message M { int32 __proto__ = 1; __proto__ b = 2; } message __proto__ { int32 constructor = 1; }'
    expect(read(text, number(1, 5), sized(2))).toBe('{"__proto__":5,"b":{"constructor":0}}')
  })

  it('imports for options only, whose names are none of the file’s', () => {
    const text = 'edition = "2024"; import option "o.proto"; message M { int32 a = 1 [(o.x) = 1]; }'
    expect(read(text, number(1, 5))).toBe('{"a":5}')
  })
})

it.each([
  ['message M { int32 a = 1; }', 'found "int32" in line 1'],
  ['syntax = "proto3";\nmessage M {\nrequired int32 a = 1; }', 'found "required" in line 3'],
  ['message M { oneof o { optional int32 a = 1; } }', 'found "optional" in line 1'],
  ['message M { oneof o { map<int32, int32> a = 1; } }', 'found "map" in line 1'],
  ['message M { optional int32 a = 1.5; }', 'found "1.5" in line 1'],
  ['message M { optional int32 a = 08; }', 'found "08" in line 1'],
  ['message M { option a = 1, b = 2; }', 'found "," in line 1'],
  ['message M { optional int32 a = 1 [b = 1; ] }', 'found ";" in line 1'],
  ['message M { reserved 1 }', 'found "}" in line 1'],
  ['message M {', 'it ends in line 1'],
  ['message M {} }', 'found "}" in line 1'],
  ['service S; message M {}', 'found ";" in line 1'],
  ['package a; package b;', 'found "package" in line 1'],
  ['message M {} syntax = "proto3";', 'found "syntax" in line 1'],
  ['\nimport "a.proto;\n', 'found "\\"a.proto;\\n" in line 2'],
  ['/* \n', 'found "/* \\n" in line 1'],
  ['export message M {}', 'found "export" in line 1'],
  ['{"type":"record"}', 'found "{" in line 1'],
])('%s is none', (text, problem) => {
  expect(schemaProblem(text)).toBe(`is not a .proto text that can be read: ${problem}`)
})

describe('too much', () => {
  const fields = (count: number, of = 'optional int32 f'): string =>
    Array.from({ length: count }, (_, index) => `${of}${index} = ${index + 1};`).join('')

  it.each([
    ['fields', `message M { ${fields(100_001)} }`],
    ['messages', 'message M {}'.repeat(100_001)],
    ['values', `enum E { ${fields(100_001, 'V')} }`],
    ['imports', 'import "a.proto";'.repeat(100_001)],
    ['all together', `message M { ${fields(60_000)} } enum E { ${fields(50_000, 'V')} }`],
    // a name counts with all that it is in: as text they take a thousandth of it
    [
      'characters of full names',
      `message ${'M'.repeat(1_000_000)} { ${fields(1_000, 'message N').replaceAll(/ = \d+;/g, '{}')} }`,
    ],
  ])('of %s is refused', (_, text) => {
    expect(schemaProblem(text)).toBe('declares too much to be read')
  })

  it('is refused also in what a schema imports, all files together', () => {
    const file = (name: string): string => `syntax = "proto3"; message ${name} { ${fields(20_000, 'int32 f')} }`
    const imports = (count: number): string =>
      Array.from({ length: count }, (_, index) => `import "${index}.proto";`).join('')
    const references = (count: number) =>
      Array.from({ length: count }, (_, index) => reference(`${index}.proto`, file(`N${index}`)))
    const text = (count: number) => `syntax = "proto3"; ${imports(count)} message M {}`
    expect(schemaProblem(text(4), references(4))).toBeUndefined()
    expect(schemaProblem(text(5), references(5))).toBe('imports "4.proto", which declares too much to be read')
  })

  it('is not a message of many fields, nor what is reserved or said of options', () => {
    const ranges = Array.from({ length: 50_000 }, (_, index) => 3 * index + 100_000).join()
    const text = `syntax = "proto2"; message M { reserved ${ranges}; option (o) = { ${'a: 1 '.repeat(200_000)} }; ${fields(50_000)} }`
    expect(read(text, number(50_000, 7))).toBe('{"f49999":7}')
  })

  it('is a message that is more than 100 deep', () => {
    const nested = (depth: number) => 'message M {'.repeat(depth) + '}'.repeat(depth)
    expect(schemaProblem(nested(100))).toBeUndefined()
    expect(schemaProblem(nested(101))).toBe('declares messages more than 100 deep')
  })
})
