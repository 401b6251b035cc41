// Any schema, any value: encoded by another library, read by ours, and the text is the one expected. Damage never throws.

import avro from 'avsc'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { avroDecoder } from './avro-decoder.ts'
import { Branch, RECORDS, type Kind } from './testing/avro-kinds.ts'
import type { ValueDecoder } from '../types.ts'
import { asText } from '../testing/as-text.ts'

const BIG_LONG = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(value)
    return bytes
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => Number(a - b),
})

/** What of the other library's types is used here. */
interface Encoder {
  readonly typeName: string
  readonly branchName: string
  readonly types: readonly Encoder[]
  readonly itemsType: Encoder
  readonly valuesType: Encoder
  field(name: string): { readonly type: Encoder }
  toBuffer(value: unknown): Buffer
}

/** Branches become objects with one member, but for null. */
function wrapped(type: Encoder, value: unknown): unknown {
  if (value instanceof Branch) {
    const branch = type.types[value.index]!
    return value.value === null ? null : { [branch.branchName]: wrapped(branch, value.value) }
  }
  if (Array.isArray(value)) return value.map((item) => wrapped(type.itemsType, item))
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
  const typeOf = (name: string): Encoder => (type.typeName === 'map' ? type.valuesType : type.field(name).type)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wrapped(typeOf(name), member)]))
}

class Codec {
  readonly decoder: ValueDecoder
  readonly #encoder: Encoder

  constructor(kind: Kind) {
    let names = 0
    const schema = kind.schema(() => `N${names++}`)
    const options = { registry: { long: BIG_LONG }, omitRecordMethods: true, wrapUnions: 'always' } as const
    this.#encoder = avro.Type.forSchema(withoutLogical(schema) as avro.Schema, options) as unknown as Encoder
    this.decoder = made(schema)
  }

  encode(value: unknown): Buffer {
    return this.#encoder.toBuffer(wrapped(this.#encoder, value))
  }
}

/** An annotated long would not be one of our own. */
function withoutLogical(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_, part: unknown) =>
    typeof part === 'object' && part !== null && 'logicalType' in part && 'type' in part ? part.type : part,
  )
}

function made(schema: unknown): ValueDecoder {
  const decoder = avroDecoder({ type: 'AVRO', text: JSON.stringify(schema), references: [] })
  if ('problem' in decoder) throw new Error(decoder.problem)
  return decoder
}

const RECORD_AND_VALUES = RECORDS.chain((kind) =>
  fc.array(kind.samples, { minLength: 5, maxLength: 5 }).map((samples) => ({ codec: new Codec(kind), samples })),
)

test('300 schemas, five values of each', () => {
  fc.assert(
    fc.property(RECORD_AND_VALUES, ({ codec, samples }) => {
      for (const { value, json } of samples) {
        expect(asText(codec.decoder.decode(codec.encode(value), 0, undefined))).toEqual({ json })
      }
    }),
    { numRuns: 300 },
  )
})

test('a value cut anywhere is a problem, and so is one that goes on', () => {
  fc.assert(
    fc.property(RECORD_AND_VALUES, ({ codec, samples: [sample] }) => {
      const whole = codec.encode(sample!.value)
      const around = Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), whole, Buffer.from([0])])
      expect(asText(codec.decoder.decode(around.subarray(0, -1), 5, undefined))).toEqual({ json: sample!.json })
      expect(asText(codec.decoder.decode(around, 5, undefined))).toEqual({
        problem: 'goes on after what its schema describes',
      })
      const lengths = Array.from({ length: whole.length }, (_, length) => length)
      const read = lengths.filter((length) => {
        const cut = asText(codec.decoder.decode(around.subarray(0, 5 + length), 5, undefined))
        return !('problem' in cut && cut.problem.startsWith('ends within field "'))
      })
      expect(read).toEqual([])
    }),
    { numRuns: 80 },
  )
})

test('random and damaged bytes give JSON or a problem in words', () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(RECORD_AND_VALUES, damage, fc.uint8Array({ maxLength: 60 }), ({ codec, samples }, damages, garbage) => {
      for (const { value } of samples) {
        const damaged = codec.encode(value)
        for (const [at, byte] of damages) if (damaged.length > 0) damaged[at % damaged.length] = byte
        for (const bytes of [damaged, Buffer.from(garbage)]) {
          const decoded = asText(codec.decoder.decode(bytes, 0, undefined))
          if ('json' in decoded) expect(() => JSON.parse(decoded.json) as unknown).not.toThrow()
          else expect(decoded.problem).toMatch(/^(ends|holds|goes on|is more|nests) /)
        }
      }
    }),
    { numRuns: 150 },
  )
})

test('what is no schema is said, whatever it is', () => {
  const parts = fc.constantFrom(
    'record',
    'enum',
    'fixed',
    'array',
    'map',
    'string',
    'N',
    'null',
    '',
    'n.N',
    '.',
    3,
    null,
  )
  const keys = ['type', 'name', 'namespace', 'fields', 'symbols', 'size', 'items', 'values', 'logicalType', 'precision']
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      parts,
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('json'), { maxKeys: 6 }),
    ),
  }))
  fc.assert(
    fc.property(json, fc.uint8Array(), (schema, garbage) => {
      const made = avroDecoder({ type: 'AVRO', text: JSON.stringify(schema), references: [] })
      if ('problem' in made) expect(made.problem).toMatch(/^(is|has|names|defines|nests) /)
      else
        expect(Object.keys(made.decode(Buffer.from(garbage), 0, undefined))).not.toEqual(
          expect.arrayContaining(['json', 'problem']),
        )
    }),
    { numRuns: 2000 },
  )
})
