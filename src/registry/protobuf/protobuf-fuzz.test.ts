// Values encoded by another library, compared by text; then bytes no library would write.

import * as fc from 'fast-check'
import protobuf from 'protobufjs'
import { expect, test } from 'vitest'
import { protobufDecoder } from './protobuf-decoder.ts'
import { doubleText, floatText } from '../json-number.ts'
import { decoderOf, read } from './testing/protobuf-bytes.ts'
import { asText } from '../testing/as-text.ts'

/** Its type does not say all it has. */
const longs = protobuf.util.Long as unknown as { fromString(digits: string, unsigned: boolean): unknown }

const KINDS = ['NONE', 'ONE', 'TWO']

/** A scalar type: a value of it as protobufjs takes it, and its JSON. */
interface Kind {
  readonly type: string
  readonly values: fc.Arbitrary<{ readonly given: unknown; readonly json: string }>
  readonly zero: string
}

function kind<T>(
  type: string,
  values: fc.Arbitrary<T>,
  json: (value: T) => string,
  given: (value: T) => unknown = (value) => value,
  zero = '0',
): Kind {
  return { type, values: values.map((value) => ({ given: given(value), json: json(value) })), zero }
}

function long(type: string, unsigned: boolean): Kind {
  const values = unsigned
    ? fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
    : fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const small = fc.integer({ min: unsigned ? 0 : -300, max: 300 }).map(BigInt)
  return kind(type, fc.oneof(values, small), String, (value) => longs.fromString(String(value), unsigned))
}

const signed = fc.oneof(fc.integer(), fc.integer({ min: -300, max: 300 }))
const unsigned = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const string = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed())
const KNOWN: readonly Kind[] = [
  kind('int32', signed, String),
  kind('sint32', signed, String),
  kind('sfixed32', signed, String),
  kind('uint32', unsigned, String),
  kind('fixed32', unsigned, String),
  long('int64', false),
  long('sint64', false),
  long('sfixed64', false),
  long('uint64', true),
  long('fixed64', true),
  kind('bool', fc.boolean(), String, (value) => value, 'false'),
  kind('float', fc.float(), floatText),
  kind('double', fc.double(), doubleText),
  kind(
    'string',
    string,
    (value) => JSON.stringify(value),
    (value) => value,
    '""',
  ),
  kind(
    'bytes',
    fc.uint8Array(),
    (value) => `"${Buffer.from(value).toString('base64')}"`,
    (value) => value,
    '""',
  ),
  kind(
    'Kind',
    fc.integer({ min: -2, max: 4 }),
    (value) => (KINDS[value] === undefined ? String(value) : `"${KINDS[value]}"`),
    (value) => value,
    '"NONE"',
  ),
]

const KEYS = KNOWN.filter(({ type }) => !['float', 'double', 'bytes', 'Kind'].includes(type))

/** What can be given to a field, and the JSON of the field; undefined: it is left out. */
interface Member {
  readonly declared: string
  readonly values: fc.Arbitrary<{ readonly given: unknown; readonly json: string | undefined }>
}

type Message = fc.Arbitrary<{ readonly given: object; readonly json: string }>

function list(of: Kind['values']): Member['values'] {
  return fc.array(of, { maxLength: 4 }).map((values) => ({
    given: values.map(({ given }) => given),
    json: `[${values.map(({ json }) => json).join()}]`,
  }))
}

function map(key: Kind, of: Kind['values']): Member['values'] {
  const entry = fc.tuple(key.values, of)
  return fc.uniqueArray(entry, { maxLength: 4, selector: ([name]) => name.json }).map((entries) => {
    // protobufjs takes 64-bit keys as they are in JSON, too
    const named = entries.map(
      ([name, value]) => [name.json.startsWith('"') ? (JSON.parse(name.json) as string) : name.json, value] as const,
    )
    const usable = named.filter(([name]) => name !== '__proto__')
    const given = Object.fromEntries(usable.map(([name, value]) => [name, value.given]))
    // numbers come first in an object, whatever their place
    const jsons = new Map(usable.map(([name, { json }]) => [name, json]))
    return {
      given,
      json: `{${Object.keys(given)
        .map((name) => `${JSON.stringify(name)}:${jsons.get(name)}`)
        .join()}}`,
    }
  })
}

function maybe(of: Kind['values'], absent: string | undefined): Member['values'] {
  return fc.option(of).map((value) => value ?? { given: undefined, json: absent })
}

function members(inner: Kind['values']): readonly Member[] {
  const scalars = KNOWN.flatMap(({ type, values, zero }, index): Member[] => [
    { declared: `${type} one${index}`, values: maybe(values, zero) },
    { declared: `optional ${type} maybe${index}`, values: maybe(values, undefined) },
    { declared: `repeated ${type} all${index}`, values: list(values) },
    { declared: `map<string, ${type}> named${index}`, values: map(KNOWN[13]!, values) },
  ])
  const keyed = KEYS.map((key, index): Member => ({
    declared: `map<${key.type}, Kind> keyed${index}`,
    values: map(key, KNOWN[15]!.values),
  }))
  const messages: Member[] = [
    { declared: 'M inner', values: maybe(inner, undefined) },
    { declared: 'repeated M inners', values: list(inner) },
    { declared: 'map<int32, M> byNumber', values: map(KNOWN[0]!, inner) },
  ]
  return [...scalars, ...keyed, ...messages]
}

const NAMES = members(fc.constant({ given: {}, json: '' })).map(({ declared }) => declared.split(' ').at(-1)!)

