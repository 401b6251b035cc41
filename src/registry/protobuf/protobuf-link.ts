// Resolves a schema's files into plans: what each tag of each message means and what JSON it becomes.
// Of an edition's features only presence and message encoding matter, because only they change the bytes.

import { SchemaError, ValueError, quoted } from '../unreadable.ts'
import { demandDistinct, demandEntry, enumOf, fieldPlan, isList, readingsOf } from './protobuf-fields.ts'
import type { FieldType } from './protobuf-fields.ts'
import { ProtobufNames, demandName, joined } from './protobuf-names.ts'
import type { DeclaredEnum, DeclaredField, DeclaredMessage } from './protobuf-names.ts'
import type { MessagePlan, OwnJson, TagReading, Scalar } from './protobuf-messages.ts'
import { scalars } from './protobuf-scalars.ts'
import type { ProtoField, ProtoFile, ProtoMessage } from './protobuf-file.ts'
import { ownJson } from './protobuf-well-known.ts'

/** A message, and those within it, in the order message indexes count. */
export interface LinkedMessage {
  readonly plan: MessagePlan
  readonly mapEntry: boolean
  readonly nested: readonly LinkedMessage[]
}

export interface LinkedSchema {
  /** The messages of the first file; of the file it imports, if it does nothing but import one. */
  readonly roots: readonly LinkedMessage[]
  /** Names whose file does not see what they were taken for. */
  readonly unseen: ReadonlySet<string>
}

/** @param files the schema's own first; all it imports
 *  @throws SchemaError */
export function linkProtobuf(files: readonly ProtoFile[]): LinkedSchema {
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

  link([root, ...others]: readonly ProtoFile[]): LinkedSchema {
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
    return { message: this.#drafts.get(name)!, isEntry: isEntry(found.message), name }
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
