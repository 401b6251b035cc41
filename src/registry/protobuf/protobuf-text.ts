// Reads a .proto text, of proto2, proto3 or an edition, by protobufjs's parser; what it makes of names and options isn't
// used, for it resolves them in a looser way than protoc. A file as it is declared: names as they stand there, nothing resolved.

import protobuf from 'protobufjs'
import { SchemaError } from '../unreadable.ts'
import { ProtoWork, protoSource } from './protobuf-source.ts'

/** @param work of a schema so far, which grows
 *  @throws SchemaError */
export function readProtoText(text: string, work = new ProtoWork()): ProtoFile {
  const source = protoSource(text, work)
  // the parser leaves such a member out without a word
  if (/\b__proto__\b/.test(source)) throw new SchemaError('uses the name __proto__, which is not supported')
  const { imports, weakImports, root, package: name = '' } = parse(source)
  let space: protobuf.NamespaceBase = root
  for (const part of name === '' ? [] : name.split('.')) space = space.get(part) as protobuf.Namespace
  return {
    package: name,
    edition: editionOf(space),
    imports: [...paths(imports, false), ...paths(weakImports, true)],
    ...declared(space),
    features: {},
  }
}

function parse(text: string): protobuf.IParserResult {
  try {
    return protobuf.parse(text, new protobuf.Root(), { keepCase: true })
  } catch (error) {
    const { message } = error as Error
    throw new SchemaError(`is no .proto text that can be read: ${message.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
  }
}

function paths(paths: string[] | undefined, weak: boolean): ProtoImport[] {
  return (paths ?? []).map((path) => ({ path, weak }))
}

/** A declaration says it, if it is not proto3; without any it does not matter. */
function editionOf({ nestedArray }: protobuf.NamespaceBase): string {
  const first = nestedArray.find((object) => object instanceof protobuf.Type || object instanceof protobuf.Enum)
  const json = first?.toJSON() as { edition?: string } | undefined
  return json?.edition ?? 'proto3'
}

type Declared = Pick<ProtoFile, 'messages' | 'enums' | 'extensions'>

function declared(space: protobuf.NamespaceBase): Declared {
  const nested = space.nestedArray
  return {
    messages: nested.filter((object) => object instanceof protobuf.Type).map((type) => messageOf(type)),
    enums: nested.filter((object) => object instanceof protobuf.Enum).map((type) => enumOf(type)),
    extensions: nested.filter((object) => object instanceof protobuf.Field).map((field) => fieldOf(field, space)),
  }
}

function messageOf(type: protobuf.Type): ProtoMessage {
  return {
    name: type.name,
    // with those that extend it, under another name
    fields: type.fieldsArray.filter((field) => !field.declaringField).map((field) => fieldOf(field, type)),
    ...declared(type),
    mapEntry: type.options?.['map_entry'] === true,
    messageSet: type.options?.['message_set_wire_format'] === true,
    features: featuresOf(type),
  }
}

function fieldOf(field: protobuf.FieldBase, space: protobuf.NamespaceBase): ProtoField {
  const group = isGroup(field, space.get(field.type))
  const explicit = field.options?.['proto3_optional'] === true
  return {
    // a group gives its field its own name, in lower case
    name: group ? field.name.toLowerCase() : field.name,
    number: field.id,
    label: labelOf(field),
    type: field.type,
    mapKey: field instanceof protobuf.MapField ? field.keyType : undefined,
    group,
    explicit: explicit || field.partOf !== null,
    oneof: explicit ? undefined : field.partOf?.name,
    extendee: field.extend,
    features: featuresOf(field),
  }
}

function labelOf(field: protobuf.FieldBase): ProtoField['label'] {
  if (field.map || field.rule === 'repeated') return 'repeated'
  return field.rule === 'required' ? 'required' : 'optional'
}

/** The parser marks its type so, which the parser's types don't say. Another field may be of that type too. */
function isGroup({ name, type }: protobuf.FieldBase, found: protobuf.ReflectionObject | null): boolean {
  const isMarked = found instanceof protobuf.Type && (found as { group?: boolean }).group === true
  return isMarked && name.toLowerCase() === type.toLowerCase()
}

function enumOf(type: protobuf.Enum): ProtoEnum {
  return {
    name: type.name,
    values: Object.entries(type.values).map(([name, number]) => ({ name, number })),
  }
}

function featuresOf({ options }: protobuf.ReflectionObject): ProtoFeatures {
  return (options?.['features'] as ProtoFeatures | undefined) ?? {}
}

export interface ProtoFile {
  /** Empty: none. */
  readonly package: string
  readonly edition: string
  /** Paths, in order. */
  readonly imports: readonly ProtoImport[]
  readonly messages: readonly ProtoMessage[]
  readonly enums: readonly ProtoEnum[]
  readonly extensions: readonly ProtoField[]
  readonly features: ProtoFeatures
}

export interface ProtoImport {
  readonly path: string
  /** Without it the file still has a meaning. */
  readonly weak: boolean
}

export interface ProtoMessage {
  readonly name: string
  /** In the order of their declaration. */
  readonly fields: readonly ProtoField[]
  /** In the order a message index counts: also entries of maps, where they are written out. */
  readonly messages: readonly ProtoMessage[]
  readonly enums: readonly ProtoEnum[]
  readonly extensions: readonly ProtoField[]
  readonly mapEntry: boolean
  readonly messageSet: boolean
  readonly features: ProtoFeatures
}

export interface ProtoField {
  readonly name: string
  readonly number: number
  readonly label: 'optional' | 'required' | 'repeated'
  /** A scalar's name, or a type's as it is written. */
  readonly type: string
  /** `map<key, type>`: the type of its keys. */
  readonly mapKey: string | undefined
  readonly group: boolean
  /** Knows whether it was set though its file would not say so: a member of a oneof, proto3's `optional`. */
  readonly explicit: boolean
  /** The oneof it is a member of; proto3's `optional` is none. */
  readonly oneof: string | undefined
  /** The message it extends, as it is written. */
  readonly extendee: string | undefined
  readonly features: ProtoFeatures
}

export interface ProtoEnum {
  readonly name: string
  readonly values: readonly ProtoEnumValue[]
}

export interface ProtoEnumValue {
  readonly name: string
  readonly number: number
}

/** Of an edition's features those that decide how bytes are read. */
export interface ProtoFeatures {
  readonly field_presence?: string
  readonly message_encoding?: string
}
