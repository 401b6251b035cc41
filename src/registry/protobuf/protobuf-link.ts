// Links the files of a schema: resolves their names, and makes a plan for each message, which says what each tag means and what JSON a field
// becomes (MessagePlan). First comes the linker of messages, then the plan of one field: by which tags it is read, and how it is written.
// Of an edition's features only field presence and message encoding are looked at, because only they change how bytes are read.

import { SchemaError, ValueError, quoted } from '../unreadable.ts'
import { ProtobufNames, demandName, joined } from './protobuf-names.ts'
import type { DeclaredEnum, DeclaredField, DeclaredMessage } from './protobuf-names.ts'
import type { FieldContent, FieldPlan, MessagePlan, OwnJson, TagReading, Scalar } from './protobuf-messages.ts'
import { enumScalar, nullScalar, scalars } from './protobuf-scalars.ts'
import type { ProtoField, ProtoFile, ProtoMessage } from './protobuf-file.ts'
import { ownJson } from './protobuf-well-known.ts'
import { WIRE } from './protobuf-wire.ts'

/** A message and those within it, in the order that message indexes count. */
export interface LinkedMessage {
  readonly plan: MessagePlan
  /** Whether it is the entry of a map, which is no value by itself. */
  readonly mapEntry: boolean
  readonly nested: readonly LinkedMessage[]
}

/** Makes the plans of a schema's messages.
 *  @param files all files of the schema, its own first
 *  @returns `roots`: the messages of the first file, or of its one import if it declares nothing; `unseen`: names that a file uses without
 *  an import of what declares them (protobuf-names.ts). Throws a SchemaError. */
export function linkProtobuf(files: readonly ProtoFile[]) {
  return new Linker(files).link(files)
}

/** A plan that is still being filled: as messages may contain each other, there is one for each before the first is filled. */
type Draft = { -readonly [Part in keyof MessagePlan]: MessagePlan[Part] }

/** Lower tags, those of field numbers up to 127, are looked up in an array (`common`), others in a map (`rare`). */
const FIRST_RARE_TAG = 1024

const EDITIONS: ReadonlySet<string> = new Set(['proto2', 'proto3', '2023', '2024', '2026'])
const OPTIONS_MESSAGE = /^google\.protobuf\.\w+Options$/
/** The slots of a oneof's members, for a field that is in none. */
const NO_SLOTS: readonly number[] = []

const messageSet: OwnJson = () => {
  throw new ValueError('is of a message set, which is not read')
}

class Linker {
  readonly #names: ProtobufNames
  readonly #drafts = new Map<string, Draft>()
  readonly #enums = new Map<string, Scalar>()
  /** Extensions by the full name of the message they extend. */
  readonly #extensions = new Map<string, DeclaredField[]>()
  /** Keys of the extensions that were added, by which `#extend` skips others. */
  readonly #extensionKeys = new Set<string>()

