// What a schema's files declare, read from a .proto text (proto2, proto3 or an edition) by protobufjs's parser. Names and options
// are not resolved by it, because it does that less strictly than protoc.

import protobuf from 'protobufjs'
import descriptor from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' }
import sourceContext from 'protobufjs/google/protobuf/source_context.json' with { type: 'json' }
import type from 'protobufjs/google/protobuf/type.json' with { type: 'json' }
import { SchemaError } from '../unreadable.ts'
import { ProtoWork, protoSource } from './protobuf-source.ts'

/** @param work of a schema so far, which grows
 *  @throws SchemaError */
export function readProtoText(text: string, work = new ProtoWork()): ProtoFile {
  const source = protoSource(text, work)
  // the parser silently leaves out such a member
  if (/\b__proto__\b/.test(source)) throw new SchemaError('uses the name __proto__, which is not supported')
  const { imports, weakImports, root, package: name = '' } = parse(source)
  return fileOf(root, name, [...paths(imports, false), ...paths(weakImports, true)])
}

const BUNDLED = new Map<string, object>([
  ['descriptor', descriptor],
  ['source_context', sourceContext],
  ['type', type],
])
/** A file of google/protobuf, with what it uses, as the parser brings it along; undefined: it has none of that path. */
export function bundledFile(path: string): ProtoFile | undefined {
  const [, name = ''] = /^google\/protobuf\/(\w+)\.proto$/.exec(path) ?? []
  const json = BUNDLED.get(name) ?? protobuf.common.get(path)
  if (!json) return undefined
  return fileOf(protobuf.Root.fromJSON(json), 'google.protobuf', [])
}

export const EMPTY_FILE: ProtoFile = {
  package: '',
  edition: 'proto3',
  imports: [],
  nested_type: [],
  enum_type: [],
  extension: [],
}

function fileOf(root: protobuf.Root, name: string, imports: readonly ProtoImport[]): ProtoFile {
  let space: protobuf.NamespaceBase = root
  for (const part of name === '' ? [] : name.split('.')) space = space.get(part) as protobuf.Namespace
  return { package: name, edition: editionOf(space), imports, ...declared(space) }
}

function parse(text: string): protobuf.IParserResult {
  try {
    return protobuf.parse(text, new protobuf.Root(), { keepCase: true })
  } catch (error) {
    const { message } = error as Error
    throw new SchemaError(`is not a .proto text that can be read: ${message.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
  }
}

function paths(paths: string[] | undefined, weak: boolean): ProtoImport[] {
  return (paths ?? []).map((path) => ({ path, weak }))
}

/** Only declarations carry it, and only if it is not proto3. A file without declarations needs none. */
function editionOf({ nestedArray }: protobuf.NamespaceBase): string {
  const first = nestedArray.find((object) => object instanceof protobuf.Type || object instanceof protobuf.Enum)
  const json = first?.toJSON() as { edition?: string } | undefined
  return json?.edition ?? 'proto3'
}

function declared(space: protobuf.NamespaceBase): Declared {
  const nested = space.nestedArray
  return {
    nested_type: nested.filter((object) => object instanceof protobuf.Type).map((type) => messageOf(type)),
    enum_type: nested.filter((object) => object instanceof protobuf.Enum).map((type) => enumOf(type)),
    extension: nested.filter((object) => object instanceof protobuf.Field).map((field) => fieldOf(field, space)),
  }
}

function messageOf(type: protobuf.Type): ProtoMessage {
  // with those that extend it, under another name
  const fields = type.fieldsArray.filter((field) => !field.declaringField)
  return {
    name: type.name,
    field: fields.map((field) => fieldOf(field, type)),
    ...declared(type),
    map_type: fields.filter((field) => field instanceof protobuf.MapField).map((field) => entryOf(field)),
    options: type.options,
  }
}

/** The message that protoc declares for the entries of a map. */
function entryOf({ name, keyType, type }: protobuf.MapField): ProtoMessage {
  const field = [
    { name: 'key', number: 1, type_name: keyType },
    { name: 'value', number: 2, type_name: type },
  ]
  return { name: entryName(name), field, nested_type: [], enum_type: [], extension: [], options: { map_entry: true } }
}

function entryName(field: string): string {
  return `${field.replaceAll(/(?:^|_+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase())}Entry`
}

function fieldOf(field: protobuf.FieldBase, space: protobuf.NamespaceBase): ProtoField {
  const group = isGroup(field, space.get(field.type))
  const isList = field.map || field.rule === 'repeated'
  return {
    // a group gives its field its own name, in lower case
    name: group ? field.name.toLowerCase() : (field.protoName ?? field.name),
    number: field.id,
    label: isList ? 'LABEL_REPEATED' : field.rule === 'required' ? 'LABEL_REQUIRED' : 'LABEL_OPTIONAL',
    type: group ? 'TYPE_GROUP' : undefined,
    type_name: field.map ? entryName(field.name) : field.type,
    extendee: field.extend,
    oneof_index: field.partOf && space instanceof protobuf.Type ? space.oneofsArray.indexOf(field.partOf) : undefined,
    proto3_optional: field.options?.['proto3_optional'] === true,
    options: field.options,
  }
}

/** The parser marks a group's type, though its typings do not say so. Another field may be of that type too. */
function isGroup({ name, type }: protobuf.FieldBase, found: protobuf.ReflectionObject | null): boolean {
  const isMarked = found instanceof protobuf.Type && (found as { group?: boolean }).group === true
  return isMarked && name.toLowerCase() === type.toLowerCase()
}

function enumOf({ name, values }: protobuf.Enum): ProtoEnum {
  return { name, value: Object.entries(values).map(([value, number]) => ({ name: value, number })) }
}

export interface ProtoFile extends Declared {
  /** Empty: none. */
  readonly package: string
  readonly edition: string
  /** Paths, in order. */
  readonly imports: readonly ProtoImport[]
}

export interface ProtoImport {
  readonly path: string
  /** Without it the file still has a meaning. */
  readonly weak: boolean
}

// The rest is shaped and named as in descriptor.proto: names as they stand in the text, nothing resolved.

interface Declared {
  /** In the order a message index counts: also entries of maps, where they are written out. */
  readonly nested_type: readonly ProtoMessage[]
  readonly enum_type: readonly ProtoEnum[]
  readonly extension: readonly ProtoField[]
  readonly options?: ProtoOptions | undefined
}

export interface ProtoMessage extends Declared {
  readonly name?: string
  /** In the order of their declaration. */
  readonly field: readonly ProtoField[]
  /** Entries of maps that are not written out. */
  readonly map_type?: readonly ProtoMessage[]
}

export interface ProtoField {
  readonly name?: string
  readonly number?: number
  /** Absent: optional. */
  readonly label?: string | number
  /** TYPE_INT32 and the like. */
  readonly type?: string | number | undefined
  /** A scalar's name, or a type's as it is written; absent: `type` says all. */
  readonly type_name?: string
  /** The message it extends, as it is written. */
  readonly extendee?: string | undefined
  /** The oneof it is a member of; that of proto3's `optional` is none. */
  readonly oneof_index?: number | undefined
  readonly proto3_optional?: boolean
  readonly options?: ProtoOptions | undefined
}

export interface ProtoEnum {
  readonly name?: string
  readonly value: readonly { readonly name?: string; readonly number?: number }[]
}

interface ProtoOptions {
  readonly features?: ProtoFeatures
  readonly map_entry?: boolean
  readonly message_set_wire_format?: boolean
}

/** Of an edition's features those that decide how bytes are read. */
export interface ProtoFeatures {
  readonly field_presence?: string
  readonly message_encoding?: string
}
