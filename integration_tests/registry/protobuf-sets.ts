// Random sets of .proto files with values that Google's library wrote and read (protobuf_sets.py), held against our decoder: by the
// texts, as producers in Java register them, and by the descriptors, as all others do.

import { protobufDecoder } from '../../src/registry/protobuf/protobuf-decoder.ts'
import type { SchemaReference, ValueDecoder } from '../../src/registry/types.ts'
import { differenceOf } from './same-json.ts'

/** A line of what protobuf_sets.py writes. */
export interface ProtobufSet {
  /** Its path. */
  readonly root: string
  readonly files: Readonly<Record<string, ProtobufSetFile>>
  readonly values: readonly ProtobufSetValue[]
}

interface ProtobufSetFile {
  readonly text: string
  /** Base64. */
  readonly descriptor: string
  readonly imports: readonly string[]
}

interface ProtobufSetValue {
  readonly type: string
  readonly indexes: readonly number[]
  readonly textIndexes: readonly number[]
  /** Base64. */
  readonly bytes: string
  readonly json: string
}

/** @param lines of protobuf_sets.py */
export function readProtobufSets(lines: string): ProtobufSet[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ProtobufSet)
}

/** Every difference of a set, with the names of its file and type. */
export function differencesOf(set: ProtobufSet): string[] {
  return (['text', 'descriptor'] as const).flatMap((form) => {
    const made = protobufDecoder({
      type: 'PROTOBUF',
      text: set.files[set.root]![form],
      references: referencesOf(set, set.root, form),
    })
    if ('problem' in made) return [`${form}: its schema ${made.problem}`]
    const differences = set.values.flatMap((value) => differenceOfValue(value, form, made))
    return made.warning === undefined ? differences : [`${form}: its schema ${made.warning}`]
  })
}

function differenceOfValue(
  { type, indexes, textIndexes, bytes, json }: ProtobufSetValue,
  form: 'text' | 'descriptor',
  decoder: ValueDecoder,
): string[] {
  const path = form === 'text' ? textIndexes : indexes
  const header = Buffer.from([path.length, ...path].map((index) => index * 2))
  const decoded = decoder.decode(Buffer.from(bytes, 'base64'), 0, header)
  if ('problem' in decoded) return [`${form}: ${type} ${decoded.problem}`]
  if (decoded.name !== type) return [`${form}: ${type} is taken for ${decoded.name}`]
  const difference = differenceOf(json, decoded.json.toString())
  return difference === undefined ? [] : [`${form}: ${type} ${difference}`]
}

/** As a registry has them: each file with what it imports itself. */
function referencesOf({ files }: ProtobufSet, path: string, form: 'text' | 'descriptor'): readonly SchemaReference[] {
  const made = new Map<string, SchemaReference>()
  const referenceTo = (name: string): SchemaReference => {
    const known = made.get(name)
    if (known) return known
    const file = files[name]!
    const reference = {
      name,
      schema: { type: 'PROTOBUF' as const, text: file[form], references: file.imports.map(referenceTo) },
    }
    made.set(name, reference)
    return reference
  }
  return files[path]!.imports.map(referenceTo)
}