function message(depth: number): Message {
  const all = members(
    depth === 0
      ? fc.constant({ given: {}, json: EMPTY })
      : fc.oneof({ weight: 3, arbitrary: fc.constant({ given: {}, json: EMPTY }) }, message(depth - 1)),
  )
  const some = fc.subarray([...all.keys()], { maxLength: 8 })
  return some.chain((chosen) =>
    fc.tuple(...chosen.map((index) => all[index]!.values)).map((values) => {
      const given = Object.fromEntries(chosen.map((index, place) => [NAMES[index]!, values[place]!.given]))
      const json = new Map(chosen.map((index, place) => [index, values[place]!.json]))
      const written = ABSENT.map((absent, index) => (json.has(index) ? json.get(index) : absent))
      return { given, json: object(written) }
    }),
  )
}

function object(jsons: readonly (string | undefined)[]): string {
  return `{${jsons.flatMap((json, index) => (json === undefined ? [] : [`"${NAMES[index]}":${json}`])).join()}}`
}

const ABSENT = NAMES.map((name) => {
  if (/^(?:maybe|inner$)/.test(name)) return undefined
  if (name.startsWith('one')) return KNOWN[Number(name.slice(3))]!.zero
  return /^(?:all|inners)/.test(name) ? '[]' : '{}'
})
const EMPTY = object(ABSENT)

const DECLARED = members(fc.constant({ given: {}, json: '' })).map(
  ({ declared }, index) => `${declared} = ${(index + 1) * 7};`,
)
const TEXT = `syntax = "proto3"; message M { ${DECLARED.join('\n')} } enum Kind { NONE = 0; ONE = 1; TWO = 2; }`
const decoder = decoderOf(TEXT)
const encoder = protobuf.parse(TEXT, new protobuf.Root(), { keepCase: true }).root.lookupType('M')

test('what protobufjs encodes is decoded to the text of the same value', () => {
  fc.assert(
    fc.property(message(2), ({ given, json }) => {
      expect(read(decoder, Buffer.from(encoder.encode(given).finish()))).toBe(json)
    }),
    { numRuns: 1000 },
  )
})

function outcome(bytes: Uint8Array): string {
  const decoded = asText(decoder.decode(Buffer.concat([Buffer.from([0]), bytes]), 0, undefined))
  if ('problem' in decoded) expect(decoded.problem).toMatch(/^(ends|holds|lacks) [^\n]+$/)
  else JSON.parse(decoded.json)
  return 'problem' in decoded ? 'problem' : 'json'
}

test('a value that breaks off is a problem or a shorter value, never an error', () => {
  fc.assert(
    fc.property(message(1), fc.double({ min: 0, max: 1, noNaN: true }), ({ given }, part) => {
      const bytes = encoder.encode(given).finish()
      outcome(bytes.subarray(0, Math.floor(bytes.length * part)))
    }),
    { numRuns: 500 },
  )
})

test('a value with other bytes in it, or of any bytes, is JSON or a problem', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(message(1), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), ({ given }, changes) => {
      const bytes = encoder.encode(given).finish()
      for (const [at, byte] of changes) bytes[at % (bytes.length || 1)] = byte
      seen.add(outcome(bytes))
    }),
    { numRuns: 1000 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void seen.add(outcome(bytes))),
    { numRuns: 2000 },
  )
  expect([...seen].sort()).toEqual(['json', 'problem'])
})

const WELL_KNOWN = ['any', 'duration', 'struct', 'timestamp', 'wrappers', 'field_mask', 'descriptor']
const MORE = `import "confluent/type/decimal.proto"; ${WELL_KNOWN.map((name) => `import "google/protobuf/${name}.proto";`).join(' ')}
  message W { optional google.protobuf.Any a = 1; optional google.protobuf.Duration b = 2; optional google.protobuf.Value c = 3;
    optional google.protobuf.Timestamp d = 4; optional google.protobuf.StringValue e = 5; optional google.protobuf.FieldMask f = 6;
    optional confluent.type.Decimal g = 7; optional group H = 8 { optional W w = 1; repeated group I = 2 { required int32 j = 1; } }
    optional google.protobuf.FileDescriptorProto k = 9; map<string, W> l = 10; oneof m { W n = 11; string o = 12; } }`

test('any bytes in well-known types and groups are JSON or a problem', () => {
  const decoder = decoderOf(MORE)
  const field = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.uint8Array({ maxLength: 30 }))
  fc.assert(
    fc.property(fc.array(field, { maxLength: 4 }), (fields) => {
      const parts = fields.map(([number, bytes]) =>
        Buffer.from([number * 8 + (number === 8 ? 3 : 2), ...(number === 8 ? [] : [bytes.length]), ...bytes]),
      )
      const decoded = asText(decoder.decode(Buffer.concat([Buffer.from([0]), ...parts]), 0, undefined))
      if ('json' in decoded) JSON.parse(decoded.json)
      else expect(decoded.problem).toMatch(/^(ends|holds|lacks) [^\n]+$/)
    }),
    { numRuns: 3000 },
  )
})

test('any text, or one with a hole in it, is a schema or a problem', () => {
  const texts = fc
    .tuple(fc.nat(TEXT.length), fc.nat(20), fc.string({ maxLength: 5 }))
    .map(([at, length, other]) => `${TEXT.slice(0, at)}${other}${TEXT.slice(at + length)}`)
  const found = new Set<string>()
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ maxLength: 200 }), fc.base64String()), (text) => {
      const made = protobufDecoder({ type: 'PROTOBUF', text, references: [] })
      if ('problem' in made) expect(made.problem).toMatch(/^(is|uses|declares|numbers|imports) /)
      found.add(Object.keys(made).join())
    }),
    { numRuns: 1000 },
  )
  expect([...found].sort()).toEqual(['problem', 'type,warning,decode'])
})
