// Resolves a schema's files into plans: what each tag of each message is and what becomes of it.
// Of editions only what they do to bytes matters: presence and the encoding of messages.

import { SchemaError, ValueError, quoted } from '../unreadable.ts'
import { demandDistinct, demandEntry, enumOf, fieldPlan, readingsOf } from './protobuf-fields.ts'
import type { DeclaredField, FieldType } from './protobuf-fields.ts'
import { ProtobufNames, demandName, joined } from './protobuf-names.ts'
import type { DeclaredEnum, DeclaredMessage } from './protobuf-names.ts'
import type { FieldPlan, MessagePlan, OwnJson, TagReading, Scalar, Slots } from './protobuf-plan.ts'
import { scalars } from './protobuf-scalars.ts'
import type { ProtoFeatures, ProtoField, ProtoFile, ProtoMessage } from './protobuf-text.ts'
import { ownJson } from './protobuf-well-known.ts'

/** A message, and those within it, in the order message indexes count. */
export interface LinkedMessage {
  readonly plan: MessagePlan
  readonly mapEntry: boolean
  readonly nested: readonly LinkedMessage[]
}

/** @param files the schema's own first; all it imports
 *  @returns the messages of the first file; where it only passes on another one, of that
 *  @throws SchemaError */
export function linkProtobuf(files: readonly ProtoFile[]): readonly LinkedMessage[] {
  return new Linker(files).roots(files)
}

interface Draft {
  readonly name: string
  fields: readonly FieldPlan[]
  readonly blank: Slots
  readonly common: (TagReading | undefined)[]
  readonly rare: Map<number, TagReading>
  own: OwnJson | undefined
}

/** Of one message. There may be thousands. */
interface Extensions {
  readonly fields: DeclaredField[]
  readonly contents: Set<string>
  readonly numbers: Set<number>
}

/** Tags below it lie in an array: numbers up to 127. */
const COMMON = 1024

const EDITIONS: ReadonlySet<string> = new Set(['proto2', 'proto3', '2023', '2024', '2026'])

class Linker {
  readonly #names: ProtobufNames
  readonly #drafts = new Map<string, Draft>()
  readonly #enums = new Map<string, Scalar>()
  /** By the full name of the message they extend. */
  readonly #extensions = new Map<string, Extensions>()

