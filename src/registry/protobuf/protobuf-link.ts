// Resolves a schema's files into plans: what each tag of each message means and what JSON it becomes. First what links the messages, then
// the plan of one field: by which tags it is read, and how it is written.
// Of an edition's features only presence and message encoding matter, because only they change the bytes.

import { SchemaError, ValueError, quoted } from '../unreadable.ts'
import { ProtobufNames, demandName, joined } from './protobuf-names.ts'
import type { DeclaredEnum, DeclaredField, DeclaredMessage } from './protobuf-names.ts'
import type { FieldContent, FieldPlan, MessagePlan, OwnJson, TagReading, Scalar } from './protobuf-messages.ts'
import { enumScalar, nullScalar, scalars } from './protobuf-scalars.ts'
import type { ProtoField, ProtoFile, ProtoMessage } from './protobuf-file.ts'
import { ownJson } from './protobuf-well-known.ts'

/** A message, and those within it, in the order message indexes count. */
export interface LinkedMessage {
  readonly plan: MessagePlan
  readonly mapEntry: boolean
  readonly nested: readonly LinkedMessage[]
}

/** @param files the schema's own first; all it imports
 *  @returns roots: the messages of the first file, or of the file it imports, if it does nothing but import one; unseen: names whose file
 *  does not see what they were taken for
 *  @throws SchemaError */
export function linkProtobuf(files: readonly ProtoFile[]) {
  return new Linker(files).link(files)
}

type Draft = { -readonly [Part in keyof MessagePlan]: MessagePlan[Part] }

/** Tags below this are looked up in an array: field numbers up to 127. */
const COMMON = 1024

const EDITIONS: ReadonlySet<string> = new Set(['proto2', 'proto3', '2023', '2024', '2026'])

class Linker {
  readonly #names: ProtobufNames
  readonly #drafts = new Map<string, Draft>()
  readonly #enums = new Map<string, Scalar>()
  /** Extensions by the full name of the message they extend. */
  readonly #extensions = new Map<string, DeclaredField[]>()
  readonly #extended = new Set<string>()

