// Resolves names of a .proto file as protoc does: from the innermost scope outwards, among what the file sees: itself, its imports,
// and what those import publicly, onward.

import { SchemaError, quoted } from '../unreadable.ts'
import type { ProtoEnum, ProtoFeatures, ProtoField, ProtoFile, ProtoMessage } from './protobuf-file.ts'

export type Declaration = DeclaredMessage | DeclaredEnum

/** The place of a declaration. */
interface DeclaredIn {
  readonly file: ProtoFile
  /** Its own, those of the messages it is in, and those of its file; the innermost wins. */
  readonly features: ProtoFeatures
}

export interface DeclaredMessage extends DeclaredIn {
  readonly kind: 'message'
  /** The full name. */
  readonly name: string
  readonly message: ProtoMessage
}

export interface DeclaredEnum extends DeclaredIn {
  readonly kind: 'enum'
  readonly name: string
  readonly type: ProtoEnum
}

/** The place of a use of a name. */
export interface Use {
  readonly file: ProtoFile
  /** Full name of the message or package it is looked up from. */
  readonly scope: string
}

export interface DeclaredField extends DeclaredIn, Use {
  readonly field: ProtoField
  /** Its name in JSON: in brackets the full one of an extension. */
  readonly name: string
}

/** Messages, fields, enums and their values of all files: each takes some memory. */
const MOST_DECLARED = 100_000
/** Most names that a package may have. */
const MOST_NAMES = 100
/** Characters of all names that are declared and looked up, in full. */
const MOST_CHARACTERS = 2 ** 28

const NAME = /^[A-Za-z_]\w*$/

export class ProtobufNames {
  /** Extensions of files first, then those within messages. */
  readonly extensions: DeclaredField[] = []
  /** Names that were found only in a file that the one which uses them does not see. */
  readonly unseen = new Set<string>()
  /** Declarations by full name. */
  readonly #declarations = new Map<string, Declaration>()
  /** The files that declare the same once more. */
  readonly #copies = new Map<Declaration, ProtoFile[]>()
  readonly #files: ReadonlyMap<string, ProtoFile>
  readonly #seenFiles = new Map<ProtoFile, ReadonlySet<ProtoFile>>()
  #declared = 0
  #characters = 0

  /** @throws SchemaError for an invalid name, for two different declarations of one name, and for too many */
  constructor(files: readonly ProtoFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]))
    for (const file of files) {
      const parts = file.package === '' ? [] : file.package.split('.')
      if (parts.length > MOST_NAMES) throw new SchemaError(`has a package of more than ${MOST_NAMES} names`)
      for (const part of parts) demandName(part)
      this.#addExtensions(file, file.package, placeOf(file))
    }
    for (const file of files) this.#addAll(file, file.package, placeOf(file))
  }

  messages(): DeclaredMessage[] {
    return [...this.#declarations.values()].filter((declaration) => declaration.kind === 'message')
  }

  /** Finds what a name means where it is used. One that the file does not see is taken from the one file that declares it, as some
   *  registries do.
   *  @throws SchemaError */
  find(name: string, { file, scope }: Use): Declaration {
    const hidden: Declaration[] = []
    for (const full of name.startsWith('.') ? [name.slice(1)] : outwards(name, scope)) {
      this.#countCharacters(full)
      const found = this.#declarations.get(full)
      if (found && this.#sees(file, found)) return found
      if (found) hidden.push(found)
    }
    const [first, ...others] = hidden
    if (!first) throw new SchemaError(`uses the type ${quoted(name)}, which is declared nowhere`)
    if (others.some((other) => other.file !== first.file)) {
      throw new SchemaError(`uses the type ${quoted(name)}, which its file does not import and several others declare`)
    }
    this.unseen.add(name)
    return first
  }

  #sees(file: ProtoFile, declared: Declaration): boolean {
    const seen = this.#seenFiles.get(file) ?? this.#findSeen(file)
    return seen.has(declared.file) || this.#copies.get(declared)?.some((copy) => seen.has(copy)) === true
  }

  #findSeen(file: ProtoFile): ReadonlySet<ProtoFile> {
    const seen = new Set([file])
    this.#seenFiles.set(file, seen)
    // what is added while it goes on is visited too
    for (const from of seen) {
      for (const { path, public: isPublic } of from.imports) {
        const imported = isPublic || from === file ? this.#files.get(path) : undefined
        if (imported) seen.add(imported)
      }
    }
    return seen
  }

  #countCharacters(name: string): string {
    this.#characters += name.length
    if (this.#characters > MOST_CHARACTERS) throw new SchemaError('declares too much to be read')
    return name
  }

  #countDeclared(declared: number): void {
    this.#declared += declared
    if (this.#declared > MOST_DECLARED) throw new SchemaError('declares too much to be read')
  }

  #addExtensions({ extension }: Pick<ProtoMessage, 'extension'>, scope: string, place: DeclaredIn): void {
    this.#countDeclared(extension.length)
    for (const field of extension) {
      const name = demandName(field.name)
      this.extensions.push({ field, name: `[${joined(scope, name)}]`, scope, ...place })
    }
  }

  #addAll(from: Omit<ProtoMessage, 'field' | 'name'>, scope: string, { file, features: outer }: DeclaredIn): void {
    for (const type of from.enum_type) {
      this.#countDeclared(1 + type.value.length)
      this.#add({ kind: 'enum', name: joined(scope, demandName(type.name)), file, features: outer, type })
    }
    for (const message of [...from.nested_type, ...(from.map_type ?? [])]) {
      this.#countDeclared(1 + message.field.length)
      const name = joined(scope, demandName(message.name))
      const features = { ...outer, ...message.options?.features }
      this.#addExtensions(message, name, { file, features })
      this.#add({ kind: 'message', name, file, features, message })
      this.#addAll(message, name, { file, features })
    }
  }

  #add(declaration: Declaration): void {
    const other = this.#declarations.get(this.#countCharacters(declaration.name))
    if (!other) {
      this.#declarations.set(declaration.name, declaration)
      return
    }
    // two paths may lead to copies of one file
    const isCopy = other.file !== declaration.file && content(other) === content(declaration)
    if (!isCopy) throw new SchemaError(`declares ${quoted(declaration.name)} twice`)
    const copies = this.#copies.get(other)
    if (copies) copies.push(declaration.file)
    else this.#copies.set(other, [declaration.file])
  }
}

function placeOf(file: ProtoFile): DeclaredIn {
  return { file, features: file.options?.features ?? {} }
}

/** Joins a scope and a name; an empty scope is none. */
export function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`
}

/** @throws SchemaError */
export function demandName(name = ''): string {
  if (!NAME.test(name)) throw new SchemaError(`uses the name ${quoted(name)}, which is none`)
  return name
}

/** The full names that a name may mean, the innermost first. */
function* outwards(name: string, scope: string): Generator<string> {
  for (let outer = scope; outer !== ''; outer = outer.slice(0, Math.max(outer.lastIndexOf('.'), 0)))
    yield `${outer}.${name}`
  yield name
}

/** The members that decide how bytes are read, in a fixed order. */
const CONTENT = (
  'name number label type type_name extendee oneof_index proto3_optional options features field_presence ' +
  'message_encoding map_entry message_set_wire_format field nested_type map_type enum_type extension value'
).split(' ')

function content(declaration: Declaration): string {
  return JSON.stringify(declaration.kind === 'message' ? declaration.message : declaration.type, CONTENT)
}
