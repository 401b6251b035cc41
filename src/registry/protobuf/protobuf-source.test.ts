import { describe, expect, it } from 'vitest'
import { SchemaTrouble } from '../trouble.ts'
import { protoSource } from './protobuf-source.ts'
import { decoderOf, number, read, schemaProblem } from './protobuf-test-bytes.ts'

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
  const fields = (count: number, of = 'int32 f'): string =>
    Array.from({ length: count }, (_, index) => `${of}${index} = ${index + 1};`).join('')

  it.each([
    ['fields', `message M { ${fields(5_001)} }`],
    ['members of a oneof', `message M { oneof o { ${fields(3_000)} } ${fields(3_000, 'int64 g')} }`],
    ['extensions', `extend M { ${fields(2_600, 'optional int32 e')} } extend M{${fields(2_600, 'optional int32 g')}}`],
    ['groups', `message M { ${fields(5_001, 'optional group G').replaceAll(';', '{}')} }`],
    ['several messages', `message M { ${fields(4_000)} } message N { ${fields(4_000)} }`],
    ['a message that never ends', `message M { ${fields(5_001)}`],
  ])('of %s is refused before it is parsed', (_, text) => {
    expect(() => protoSource(text)).toThrow(SchemaTrouble)
    expect(schemaProblem(text)).toBe('declares too much in too few messages to be read')
  })

  it('is not what lies in many messages, or in an enum', () => {
    const inner = Array.from({ length: 200 }, (_, index) => `message N${index} { ${fields(100)} }`).join('')
    const values = `enum E { ${fields(20_000, 'V')} }`
    expect(protoSource(values)).toBe(values)
    const text = `syntax = "proto3"; message M { ${inner} ${fields(100)} } ${inner}`
    expect(protoSource(text)).toBe(text)
  })
})
