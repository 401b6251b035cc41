// For tests: any Avro schema, and of each any value with the JSON it must become.

import * as fc from 'fast-check'
import { doubleText, floatText } from '../../json-number.ts'

/** A value as another library takes it (but for branches of unions), and as JSON. */
export interface AvroSample {
  readonly value: unknown
  readonly json: string
}

/** A type's schema, and any of its values. Names of types are given last, so that none is there twice. */
export interface Kind {
  readonly schema: (fresh: () => string) => unknown
  readonly samples: fc.Arbitrary<AvroSample>
  /** No two of a union are alike; undefined: unlike any other. */
  readonly label: string | undefined
}

/** A value of a union. */
export class Branch {
  readonly index: number
  readonly value: unknown

  constructor(index: number, value: unknown) {
    this.index = index
    this.value = value
  }
}

function leaf<T>(label: string, values: fc.Arbitrary<T>, json: (value: T) => string, annotation?: object): Kind {
  return {
    label,
    schema: () => (annotation === undefined ? label : { type: label, ...annotation }),
    samples: values.map((value) => ({ value, json: json(value) })),
  }
}

const LONGS = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -200n, max: 200n }))
const INTS = fc.oneof(fc.integer(), fc.integer({ min: -200, max: 200 }))
const DAYS = fc.integer({ min: -719_528, max: 2_932_896 })
const DECIMALS = fc.bigInt({ min: -(10n ** 49n), max: 10n ** 49n }).map(twosComplement)
const MILLIS = DAYS.chain((days) => fc.nat(86_399_999).map((rest) => BigInt(days * 86_400_000 + rest)))
const TEXTS = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 20, maxLength: 90 }),
)

const LEAVES: readonly Kind[] = [
  leaf('null', fc.constant(null), String),
  leaf('boolean', fc.boolean(), String),
  leaf('int', INTS, String),
  leaf('long', LONGS, String),
  leaf('float', fc.float(), floatText),
  leaf('double', fc.double(), doubleText),
  leaf('bytes', bytesOf({ maxLength: 40 }), base64),
  leaf('string', TEXTS, (value) => JSON.stringify(value)),
  leaf('string', fc.uuid(), (value) => `"${value}"`, { logicalType: 'uuid' }),
  leaf('int', DAYS, (days) => `"${iso(days * 86_400_000).slice(0, 10)}"`, { logicalType: 'date' }),
  leaf('long', MILLIS, (millis) => `"${iso(Number(millis))}"`, { logicalType: 'timestamp-millis' }),
  leaf('long', MILLIS, (millis) => `"${iso(Number(millis)).slice(0, -1)}"`, { logicalType: 'local-timestamp-millis' }),
  leaf('bytes', DECIMALS, decimal, { logicalType: 'decimal', precision: 50, scale: 3 }),
  leaf('int', INTS, String, { logicalType: 'timestamp-millis' }),
]

function bytesOf(constraints: fc.IntArrayConstraints): fc.Arbitrary<Buffer> {
  return fc.uint8Array(constraints).map((raw) => Buffer.from(raw))
}

function base64(raw: Buffer): string {
  return JSON.stringify(raw.toString('base64'))
}

function iso(millis: number): string {
  return new Date(millis).toISOString()
}

function twosComplement(value: bigint): Buffer {
  const size = Math.ceil((value.toString(2).length + 1) / 8)
  const bits = BigInt.asUintN(8 * size, value)
  return Buffer.from(bits.toString(16).padStart(2 * size, '0'), 'hex')
}

function decimal(raw: Buffer): string {
  const units = BigInt.asIntN(8 * raw.length, BigInt(`0x${raw.toString('hex')}`))
  const digits = String(units < 0n ? -units : units).padStart(4, '0')
  return `"${units < 0n ? '-' : ''}${digits.replace(/(...)$/, '.$1')}"`
}

const FIXEDS: fc.Arbitrary<Kind> = fc.nat(20).map((size) => ({
  label: undefined,
  schema: (fresh) => ({ type: 'fixed', name: fresh(), size }),
  samples: bytesOf({ minLength: size, maxLength: size }).map((value) => ({ value, json: base64(value) })),
}))

const ENUMS: fc.Arbitrary<Kind> = fc
  .uniqueArray(fc.stringMatching(/^[A-Za-z_]\w{0,9}$/), { minLength: 1 })
  .map((symbols) => ({
    label: undefined,
    schema: (fresh) => ({ type: 'enum', name: fresh(), symbols }),
    samples: fc.constantFrom(...symbols).map((value) => ({ value, json: JSON.stringify(value) })),
  }))

function arrayOf(items: Kind): Kind {
  return {
    label: 'array',
    schema: (fresh) => ({ type: 'array', items: items.schema(fresh) }),
    samples: fc.array(items.samples, { maxLength: 4 }).map((all) => ({
      value: all.map(({ value }) => value),
      json: `[${all.map(({ json }) => json).join()}]`,
    })),
  }
}

function mapOf(values: Kind): Kind {
  // the other library keeps maps as objects: no key that is an index or means something to those
  const keys = TEXTS.map((text) => `k${text}`)
  const entries = fc.tuple(keys, values.samples)
  return {
    label: 'map',
    schema: (fresh) => ({ type: 'map', values: values.schema(fresh) }),
    samples: fc.uniqueArray(entries, { maxLength: 4, selector: ([key]) => key }).map(objectOf),
  }
}

function recordOf(fields: readonly [string, Kind][]): Kind {
  return {
    label: undefined,
    schema: (fresh) => ({
      type: 'record',
      name: fresh(),
      fields: fields.map(([name, { schema }]) => ({ name, type: schema(fresh) })),
    }),
    samples: fc
      .tuple(...fields.map(([name, { samples }]) => samples.map((sample): [string, AvroSample] => [name, sample])))
      .map(objectOf),
  }
}

function objectOf(entries: readonly [string, AvroSample][]): AvroSample {
  return {
    value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
    json: `{${entries.map(([key, { json }]) => `${JSON.stringify(key)}:${json}`).join()}}`,
  }
}

function unionOf(branches: readonly Kind[]): Kind {
  return {
    label: 'union',
    schema: (fresh) => branches.map(({ schema }) => schema(fresh)),
    samples: fc.oneof(
      ...branches.map(({ samples }, index) =>
        samples.map(({ value, json }) => ({ value: new Branch(index, value), json })),
      ),
    ),
  }
}

const NAMES = fc.stringMatching(/^[a-z]\w{0,9}$/).filter((name) => !(name in {}))

const KINDS = fc.letrec<{ kind: Kind; plain: Kind; union: Kind }>((tie) => ({
  kind: fc.oneof({ maxDepth: 4 }, tie('plain'), tie('union')),
  plain: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...LEAVES),
    FIXEDS,
    ENUMS,
    tie('kind').map(arrayOf),
    tie('kind').map(mapOf),
    fieldsOf(tie('kind'), 0).map(recordOf),
  ),
  union: fc
    .uniqueArray(tie('plain'), { minLength: 1, maxLength: 5, selector: (kind) => kind.label ?? kind })
    .map(unionOf),
})).kind

function fieldsOf(kinds: fc.Arbitrary<Kind>, minLength: number): fc.Arbitrary<[string, Kind][]> {
  return fc.uniqueArray(fc.tuple(NAMES, kinds), { minLength, maxLength: 6, selector: ([name]) => name })
}

/** Records, as rows are. */
export const RECORDS: fc.Arbitrary<Kind> = fieldsOf(KINDS, 1).map(recordOf)