  constructor(files: readonly ProtoFile[]) {
    for (const { edition } of files) {
      if (!EDITIONS.has(edition)) throw new SchemaError(`is of the edition ${quoted(edition)}, which is not known`)
    }
    this.#names = new ProtobufNames(files)
    const messages = this.#names.messages()
    for (const { name } of messages) this.#drafts.set(name, emptyDraft(name))
    for (const extension of this.#names.extensions) this.#extend(extension)
    for (const message of messages) this.#fill(message)
  }

  link([root, ...others]: readonly ProtoFile[]) {
    const passesOn = root!.nested_type.length + root!.enum_type.length + root!.extension.length === 0
    // its one import was loaded next
    const file = passesOn && root!.imports.length === 1 ? (others[0] ?? root!) : root!
    const roots = file.nested_type.map((message) => this.#linkMessage(message, file.package))
    return { roots, unseen: this.#names.unseen }
  }

  #linkMessage(message: ProtoMessage, scope: string): LinkedMessage {
    const name = joined(scope, message.name!)
    return {
      plan: this.#drafts.get(name)!,
      mapEntry: isEntry(message),
      nested: message.nested_type.map((nested) => this.#linkMessage(nested, name)),
    }
  }

  /** Adds an extension to its message. One that a copy of its file declared already is skipped, and so is one of options whose number
   *  is taken: many files extend those, and no value has them. */
  #extend(declared: DeclaredField): void {
    const { field, name } = declared
    const message = this.#names.find(field.extendee ?? '', declared).name
    const content = JSON.stringify([message, name, field])
    const clash = OPTIONS.test(message) ? `${message} ${field.number}` : content
    if (this.#extended.has(content) || this.#extended.has(clash)) return
    this.#extended.add(content).add(clash)
    const others = this.#extensions.get(message)
    if (others) others.push(declared)
    else this.#extensions.set(message, [declared])
  }

  #fill(declared: DeclaredMessage): void {
    const { name, message } = declared
    const target = this.#drafts.get(name)!
    const shape: string[] = []
    const all = this.#fieldsOf(declared)
    const oneofs = Map.groupBy(all.keys(), (slot) => oneofOf(all[slot]!))
    target.fields = all.map((field, slot) => {
      const type = this.#typeOf(field)
      const list = isList(field) && !('isEntry' in type && type.isEntry) ? 'repeated ' : ''
      shape.push(`${field.field.number} ${list}${type.name}`)
      // one list for all members of a oneof: there may be thousands
      const oneof = oneofOf(field)
      return fieldPlan(field, type, slot, oneof === undefined ? NONE : oneofs.get(oneof)!)
    })
    addReadings(target)
    if (isEntry(message)) demandEntry(target)
    target.own = isMessageSet(message) ? messageSet : ownJson(name, shape.join(), (other) => this.#drafts.get(other))
  }

  #fieldsOf({ name: scope, message, file, features: outer }: DeclaredMessage): readonly DeclaredField[] {
    if (isMessageSet(message)) return []
    const features = isEntry(message) ? {} : outer
    const fields = message.field.map((field): DeclaredField => {
      return { field, name: demandName(field.name), scope, file, features }
    })
    if (isEntry(message)) fields.sort((a, b) => byNumber(a.field, b.field))
    const all = [...fields, ...(this.#extensions.get(scope) ?? [])]
    demandDistinct(scope, all)
    return all
  }

  #typeOf(declared: DeclaredField): FieldType {
    const type = typeName(declared.field)
    const scalar = scalars.get(type)
    if (scalar) return { scalar, name: type }
    const found = this.#names.find(type, declared)
    const { name } = found
    if (found.kind === 'enum') return { scalar: this.#enum(found), name }
    const isMap = isEntry(found.message)
    return { message: this.#drafts.get(name)!, isEntry: isMap, name: isMap ? this.#mapName(found) : name }
  }

  #mapName({ name: scope, message, file }: DeclaredMessage): string {
    const types = message.field.toSorted(byNumber).map((field) => typeName(field))
    return `map<${types.map((type) => (scalars.has(type) ? type : this.#names.find(type, { scope, file }).name)).join()}>`
  }

  #enum(declared: DeclaredEnum): Scalar {
    const made = this.#enums.get(declared.name) ?? enumOf(declared)
    this.#enums.set(declared.name, made)
    return made
  }
}

function emptyDraft(name: string): Draft {
  return { name, fields: [], blank: [], common: [], rare: new Map(), own: undefined }
}

function addReadings(target: Draft): void {
  const common: (TagReading | undefined)[] = []
  const readings = target.fields.flatMap(readingsOf)
  for (const [tag, reading] of readings) if (tag < COMMON) common[tag] = reading
  target.common = common
  target.rare = new Map(readings.filter(([tag]) => tag >= COMMON))
  target.blank = target.fields.map(() => undefined)
}

const OPTIONS = /^google\.protobuf\.\w+Options$/

/** Tells whether it is a message set, whose extensions have numbers of their own kind. */
function isMessageSet({ options }: ProtoMessage): boolean {
  return options?.message_set_wire_format === true
}

function isEntry({ options }: ProtoMessage): boolean {
  return options?.map_entry === true
}

function byNumber({ number: a = 0 }: ProtoField, { number: b = 0 }: ProtoField): number {
  return a - b
}

/** The synthetic oneof of proto3's `optional` does not count. */
function oneofOf({ field }: DeclaredField): number | undefined {
  return field.proto3_optional === true ? undefined : field.oneof_index
}

/** A scalar's name, or a type's as it is written. */
function typeName({ type, type_name: name }: ProtoField): string {
  return (
    name ??
    String(type ?? 'nothing')
      .replace(/^TYPE_/, '')
      .toLowerCase()
  )
}

const NONE: readonly number[] = []

const messageSet: OwnJson = () => {
  throw new ValueError('is of a message set, which is not read')
}

/** A resolved field type. */
type FieldType =
  | { readonly scalar: Scalar; readonly name: string }
  | { readonly message: MessagePlan; readonly isEntry: boolean; readonly name: string }

/** Numbers are 29 bits. */
const HIGHEST = 536_870_911

/** @throws SchemaError */
function fieldPlan(declared: DeclaredField, type: FieldType, slot: number, oneof: readonly number[]): FieldPlan {
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
function readingsOf(field: FieldPlan): readonly (readonly [tag: number, reading: TagReading])[] {
  const tag = (wireType: number) => field.number * 8 + wireType
  const { content } = field
  if (content.kind === 'scalar') return [[tag(content.scalar.wireType), { how: 'scalar', field }]]
  const span = [tag(2), { how: 'span', field }] as const
  if (content.kind === 'scalars') return [span, [tag(content.scalar.wireType), { how: 'item', field }]]
  return content.isDelimited ? [[tag(3), { how: 'group', field }]] : [span]
}

function isList({ field }: DeclaredField): boolean {
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
function demandDistinct(message: string, fields: readonly DeclaredField[]): void {
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
function demandEntry({ name, fields }: Pick<MessagePlan, 'name' | 'fields'>): void {
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
function enumOf({ name, type }: DeclaredEnum): Scalar {
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
