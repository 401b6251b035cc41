import { describe, expect, it } from 'vitest'
import { SchemaError } from '../unreadable.ts'
import { protoSource } from './protobuf-source.ts'
import { decoderOf, number, read, reference, schemaProblem } from './testing/protobuf-bytes.ts'

describe('comments', () => {
  it.each([
    ['a // b\nc', 'a  \nc'],
    ['a// b', 'a '],
    ['int32/* x */a=1/* y */;', 'int32 a=1 ;'],
    ['a/* 1\n2\n*/b', 'a\n\nb'],
    ['a/**/b/***/c/*/*/d', 'a b c d'],
    ['"// a" \'/* b */\' // c', '"// a" \'/* b */\'  '],
    [String.raw`"\"// a" '\'' // "`, String.raw`"\"// a" '\''  `],
    ['"unclosed // a\n// b', '"unclosed // a\n '],
    ['a / b /', 'a / b /'],
    ['a /* unclosed', 'a /* unclosed'],
    ['// {\n/* { */ "{"', ' \n  "{"'],
  ])('of %j are a blank', (text, expected) => {
    expect(protoSource(text)).toBe(expected)
  })

  it('may touch words, and hold what names may not', () => {
    const text = 'syntax="proto3";message/**/M/* __proto__ */{int32/* a */a=/*=*/1/* " */;}// }'
    expect(read(decoderOf(text), number(1, 5))).toBe('{"a":5}')
  })

  it.each(['/*', '"', "'", '\\"', '/', '//', '{', '}', '\n', '"\n', '/* {'])(
    'a text of nothing but %j is soon read',
    (part) => {
      const text = part.repeat(1_000_000)
      const began = performance.now()
      expect(schemaProblem(text)).toBeDefined()
      // what grows by the square takes hours
      expect(performance.now() - began).toBeLessThan(20_000)
    },
  )
})

describe('too much', () => {
  const ranges = (count: number): string => Array.from({ length: count }, (_, index) => 3 * index + 100_000).join()
  const options = (count: number): string =>
    Array.from({ length: count }, (_, index) => `option features.f${index} = 1;`).join('')
  const fields = (count: number, of = 'int32 f'): string =>
    Array.from({ length: count }, (_, index) => `${of}${index} = ${index + 1};`).join('')

  it.each([
    ['fields', `message M { ${fields(5_001)} }`],
    ['members of a oneof', `message M { oneof o { ${fields(3_000)} } ${fields(3_000, 'int64 g')} }`],
    ['extensions', `extend M { ${fields(2_600, 'optional int32 e')} } extend M{${fields(2_600, 'optional int32 g')}}`],
    ['groups', `message M { ${fields(5_001, 'optional group G').replaceAll(';', '{}')} }`],
    ['several messages', `message M { ${fields(4_000)} } message N { ${fields(4_000)} }`],
    ['a message that never ends', `message M { ${fields(5_001)}`],
    ['reserved ranges', `message M { reserved ${ranges(20_000)}; ${fields(2_000)} }`],
    [
      'reserved ranges, one a line',
      `message M { ${ranges(20_000).replaceAll(/(\d+),?/g, 'reserved $1;')} ${fields(2_000)} }`,
    ],
    ['reserved names', `message M { ${fields(2_000)} reserved ${ranges(20_000).replaceAll(/\d+/g, '"n$&"')}; }`],
    ['reserved ranges of an enum', `enum E { ${fields(2_000, 'V')} reserved ${ranges(20_000)}; }`],
    [
      'reserved ranges of a group',
      `message M { optional group G = 1 { reserved ${ranges(20_000)}; ${fields(2_000)} } }`,
    ],
    ['ranges of extensions', `message M { extensions ${ranges(100_001)}; }`],
    ['options of one field', `message M { int32 a = 1 [${'(o).x = 1,'.repeat(5_001)} (o).x = 1]; }`],
    ['members of an option', `option (o) = { ${'a: 1 '.repeat(5_001)} };`],
    ['messages in an option', `message M { option (o) = { ${'a { b: 1 } '.repeat(5_001)} }; }`],
    ['messages in options of a field', `message M { int32 a = 1 [${'(o).x = { b: 1 },'.repeat(5_001)} (o).x = 1]; }`],
    ['options of a file and messages', `${options(4_000)} ${'message M {}'.repeat(4_000)}`],
    ['messages', 'message M {}'.repeat(100_001)],
    ['fields below a comment', `// enum of things\n/* a = b */ message M { ${fields(5_001)} }`],
    ['fields below a comment within', `message /* a = b */ M { ${fields(5_001)} }`],
    ['an option with a comment', `option (o) = /* x */ { ${'a { b: 1 } '.repeat(5_001)} };`],
  ])('of %s is refused before it is parsed', (_, text) => {
    expect(() => protoSource(text)).toThrow(SchemaError)
    expect(schemaProblem(text)).toBe('declares too much in too few messages to be read')
  })

  it('is refused also in what a schema imports, all files together', () => {
    const file = (name: string): string => `syntax = "proto3"; message ${name} { ${fields(2_000)} }`
    const imports = (count: number): string =>
      Array.from({ length: count }, (_, index) => `import "${index}.proto";`).join('')
    const references = (count: number) =>
      Array.from({ length: count }, (_, index) => reference(`${index}.proto`, file(`N${index}`)))
    expect(schemaProblem(`${imports(5)} ${file('M')}`, references(5))).toBeUndefined()
    expect(schemaProblem(`${imports(6)} ${file('M')}`, references(6))).toBe(
      'imports "5.proto", which declares too much in too few messages to be read',
    )
  })

  it('is not what a schema reserves and says of its fields as people do', () => {
    const text = `syntax = "proto3"; message M { reserved 5, 7 to 9, 100 to max; reserved "x", "y";
      extensions 50 to 60 [declaration = { number: 50, full_name: ".a", type: ".b" }, verification = DECLARATION];
      ${Array.from({ length: 500 }, (_, index) => `map<string, int32> m${index} = ${index + 1000} [deprecated = true, (o) = { a: 1, b { c: "," } }];`).join('')}
      oneof o { int32 a = 1; int32 b = 2; } } enum E { reserved 5 to 9; A = 0; }`
    expect(protoSource(text)).toBe(text)
  })

  it('is not what lies below comments', () => {
    const text = Array.from({ length: 6_000 }, (_, index) => `// = optional, extend\nmessage M${index} {}`).join('\n')
    expect(() => protoSource(text)).not.toThrow()
  })

  it('is not what lies in many messages, or in an enum', () => {
    const inner = Array.from({ length: 200 }, (_, index) => `message N${index} { ${fields(100)} }`).join('')
    const values = `enum E { ${fields(20_000, 'V')} }`
    expect(protoSource(values)).toBe(values)
    const text = `syntax = "proto3"; message M { ${inner} ${fields(100)} } ${inner}`
    expect(protoSource(text)).toBe(text)
  })
})
