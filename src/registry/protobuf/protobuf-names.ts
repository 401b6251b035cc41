// Resolves names in .proto files as protoc does: from the innermost scope outwards, among the declarations that the file sees. A file sees
// itself, its imports, and what those import publicly, and so on.

import { SchemaError, quoted } from '../unreadable.ts'
import type { ProtoEnum, ProtoFeatures, ProtoField, ProtoFile, ProtoMessage } from './protobuf-file.ts'

export type Declaration = DeclaredMessage | DeclaredEnum

/** The surroundings of a declaration. */
interface DeclaredIn {
  readonly file: ProtoFile
  /** The features that apply to it: its own, those of the messages it is in, and those of its file; the innermost wins. */
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

/** The surroundings of a name that is used. */
export interface Use {
  readonly file: ProtoFile
  /** The full name of the message or package in which it is used. */
  readonly scope: string
}

export interface DeclaredField extends DeclaredIn, Use {
  readonly field: ProtoField
  /** Its name in JSON: of an extension the full name in brackets. */
  readonly name: string
}

/** The most messages, fields, enums and values of enums in all files, because each takes some memory. */
const MOST_DECLARED = 100_000
/** The most parts, with dots between, of a package's name. */
const MOST_PARTS = 100
/** The most characters of all full names that are declared or looked up. */
const MOST_CHARACTERS = 2 ** 28

const NAME = /^[A-Za-z_]\w*$/

export class ProtobufNames {
  /** Extensions of files first, then those within messages. */
  readonly extensions: DeclaredField[] = []
  /** Names that `find` took from a file that the file which uses them does not see. */
  readonly unseen = new Set<string>()
  /** Declarations by full name. */
  readonly #declarations = new Map<string, Declaration>()
  /** Other files that declare the same once more. */
  readonly #copies = new Map<Declaration, ProtoFile[]>()
  readonly #files: ReadonlyMap<string, ProtoFile>
  readonly #seenFiles = new Map<ProtoFile, ReadonlySet<ProtoFile>>()
  #declaredCount = 0
  #characters = 0

  /** @throws SchemaError for an invalid name, for two different declarations of one name, and for too many */
  constructor(files: readonly ProtoFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]))
    for (const file of files) {
      const parts = file.package === '' ? [] : file.package.split('.')
      if (parts.length > MOST_PARTS) throw new SchemaError(`has a package of more than ${MOST_PARTS} names`)
      for (const part of parts) demandName(part)
      this.#addExtensions(file, file.package, placeOf(file))
    }
    for (const file of files) this.#addTypesIn(file, file.package, placeOf(file))
  }

  messages(): DeclaredMessage[] {
    return [...this.#declarations.values()].filter((declaration) => declaration.kind === 'message')
  }

  /** Finds the declaration that a name means where it is used: one that its file sees, else that of the only other file which has any, as
   *  some registries do. Throws a SchemaError when no file has one, or several do. */
  find(name: string, { file, scope }: Use): Declaration {
    const unseen: Declaration[] = []
    for (const fullName of name.startsWith('.') ? [name.slice(1)] : outwards(name, scope)) {
      this.#countCharacters(fullName)
      const declared = this.#declarations.get(fullName)
      if (declared && this.#sees(file, declared)) return declared
      if (declared) unseen.push(declared)
    }
    const [first, ...others] = unseen
    if (!first) throw new SchemaError(`uses the type ${quoted(name)}, which is declared nowhere`)
    if (others.some((other) => other.file !== first.file))
      throw new SchemaError(`uses the type ${quoted(name)}, which its file does not import and several others declare`)
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
    // the loop also visits the files that it adds
    for (const importing of seen) {
      for (const { path, public: isPublic } of importing.imports) {
        const imported = isPublic || importing === file ? this.#files.get(path) : undefined
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

  #countDeclared(added: number): void {
    this.#declaredCount += added
    if (this.#declaredCount > MOST_DECLARED) throw new SchemaError('declares too much to be read')
  }

  #addExtensions({ extension }: Pick<ProtoMessage, 'extension'>, scope: string, place: DeclaredIn): void {
    this.#countDeclared(extension.length)
    for (const field of extension) {
      const name = demandName(field.name)
      this.extensions.push({ field, name: `[${joined(scope, name)}]`, scope, ...place })
    }
  }

  #addTypesIn(from: Omit<ProtoMessage, 'field' | 'name'>, scope: string, { file, features: outer }: DeclaredIn): void {
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
      this.#addTypesIn(message, name, { file, features })
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

/** The full name of a name in a scope, which is '' outside of any. */
export function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`
}

/** Returns a name that is valid; throws a SchemaError for another. */
export function demandName(name = ''): string {
  if (!NAME.test(name)) throw new SchemaError(`uses the name ${quoted(name)}, which is none`)
  return name
}

/** The full names that a name may mean where it is used, the innermost first: of X in a.b they are a.b.X, a.X and X. */
function* outwards(name: string, scope: string): Generator<string> {
  for (let outer = scope; outer !== ''; outer = outer.slice(0, Math.max(outer.lastIndexOf('.'), 0)))
    yield `${outer}.${name}`
  yield name
}

/** The members of a declaration that decide how bytes are read, in a fixed order, by which two declarations are compared. */
const COMPARED = (
  'name number label type type_name extendee oneof_index proto3_optional options features field_presence ' +
  'message_encoding map_entry message_set_wire_format field nested_type map_type enum_type extension value'
).split(' ')

function content(declaration: Declaration): string {
  return JSON.stringify(declaration.kind === 'message' ? declaration.message : declaration.type, COMPARED)
}
