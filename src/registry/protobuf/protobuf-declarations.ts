// What protoc would not have let through and nothing can be read by: fields that clash, entries that are none, empty enums.

import { SchemaTrouble, quoted } from '../trouble.ts'
import type { DeclaredField } from './protobuf-fields.ts'
import type { DeclaredEnum } from './protobuf-names.ts'
import { demandName } from './protobuf-names.ts'
import type { MessagePlan, Scalar } from './protobuf-plan.ts'
import { enumScalar, nullScalar, scalars } from './protobuf-scalars.ts'

/** @throws SchemaTrouble */
export function demandDistinct(message: string, fields: readonly DeclaredField[]): void {
  const numbers = new Set<number>()
  const names = new Set<string>()
  for (const { field, name } of fields) {
    if (numbers.has(field.number)) {
      throw new SchemaTrouble(`declares two fields of the number ${field.number} in ${quoted(message)}`)
    }
    if (names.has(name)) throw new SchemaTrouble(`declares two fields ${quoted(name)} in ${quoted(message)}`)
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
 *  @throws SchemaTrouble */
export function demandEntry({ name, fields }: Pick<MessagePlan, 'name' | 'fields'>): void {
  const [key, value] = fields
  const isEntry = fields.length === 2 && key!.number === 1 && value!.number === 2
  const isKey = key?.kind === 'value' && KEYS.has(key.scalar)
  const isValue = value?.kind === 'value' || value?.kind === 'message'
  if (!isEntry || !isKey || !isValue)
    throw new SchemaTrouble(`declares ${quoted(name)} as an entry of a map, which it is not`)
}

const NULL = 'google.protobuf.NullValue'

/** Of two names for one number the first is written.
 *  @throws SchemaTrouble */
export function enumOf({ name, type }: DeclaredEnum): Scalar {
  if (name === NULL) return nullScalar
  const names = new Map<number, string>()
  for (const value of type.values) {
    demandName(value.name)
    if (value.number !== (value.number | 0)) {
      throw new SchemaTrouble(
        `numbers ${quoted(value.name)} of ${quoted(name)} ${value.number}, which is beyond 32 bits`,
      )
    }
    if (!names.has(value.number)) names.set(value.number, JSON.stringify(value.name))
  }
  const [first] = names.values()
  if (first === undefined) throw new SchemaTrouble(`declares the enum ${quoted(name)} without a value`)
  return enumScalar(names, first)
}