  constructor(files: readonly ProtoFile[]) {
    for (const { edition } of files) {
      if (!EDITIONS.has(edition)) throw new SchemaError(`is of the edition ${quoted(edition)}, which is not known`)
    }
    this.#names = new ProtobufNames(files)
    const declared = [...this.#names.all()].filter((declaration) => declaration.kind === 'message')
    for (const { name } of declared) this.#drafts.set(name, draft(name))
    for (const file of files) this.#extend(file, file.package, file.edition, file.features)
    for (const message of declared) this.#extend(message.message, message.name, message.edition, message.features)
    for (const message of declared) this.#fill(message)
  }

  roots([root, ...others]: readonly ProtoFile[]): readonly LinkedMessage[] {
    const passesOn = root!.messages.length + root!.enums.length + root!.extensions.length === 0
    // its one import was loaded next
    const file = passesOn && root!.imports.length === 1 ? (others[0] ?? root!) : root!
    return file.messages.map((message) => this.#linked(message, file.package))
  }

  #linked(message: ProtoMessage, scope: string): LinkedMessage {
    const name = joined(scope, message.name)
    return {
      plan: this.#drafts.get(name)!,
      mapEntry: message.mapEntry,
      nested: message.messages.map((nested) => this.#linked(nested, name)),
    }
  }

  #extend(
    from: { readonly extensions: readonly ProtoField[] },
    scope: string,
    edition: string,
    features: ProtoFeatures,
  ): void {
    for (const field of from.extensions) {
      demandName(field.name)
      const { name } = this.#names.find(field.extendee ?? '', scope)
      const declared = { field, name: `[${joined(scope, field.name)}]`, scope, edition, features }
      const others = this.#extensions.get(name) ?? { fields: [], contents: new Set(), numbers: new Set() }
      this.#extensions.set(name, others)
      addExtension(name, others, declared)
    }
  }

  #fill(declared: DeclaredMessage): void {
    const { name, message } = declared
    const target = this.#drafts.get(name)!
    const shape: string[] = []
    const all = this.#fieldsOf(declared)
    const oneofs = Map.groupBy(all.keys(), (slot) => all[slot]!.field.oneof)
    target.fields = all.map((field, slot) => {
      const type = this.#typeOf(field)
      const list = field.field.label === 'repeated' && !('isEntry' in type && type.isEntry) ? 'repeated ' : ''
      shape.push(`${field.field.number} ${list}${type.name}`)
      return fieldPlan(field, type, slot, membersOf(field, oneofs))
    })
    finish(target)
    if (message.mapEntry) demandEntry(target)
    target.own = message.messageSet ? messageSet : ownJson(name, shape.join(), (other) => this.#drafts.get(other))
  }

  #fieldsOf({ name, message, edition, features }: DeclaredMessage): readonly DeclaredField[] {
    const fields: DeclaredField[] = message.fields.map((field) => {
      demandName(field.name)
      return { field, name: field.name, scope: name, edition, features: message.mapEntry ? {} : features }
    })
    if (message.mapEntry) fields.sort((a, b) => a.field.number - b.field.number)
    const all = [...fields, ...(this.#extensions.get(name)?.fields ?? [])]
    demandDistinct(name, all)
    return all
  }

  #typeOf(declared: DeclaredField): FieldType {
    const { field, name } = declared
    if (field.mapKey === undefined) return this.#named(field.type, declared.scope)
    const entry = draft(joined(declared.scope, name))
    const part = { ...field, mapKey: undefined, label: 'optional', features: {} } as const
    const key = { ...declared, name: 'key', field: { ...part, number: 1, type: field.mapKey }, features: {} }
    const value = { ...declared, name: 'value', field: { ...part, number: 2 }, features: {} }
    const valueType = this.#named(field.type, declared.scope)
    entry.fields = [
      fieldPlan(key, this.#named(field.mapKey, declared.scope), 0, []),
      fieldPlan(value, valueType, 1, []),
    ]
    finish(entry)
    demandEntry(entry)
    return { message: entry, isEntry: true, name: `map<${field.mapKey},${valueType.name}>` }
  }

  #named(type: string, scope: string): FieldType {
    const scalar = scalars.get(type)
    if (scalar) return { scalar, name: type }
    const found = this.#names.find(type, scope)
    const { name } = found
    if (found.kind === 'enum') return { scalar: this.#enum(found), name }
    const isEntry = found.message.mapEntry
    return { message: this.#drafts.get(name)!, isEntry, name: isEntry ? this.#mapName(found) : name }
  }

  /** An entry's, as if its map had been declared without it. */
  #mapName({ name, message }: DeclaredMessage): string {
    const [key, value] = message.fields.toSorted((a, b) => a.number - b.number)
    const isScalar = value === undefined || scalars.has(value.type)
    return `map<${key?.type},${isScalar ? value?.type : this.#names.find(value.type, name).name}>`
  }

  #enum(declared: DeclaredEnum): Scalar {
    const made = this.#enums.get(declared.name) ?? enumOf(declared)
    this.#enums.set(declared.name, made)
    return made
  }
}

function draft(name: string): Draft {
  return { name, fields: [], blank: [], common: [], rare: new Map(), own: undefined }
}

function finish(target: Draft): void {
  for (const field of target.fields) {
    target.blank.push(undefined)
    for (const [tag, reading] of readingsOf(field)) {
      if (tag < COMMON) target.common[tag] = reading
      else target.rare.set(tag, reading)
    }
  }
}

const OPTIONS = /^google\.protobuf\.\w+Options$/

/** Not one that comes from a copy of its file; nor one of options that clashes: everybody extends them, no value has them. */
function addExtension(message: string, { fields, contents, numbers }: Extensions, one: DeclaredField): void {
  const content = JSON.stringify([one.name, one.field])
  if (contents.has(content) || (OPTIONS.test(message) && numbers.has(one.field.number))) return
  fields.push(one)
  contents.add(content)
  numbers.add(one.field.number)
}

/** One list for all members of a oneof: there may be thousands. */
function membersOf(
  { field }: DeclaredField,
  oneofs: ReadonlyMap<string | undefined, readonly number[]>,
): readonly number[] {
  return field.oneof === undefined ? NONE : oneofs.get(field.oneof)!
}

const NONE: readonly number[] = []

const messageSet: OwnJson = () => {
  throw new ValueError('is of a message set, which is not read')
}
