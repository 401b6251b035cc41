// Plans a field of a message: by which tags it is read, and how it is written.

import { SchemaError, quoted } from '../unreadable.ts'
import { demandName, type DeclaredEnum, type DeclaredField } from './protobuf-names.ts'
import type { FieldContent, FieldPlan, MessagePlan, TagReading, Scalar } from './protobuf-messages.ts'
import { enumScalar, nullScalar, scalars } from './protobuf-scalars.ts'

/** A resolved field type. */
export type FieldType =
  | { readonly scalar: Scalar; readonly name: string }
  | { readonly message: MessagePlan; readonly isEntry: boolean; readonly name: string }

/** Numbers are 29 bits. */
const HIGHEST = 536_870_911

/** @throws SchemaError */
export function fieldPlan(declared: DeclaredField, type: FieldType, slot: number, oneof: readonly number[]): FieldPlan {
  const { name } = declared
  const { number = 0 } = declared.field
  if (!(number >= 1 && number <= HIGHEST)) {
    throw new SchemaError(`numbers the field ${quoted(name)} ${number}, which is not a valid field number`)
  }
  const presence = presenceOf(declared, 'message' in type)
  const content = contentOf(declared, type)
  const first = `${JSON.stringify(name)}:`
  return {
    slot,
    name,
    number,
    content,
    first: Buffer.from(first),
    next: Buffer.from(`,${first}`),
    absent: presence === 'implicit' ? Buffer.from(absentOf(content)) : undefined,
    required: presence === 'required',
    oneof,
  }
}

/** Repeated numbers may come packed or not, whatever the schema says. */
export function readingsOf(field: FieldPlan): readonly (readonly [tag: number, reading: TagReading])[] {
  const tag = (wireType: number) => field.number * 8 + wireType
  const { content } = field
  if (content.kind === 'scalar') return [[tag(content.scalar.wireType), { how: 'scalar', field }]]
  const span = [tag(2), { how: 'span', field }] as const
  if (content.kind === 'scalars') return [span, [tag(content.scalar.wireType), { how: 'item', field }]]
  return content.isDelimited ? [[tag(3), { how: 'group', field }]] : [span]
}

export function isList({ field }: DeclaredField): boolean {
  return field.label === 'LABEL_REPEATED'
}

function contentOf(declared: DeclaredField, type: FieldType): FieldContent {
  const isMany = isList(declared)
  if ('scalar' in type) return { kind: isMany ? 'scalars' : 'scalar', scalar: type.scalar }
  const { message } = type
  if (isMany && type.isEntry) return { kind: 'map', message, isDelimited: false }
  return { kind: isMany ? 'messages' : 'message', message, isDelimited: isDelimited(declared) }
}

function isDelimited({ field, features }: DeclaredField): boolean {
  const encoding = field.options?.features?.message_encoding ?? features.message_encoding
  return field.type === 'TYPE_GROUP' || encoding === 'DELIMITED'
}

function presenceOf(declared: DeclaredField, isMessage: boolean): 'implicit' | 'explicit' | 'required' {
  const { field, file, features } = declared
  if (isList(declared)) return field.extendee === undefined ? 'implicit' : 'explicit'
  const feature = field.options?.features?.field_presence ?? features.field_presence
  if (field.label === 'LABEL_REQUIRED' || feature === 'LEGACY_REQUIRED') return 'required'
  // these track presence whatever their file's default is
  const isInOneof = field.oneof_index !== undefined || field.proto3_optional === true
  if (isMessage || isInOneof || field.extendee !== undefined) return 'explicit'
  return file.edition === 'proto3' || feature === 'IMPLICIT' ? 'implicit' : 'explicit'
}

function absentOf(content: FieldContent): string {
  if (content.kind === 'map') return '{}'
  return content.kind === 'scalar' ? content.scalar.zero : '[]'
}

/** @throws SchemaError */
export function demandDistinct(message: string, fields: readonly DeclaredField[]): void {
  const numbers = new Set<number>()
  const names = new Set<string>()
  for (const { field, name } of fields) {
    const { number = 0 } = field
    if (numbers.has(number)) {
      throw new SchemaError(`declares two fields of the number ${number} in ${quoted(message)}`)
    }
    if (names.has(name)) throw new SchemaError(`declares two fields ${quoted(name)} in ${quoted(message)}`)
    numbers.add(number)
    names.add(name)
  }
}

const NO_KEYS = new Set(['float', 'double', 'bytes'])
const KEYS = new Set([...scalars].flatMap(([name, scalar]) => (NO_KEYS.has(name) ? [] : scalar)))

/** A key and a value.
 *  @throws SchemaError */
export function demandEntry({ name, fields }: Pick<MessagePlan, 'name' | 'fields'>): void {
  const [key, value] = fields
  const isEntry = fields.length === 2 && key!.number === 1 && value!.number === 2
  const isKey = key?.content.kind === 'scalar' && KEYS.has(key.content.scalar)
  const holds = value?.content
  const isValue = holds?.kind === 'scalar' || (holds?.kind === 'message' && !holds.isDelimited)
  if (!isEntry || !isKey || !isValue)
    throw new SchemaError(`declares ${quoted(name)} as an entry of a map, which it is not`)
}

const NULL = 'google.protobuf.NullValue'

/** Makes the scalar of an enum; of two names for one number the first is written.
 *  @throws SchemaError */
export function enumOf({ name, type }: DeclaredEnum): Scalar {
  if (name === NULL) return nullScalar
  const names = new Map<number, string>()
  for (const { name: valueName, number = 0 } of type.value) {
    const json = JSON.stringify(demandName(valueName))
    if (number !== (number | 0)) {
      throw new SchemaError(`numbers ${json} of ${quoted(name)} ${number}, which is beyond 32 bits`)
    }
    if (!names.has(number)) names.set(number, json)
  }
  const [first] = names.values()
  if (first === undefined) throw new SchemaError(`declares the enum ${quoted(name)} without a value`)
  return enumScalar(names, first)
}
