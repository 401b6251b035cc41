// A schema's files: its own first, then every one it imports, however far away. Files a registry does not store because
// everybody has them come from protobuf-known-files.ts; a reference of the same path wins over them.

import { SchemaTrouble, quoted } from '../trouble.ts'
import { readDescriptor } from './protobuf-descriptor.ts'
import type { ProtoFile } from './protobuf-file.ts'
import { knownFile } from './protobuf-known-files.ts'
import { ProtoWork } from './protobuf-source.ts'
import { readProtoText } from './protobuf-text.ts'
import type { RegisteredSchema } from '../types.ts'

/** A .proto text holds characters base64 has not: it ends in ; or }. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** @throws SchemaTrouble */
export function loadProtobuf(schema: RegisteredSchema): readonly ProtoFile[] {
  const texts = referenced(schema)
  const work = new ProtoWork()
  const files = [readFile(schema.text, '', work)]
  const loaded = new Set<string>()
  for (const file of files) {
    for (const { path, weak } of file.imports) {
      if (loaded.has(path)) continue
      loaded.add(path)
      const text = texts.get(path) ?? knownFile(path)
      if (text !== undefined) files.push(readFile(text, path, work))
      else if (!weak) throw new SchemaTrouble(`imports ${quoted(path)}, which is not among its references`)
    }
  }
  return files
}

/** By path: the nearest reference of each. */
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
      ? readDescriptor(Buffer.from(text, 'base64'), work)
      : readProtoText(text, work)
  } catch (error) {
    if (!(error instanceof SchemaTrouble)) throw error
    throw path === '' ? error : new SchemaTrouble(`imports ${quoted(path)}, which ${error.message}`)
  }
}
