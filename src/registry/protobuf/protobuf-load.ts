// A schema's files: its own first, then all that it imports, directly or not. Files that no registry stores come from
// protobuf-known-files.ts; a reference with the same path wins over them.

import { SchemaError, quoted } from '../unreadable.ts'
import type { RegisteredSchema } from '../types.ts'
import type { ProtoFile } from './protobuf-file.ts'
import { knownFile } from './protobuf-known-files.ts'
import { ProtoWork, readProtoText } from './protobuf-text.ts'
import { readDescriptor } from './protobuf-descriptor.ts'

/** A .proto text ends in ; or }, which base64 does not have. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** @throws SchemaError */
export function loadProtobuf(schema: RegisteredSchema): readonly ProtoFile[] {
  const texts = referenced(schema)
  const work = new ProtoWork()
  const files = [readFile(schema.text, '', work)]
  const loaded = new Set<string>()
  for (const file of files) {
    for (const { path, weak } of file.imports) {
      if (loaded.has(path)) continue
      loaded.add(path)
      const text = texts.get(path)
      const file = text === undefined ? knownFile(path) : readFile(text, path, work)
      if (file) files.push(file)
      else if (!weak) throw new SchemaError(`imports ${quoted(path)}, which is not among its references`)
    }
  }
  return files
}

/** The nearest reference of each path. */
function referenced(schema: RegisteredSchema): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const queue = [schema]
  for (const { references } of queue) {
    for (const { name, schema } of references) {
      if (texts.has(name)) continue
      texts.set(name, schema.text)
      queue.push(schema)
    }
  }
  return texts
}

function readFile(text: string, path: string, work: ProtoWork): ProtoFile {
  try {
    return BASE64.test(text.replaceAll(/\s/g, ''))
      ? readDescriptor(Buffer.from(text, 'base64'), path, work)
      : readProtoText(text, path, work)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    throw path === '' ? error : new SchemaError(`imports ${quoted(path)}, which ${error.message}`)
  }
}
