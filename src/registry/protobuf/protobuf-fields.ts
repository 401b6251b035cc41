// What a field of a message becomes: how it is read by each tag it may have, and written.

import { SchemaError, quoted } from '../unreadable.ts'
import { demandName } from './protobuf-names.ts'
import type { DeclaredEnum } from './protobuf-names.ts'
import type { FieldPlan, MessagePlan, TagReading, Scalar } from './protobuf-plan.ts'
import { enumScalar, nullScalar, scalars } from './protobuf-scalars.ts'
import type { ProtoFeatures, ProtoField } from './protobuf-text.ts'

/** What a field's type name stands for. */
export type FieldType =
  | { readonly scalar: Scalar; readonly name: string }
  | { readonly message: MessagePlan; readonly isEntry: boolean; readonly name: string }

/** A field where it is declared. */
export interface DeclaredField {
  readonly field: ProtoField
  /** Its name in JSON: in brackets the full one of an extension. */
  readonly name: string
  /** Full name of the message or package its type is looked up from. */
  readonly scope: string
  readonly edition: string
  /** Its file's and its message's. */
  readonly features: ProtoFeatures
}

/** Numbers are 29 bits. */
const HIGHEST = 536_870_911

/** @throws SchemaError */
export function fieldPlan(declared: DeclaredField, type: FieldType, slot: number, oneof: readonly number[]): FieldPlan {
  const { field, name } = declared
  if (!(field.number >= 1 && field.number <= HIGHEST)) {
    throw new SchemaError(`numbers the field ${quoted(name)} ${field.number}, which is no number of a field`)
  }
  const presence = presenceOf(declared, 'message' in type)
  const kind = kindOf(declared, type)
  const first = `${JSON.stringify(name)}:`
  return {
    slot,
    name,
    number: field.number,
    kind,
    first: Buffer.from(first),
    next: Buffer.from(`,${first}`),
    absent: presence === 'implicit' ? Buffer.from(absentOf(kind, type)) : undefined,
    required: presence === 'required',
    scalar: 'scalar' in type ? type.scalar : undefined,
    message: 'message' in type ? type.message : undefined,
    oneof,
  }
}

/** Lists of numbers are read packed or not, whatever the schema says. */
export function readingsOf(field: FieldPlan): readonly (readonly [tag: number, reading: TagReading])[] {
  const tag = (wireType: number) => field.number * 8 + wireType
  const { kind, scalar } = field
  if (kind === 'value') return [[tag(scalar!.wireType), { how: 'value', field }]]
  if (kind === 'group' || kind === 'groups') return [[tag(3), { how: 'group', field }]]
  const span = [tag(2), { how: 'span', field }] as const
  return kind === 'values' ? [span, [tag(scalar!.wireType), { how: 'values', field }]] : [span]
}

function kindOf({ field, features }: DeclaredField, type: FieldType): FieldPlan['kind'] {
  const isList = field.label === 'repeated'
  if ('scalar' in type) return isList ? 'values' : 'value'
  if (type.isEntry && isList) return 'map'
  const encoding = field.features.message_encoding ?? features.message_encoding
  if (field.group || encoding === 'DELIMITED') return isList ? 'groups' : 'group'
  return isList ? 'messages' : 'message'
}

function presenceOf(
  { field, edition, features }: DeclaredField,
  isMessage: boolean,
): 'implicit' | 'explicit' | 'required' {
  const isList = field.label === 'repeated'
  if (isList && field.extendee === undefined) return 'implicit'
  if (isList) return 'explicit'
  const feature = field.features.field_presence ?? features.field_presence
  if (field.label === 'required' || feature === 'LEGACY_REQUIRED') return 'required'
  if (isMessage || field.explicit || field.extendee !== undefined) return 'explicit'
  return edition === 'proto3' || feature === 'IMPLICIT' ? 'implicit' : 'explicit'
}

function absentOf(kind: FieldPlan['kind'], type: FieldType): string {
  if (kind === 'map') return '{}'
  return kind === 'value' && 'scalar' in type ? type.scalar.zero : '[]'
}

/** @throws SchemaError */
export function demandDistinct(message: string, fields: readonly DeclaredField[]): void {
  const numbers = new Set<number>()
  const names = new Set<string>()
  for (const { field, name } of fields) {
    if (numbers.has(field.number)) {
      throw new SchemaError(`declares two fields of the number ${field.number} in ${quoted(message)}`)
    }
    if (names.has(name)) throw new SchemaError(`declares two fields ${quoted(name)} in ${quoted(message)}`)
    numbers.add(field.number)
    names.add(name)
  }
}

const KEYS: ReadonlySet<Scalar | undefined> = new Set(
  [
    'int32',
    'int64',
    'uint32',
    'uint64',
    'sint32',
    'sint64',
    'fixed32',
    'fixed64',
    'sfixed32',
    'sfixed64',
    'bool',
    'string',
  ].map((name) => scalars.get(name)),
)

/** A key and a value.
 *  @throws SchemaError */
export function demandEntry({ name, fields }: Pick<MessagePlan, 'name' | 'fields'>): void {
  const [key, value] = fields
  const isEntry = fields.length === 2 && key!.number === 1 && value!.number === 2
  const isKey = key?.kind === 'value' && KEYS.has(key.scalar)
  const isValue = value?.kind === 'value' || value?.kind === 'message'
  if (!isEntry || !isKey || !isValue)
    throw new SchemaError(`declares ${quoted(name)} as an entry of a map, which it is not`)
}

const NULL = 'google.protobuf.NullValue'

/** Of two names for one number the first is written.
 *  @throws SchemaError */
export function enumOf({ name, type }: DeclaredEnum): Scalar {
  if (name === NULL) return nullScalar
  const names = new Map<number, string>()
  for (const value of type.values) {
    demandName(value.name)
    if (value.number !== (value.number | 0)) {
      throw new SchemaError(`numbers ${quoted(value.name)} of ${quoted(name)} ${value.number}, which is beyond 32 bits`)
    }
    if (!names.has(value.number)) names.set(value.number, JSON.stringify(value.name))
  }
  const [first] = names.values()
  if (first === undefined) throw new SchemaError(`declares the enum ${quoted(name)} without a value`)
  return enumScalar(names, first)
}
