// Decodes Protobuf values by their schema. A schema's files are loaded and linked once. Of each value, the message indexes in front of it or
// in its header say which message of the schema it is (protobuf-indexes.ts), and protobuf-messages.ts writes its JSON.

import { SchemaError, ValueError, quoted } from '../unreadable.ts'
import type { MakeDecoder, RegisteredSchema, ValueDecoder } from '../types.ts'
import { readDescriptor } from './protobuf-descriptor.ts'
import type { ProtoFile } from './protobuf-file.ts'
import { findMessage } from './protobuf-indexes.ts'
import { knownFile } from './protobuf-known-files.ts'
import { linkProtobuf, type LinkedMessage } from './protobuf-link.ts'
import { ProtobufMessages } from './protobuf-messages.ts'
import { ProtoWork, readProtoText } from './protobuf-text.ts'

export const protobufDecoder: MakeDecoder = (schema, mostBytes) => {
  try {
    const { roots, unseen } = linkProtobuf(loadProtobuf(schema))
    if (roots.length === 0) return { problem: 'declares no message' }
    const warning = unseen.size === 0 ? undefined : unseenWords([...unseen])
    return { type: 'PROTOBUF', warning, decode: decodeBy(roots, new ProtobufMessages(mostBytes)) }
  } catch (error) {
    return { problem: error instanceof SchemaError ? error.message : unforeseen(error) }
  }
}

function unseenWords(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(quoted).join(', ')
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return `uses ${shown}${more} in files that do not import what declares them: taken from the one file that does.`
}

/** The problem of an error that decoders do not throw themselves: a stack overflow, too little memory, or a bug. */
function unforeseen(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deep or too large to be read'
  return `cannot be read: ${error instanceof Error ? error.name : typeof error}`
}

/** Makes the `decode` of a schema (ValueDecoder of types.ts) whose file has the messages `roots`. */
function decodeBy(roots: readonly LinkedMessage[], messages: ProtobufMessages): ValueDecoder['decode'] {
  const { wire, output } = messages
  return (bytes, from, indexes) => {
    try {
      const { plan } = findMessage(roots, wire, indexes, bytes, from)
      messages.begin(bytes.length)
      // the value is what `wire` has not passed yet
      const onePart = [wire.at, bytes.length]
      const firstLevel = 1
      messages.message(plan, onePart, 0, onePart.length, firstLevel)
      return { json: output.take(), name: plan.name }
    } catch (error) {
      return { problem: error instanceof ValueError ? error.words() : unforeseen(error) }
    } finally {
      wire.unload()
      output.drop()
    }
  }
}

/** A descriptor, whose text is base64. A .proto text ends in ; or }, which base64 does not have. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Reads the files of a schema: its own first, then all that it imports, directly or not. An imported file is a reference of the schema, or
 *  else one of protobuf-known-files.ts, which no registry stores. Throws a SchemaError. */
function loadProtobuf(schema: RegisteredSchema): readonly ProtoFile[] {
  const texts = referencedTexts(schema)
  const work = new ProtoWork() // counts what all files declare
  const files = [readFile(schema.text, '', work)] // grows while it is walked
  const loaded = new Set<string>()
  for (const { imports } of files) {
    for (const { path, weak } of imports) {
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

/** The texts that a schema refers to, directly or not, by their paths. Of two with the same path it is the nearest. */
function referencedTexts(schema: RegisteredSchema): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const queue = [schema] // grows while it is walked
  for (const { references } of queue) {
    for (const { name, schema: referred } of references) {
      if (texts.has(name)) continue
      texts.set(name, referred.text)
      queue.push(referred)
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
