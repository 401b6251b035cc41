// What a field of a message becomes: how it is read by each tag it may have, and written.

import { SchemaTrouble, quoted } from '../trouble.ts'
import type { ProtoFeatures, ProtoField } from './protobuf-file.ts'
import type { FieldPlan, MessagePlan, Reading, Scalar } from './protobuf-plan.ts'

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

/** @throws SchemaTrouble */
export function fieldPlan(declared: DeclaredField, type: FieldType, slot: number, oneof: readonly number[]): FieldPlan {
  const { field, name } = declared
  if (!(field.number >= 1 && field.number <= HIGHEST)) {
    throw new SchemaTrouble(`numbers the field ${quoted(name)} ${field.number}, which is no number of a field`)
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
export function readingsOf(field: FieldPlan): readonly (readonly [tag: number, reading: Reading])[] {
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
