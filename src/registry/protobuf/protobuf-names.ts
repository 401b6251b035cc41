// Resolves names of a .proto file as protoc does: from the innermost scope outwards.

import { SchemaError, quoted } from '../unreadable.ts'
import type { ProtoEnum, ProtoFeatures, ProtoField, ProtoFile, ProtoMessage } from './protobuf-text.ts'

export type Declaration = DeclaredMessage | DeclaredEnum

/** Where something is declared. */
interface DeclaredIn {
  readonly edition: string
  /** With those of its file and of the messages it is in. */
  readonly features: ProtoFeatures
}

export interface DeclaredMessage extends DeclaredIn {
  readonly kind: 'message'
  /** The full name. */
  readonly name: string
  readonly message: ProtoMessage
}

export interface DeclaredEnum {
  readonly kind: 'enum'
  readonly name: string
  readonly type: ProtoEnum
}

export interface DeclaredField extends DeclaredIn {
  readonly field: ProtoField
  /** Its name in JSON: in brackets the full one of an extension. */
  readonly name: string
  /** Full name of the message or package its type is looked up from. */
  readonly scope: string
}

/** Messages, fields, enums and their values of all files: each takes some memory. */
const MOST = 100_000
/** Of a package. */
const MOST_NAMES = 100

const NAME = /^[A-Za-z_]\w*$/

export class ProtobufNames {
  /** The files' own first. */
  readonly extensions: DeclaredField[] = []
  readonly #declarations = new Map<string, Declaration>()
  #declared = 0

  /** @throws SchemaError for an invalid name, for two different declarations of one name, and for too many */
  constructor(files: readonly ProtoFile[]) {
    for (const file of files) {
      const parts = file.package === '' ? [] : file.package.split('.')
      if (parts.length > MOST_NAMES) throw new SchemaError(`has a package of more than ${MOST_NAMES} names`)
      for (const part of parts) demandName(part)
      this.#extend(file, file.package, placeOf(file))
    }
    for (const file of files) this.#addAll(file, file.package, placeOf(file))
  }

  messages(): DeclaredMessage[] {
    return [...this.#declarations.values()].filter((declaration) => declaration.kind === 'message')
  }

  /** @param scope full name of the message or package it is used in
   *  @throws SchemaError */
  find(name: string, scope: string): Declaration {
    const found = name.startsWith('.') ? this.#declarations.get(name.slice(1)) : this.#from(name, scope)
    if (!found) throw new SchemaError(`uses the type ${quoted(name)}, which is declared nowhere`)
    return found
  }

  #from(name: string, scope: string): Declaration | undefined {
    for (let outer: string | undefined = scope; outer !== undefined; outer = parentOf(outer)) {
      const found = this.#declarations.get(joined(outer, name))
      if (found) return found
    }
    return undefined
  }

  #count(declared: number): void {
    this.#declared += declared
    if (this.#declared > MOST) throw new SchemaError('declares too much to be read')
  }

  #extend({ extension }: Pick<ProtoMessage, 'extension'>, scope: string, place: DeclaredIn): void {
    this.#count(extension.length)
    for (const field of extension) {
      const name = demandName(field.name)
      this.extensions.push({ field, name: `[${joined(scope, name)}]`, scope, ...place })
    }
  }

  #addAll(from: Omit<ProtoMessage, 'field' | 'name'>, scope: string, { edition, features: outer }: DeclaredIn): void {
    for (const type of from.enum_type) {
      this.#count(1 + type.value.length)
      this.#add({ kind: 'enum', name: joined(scope, demandName(type.name)), type })
    }
    for (const message of [...from.nested_type, ...(from.map_type ?? [])]) {
      this.#count(1 + message.field.length)
      const name = joined(scope, demandName(message.name))
      const features = { ...outer, ...message.options?.features }
      this.#extend(message, name, { edition, features })
      this.#add({ kind: 'message', name, edition, features, message })
      this.#addAll(message, name, { edition, features })
    }
  }

  #add(declaration: Declaration): void {
    const other = this.#declarations.get(declaration.name)
    if (!other) this.#declarations.set(declaration.name, declaration)
    // two paths may lead to copies of one file
    else if (content(other) !== content(declaration)) {
      throw new SchemaError(`declares ${quoted(declaration.name)} twice, and not the same`)
    }
  }
}

function placeOf({ edition, options }: ProtoFile): DeclaredIn {
  return { edition, features: options?.features ?? {} }
}

/** A name within a scope; none is empty. */
export function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`
}

/** @throws SchemaError */
export function demandName(name = ''): string {
  if (!NAME.test(name)) throw new SchemaError(`uses the name ${quoted(name)}, which is none`)
  return name
}

function parentOf(scope: string): string | undefined {
  if (scope === '') return undefined
  const dot = scope.lastIndexOf('.')
  return dot === -1 ? '' : scope.slice(0, dot)
}

/** The members that decide how bytes are read, in a fixed order. */
const CONTENT = (
  'name number label type type_name extendee oneof_index proto3_optional options features field_presence ' +
  'message_encoding map_entry message_set_wire_format field nested_type map_type enum_type extension value'
).split(' ')

function content(declaration: Declaration): string {
  return JSON.stringify(declaration.kind === 'message' ? declaration.message : declaration.type, CONTENT)
}