  constructor(files: readonly ProtoFile[]) {
    for (const { edition } of files)
      if (!EDITIONS.has(edition)) throw new SchemaError(`is of the edition ${quoted(edition)}, which is not known`)
    this.#names = new ProtobufNames(files)
    const messages = this.#names.messages()
    for (const { name } of messages) this.#drafts.set(name, emptyDraft(name))
    for (const extension of this.#names.extensions) this.#extend(extension)
    for (const message of messages) this.#fill(message)
  }

  link([root, ...others]: readonly ProtoFile[]) {
    const declaresNothing = root!.nested_type.length + root!.enum_type.length + root!.extension.length === 0
    // the file that it imports comes next, since files are in the order in which they were loaded
    const file = declaresNothing && root!.imports.length === 1 ? (others[0] ?? root!) : root!
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

  /** Adds an extension to the message that it extends. Skips one that a copy of its file declared already. Skips also one of a message of
   *  options whose number is taken: many files extend those, and no value contains them. */
  #extend(declared: DeclaredField): void {
    const { field, name } = declared
    const message = this.#names.find(field.extendee ?? '', declared).name
    const keys = [JSON.stringify([message, name, field])]
    if (OPTIONS_MESSAGE.test(message)) keys.push(`${message} ${field.number}`)
    if (keys.some((key) => this.#extensionKeys.has(key))) return
    for (const key of keys) this.#extensionKeys.add(key)
    const others = this.#extensions.get(message)
    if (others) others.push(declared)
    else this.#extensions.set(message, [declared])
  }

  #fill(declared: DeclaredMessage): void {
    const { name, message } = declared
    const draft = this.#drafts.get(name)!
    // numbers and types of the fields, by which protobuf-well-known.ts knows its messages: "1 int64", "1 repeated string"
    const shape: string[] = []
    const fields = this.#fieldsOf(declared)
    // one list for all members of a oneof, because there may be thousands
    const slotsOfOneof = Map.groupBy(fields.keys(), (slot) => oneofOf(fields[slot]!))
    draft.fields = fields.map((field, slot) => {
      const type = this.#typeOf(field)
      const label = isList(field) && !('isEntry' in type && type.isEntry) ? 'repeated ' : ''
      shape.push(`${field.field.number} ${label}${type.name}`)
      const oneof = oneofOf(field)
      return fieldPlan(field, type, slot, oneof === undefined ? NO_SLOTS : slotsOfOneof.get(oneof)!)
    })
    addReadings(draft)
    if (isEntry(message)) demandEntry(draft)
    draft.own = isMessageSet(message) ? messageSet : ownJson(name, shape.join(), (other) => this.#drafts.get(other))
  }

  /** The fields of a message, and its extensions behind them. Those of a map's entry are its key and its value. */
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

  /** The type of a map in the words of a .proto file, with full names. */
  #mapName({ name: scope, message, file }: DeclaredMessage): string {
    const types = message.field.toSorted(byNumber).map((field) => typeName(field))
    const names = types.map((type) => (scalars.has(type) ? type : this.#names.find(type, { scope, file }).name))
    return `map<${names.join()}>`
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

/** Completes a draft that has its fields: says how what follows each of their tags is read, and gives each an empty slot. */
function addReadings(draft: Draft): void {
  const common: (TagReading | undefined)[] = []
  const readings = draft.fields.flatMap(readingsOf)
  for (const [tag, reading] of readings) if (tag < FIRST_RARE_TAG) common[tag] = reading
  draft.common = common
  draft.rare = new Map(readings.filter(([tag]) => tag >= FIRST_RARE_TAG))
  draft.blank = draft.fields.map(() => undefined)
}

/** Whether a message is a message set: an old form, whose extensions stand in groups, with numbers beyond 29 bits too. */
function isMessageSet({ options }: ProtoMessage): boolean {
  return options?.message_set_wire_format === true
}

function isEntry({ options }: ProtoMessage): boolean {
  return options?.map_entry === true
}

function byNumber({ number: a = 0 }: ProtoField, { number: b = 0 }: ProtoField): number {
  return a - b
}

/** The oneof that a field is a member of; one that a descriptor invents for proto3's `optional` is none. `undefined` when it is in none. */
function oneofOf({ field }: DeclaredField): number | undefined {
  return field.proto3_optional === true ? undefined : field.oneof_index
}

/** The name of a field's type: that of a scalar, or that of a message or an enum as it is written; "nothing" when it has none. */
function typeName({ type, type_name: name }: ProtoField): string {
  const descriptorType = String(type ?? 'nothing')
  return name ?? descriptorType.replace(/^TYPE_/, '').toLowerCase()
}

/** A resolved field type. */
type FieldType =
  | { readonly scalar: Scalar; readonly name: string }
  | { readonly message: MessagePlan; readonly isEntry: boolean; readonly name: string }

/** Field numbers have 29 bits. */
const HIGHEST_FIELD_NUMBER = 536_870_911

/** Makes the plan of a field, whose place among the message's fields is `slot`. Throws a SchemaError. */
function fieldPlan(declared: DeclaredField, type: FieldType, slot: number, oneof: readonly number[]): FieldPlan {
  const { name } = declared
  const { number = 0 } = declared.field
  if (!(number >= 1 && number <= HIGHEST_FIELD_NUMBER))
    throw new SchemaError(`numbers the field ${quoted(name)} ${number}, which is not a valid field number`)
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
    absent: presence === 'implicit' ? Buffer.from(defaultJson(content)) : undefined,
    required: presence === 'required',
    oneof,
  }
}

/** The tags by which a field is read. Repeated numbers may come packed or not, whatever the schema says. */
function readingsOf(field: FieldPlan): readonly (readonly [tag: number, reading: TagReading])[] {
  const tag = (wireType: number) => field.number * 8 + wireType
  const { content } = field
  if (content.kind === 'scalar') return [[tag(content.scalar.wireType), { how: 'scalar', field }]]
  const span = [tag(WIRE.sized), { how: 'span', field }] as const
  if (content.kind === 'scalars') return [span, [tag(content.scalar.wireType), { how: 'item', field }]]
  return content.isDelimited ? [[tag(WIRE.group), { how: 'group', field }]] : [span]
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

/** What the absence of a field means: implicit: its default is written; explicit: nothing is written; required: the value is refused. */
function presenceOf(declared: DeclaredField, isMessage: boolean): 'implicit' | 'explicit' | 'required' {
  const { field, file, features } = declared
  if (isList(declared)) return field.extendee === undefined ? 'implicit' : 'explicit'
  const feature = field.options?.features?.field_presence ?? features.field_presence
  if (field.label === 'LABEL_REQUIRED' || feature === 'LEGACY_REQUIRED') return 'required'
  // for these, absence differs from the default in every edition
  const isInOneof = field.oneof_index !== undefined || field.proto3_optional === true
  if (isMessage || isInOneof || field.extendee !== undefined) return 'explicit'
  return file.edition === 'proto3' || feature === 'IMPLICIT' ? 'implicit' : 'explicit'
}

function defaultJson(content: FieldContent): string {
  if (content.kind === 'map') return '{}'
  return content.kind === 'scalar' ? content.scalar.zero : '[]'
}

function demandDistinct(message: string, fields: readonly DeclaredField[]): void {
  const numbers = new Set<number>()
  const names = new Set<string>()
  for (const { field, name } of fields) {
    const { number = 0 } = field
    if (numbers.has(number)) throw new SchemaError(`declares two fields of the number ${number} in ${quoted(message)}`)
    if (names.has(name)) throw new SchemaError(`declares two fields ${quoted(name)} in ${quoted(message)}`)
    numbers.add(number)
    names.add(name)
  }
}

const NOT_AS_KEY = new Set(['float', 'double', 'bytes'])
const KEY_SCALARS = new Set([...scalars].flatMap(([name, scalar]) => (NOT_AS_KEY.has(name) ? [] : scalar)))

/** Throws a SchemaError when a message that says that it is the entry of a map has other fields than a key and a value. */
function demandEntry({ name, fields }: Pick<MessagePlan, 'name' | 'fields'>): void {
  const [key, value] = fields
  const isEntry = fields.length === 2 && key!.number === 1 && value!.number === 2
  const isKey = key?.content.kind === 'scalar' && KEY_SCALARS.has(key.content.scalar)
  const content = value?.content
  const isValue = content?.kind === 'scalar' || (content?.kind === 'message' && !content.isDelimited)
  if (!isEntry || !isKey || !isValue)
    throw new SchemaError(`declares ${quoted(name)} as an entry of a map, which it is not`)
}

const NULL_VALUE = 'google.protobuf.NullValue'

/** Makes the scalar of an enum. Of two names with one number it writes the first; its default is the enum's first value.
 *  @throws SchemaError */
function enumOf({ name, type }: DeclaredEnum): Scalar {
  if (name === NULL_VALUE) return nullScalar
  const names = new Map<number, string>()
  for (const { name: valueName, number = 0 } of type.value) {
    const json = JSON.stringify(demandName(valueName))
    if (number !== (number | 0))
      throw new SchemaError(`numbers ${json} of ${quoted(name)} ${number}, which is beyond 32 bits`)
    if (!names.has(number)) names.set(number, json)
  }
  const [first] = names.values()
  if (first === undefined) throw new SchemaError(`declares the enum ${quoted(name)} without a value`)
  return enumScalar(names, first)
}
