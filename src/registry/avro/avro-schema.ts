// Parses the text of an Avro schema into a tree of types. Names are resolved by their namespaces, also to definitions in the schemas that it
// refers to. As lenient as reading allows: what only a writer or another reader needs (defaults, aliases, order) isn't looked at.

import { quoted, SchemaError } from '../unreadable.ts'
import type { RegisteredSchema } from '../types.ts'
import { isObject } from '../../json/is-object.ts'

/** A type's definition as the schema has it, with its logical type (avro-logical.ts). */
export type Definition = Readonly<Record<string, unknown>>

export type AvroPrimitive = 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string'

export type AvroType =
  | { readonly kind: AvroPrimitive; readonly definition: Definition }
  | { readonly kind: 'array'; readonly items: AvroType }
  | { readonly kind: 'map'; readonly values: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | AvroNamed
  | AvroLink

export interface AvroRecord {
  readonly kind: 'record'
  readonly fullName: string
  readonly fields: readonly AvroField[]
}

export type AvroNamed =
  | AvroRecord
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'fixed'; readonly size: number; readonly definition: Definition }

export interface AvroField {
  readonly name: string
  readonly type: AvroType
}

/** The use of a named type. Its target is `undefined` until the whole schema is parsed. */
interface AvroLink {
  readonly kind: 'link'
  target: AvroNamed | undefined
}

/** The most types and symbols of all schemas together, because each takes memory. */
const MOST_PARTS = 100_000
/** How many names count as one part when a schema takes them over from one that it refers to: each takes some memory once more. */
const NAMES_A_PART = 10

/** Parses a schema and those that it refers to. Throws a SchemaError. */
export function parseRegistered(schema: RegisteredSchema): AvroType {
  return new References().parse(schema, '').root
}

/** A schema and those that it refers to, each parsed once. That they are few, and none refers to itself, fetch-schema.ts has checked. */
class References {
  readonly #parsed = new Map<RegisteredSchema, ParsedSchema>()
  #parts = 0

  /** Parses a schema. `prefix`, for messages, is the reference that led to it; '' for the first one. */
  parse(schema: RegisteredSchema, prefix: string): ParsedSchema {
    const known = this.#parsed.get(schema)
    if (known !== undefined) return known
    if (schema.type !== 'AVRO') throw new SchemaError(`${prefix}is not Avro`)
    const names = new Map<string, AvroNamed>()
    for (const { name, schema: referred } of schema.references) {
      const { names: taken } = this.parse(referred, `refers to ${quoted(name)}, which `)
      this.#count(taken.size / NAMES_A_PART, prefix)
      for (const [fullName, type] of taken) if (!names.has(fullName)) names.set(fullName, type)
    }
    const parsed = new SchemaParser(names, prefix, (parts) => this.#count(parts, prefix)).parse(schema.text)
    this.#parsed.set(schema, parsed)
    return parsed
  }

  #count(parts: number, prefix: string): void {
    this.#parts += parts
    if (this.#parts > MOST_PARTS) throw new SchemaError(`${prefix}declares too much to be read`)
  }
}

interface ParsedSchema {
  readonly root: AvroType
  /** Definitions by full name: those in the text, and those in schemas that it refers to. */
  readonly names: ReadonlyMap<string, AvroNamed>
}

/** Each level takes some frames of the stack. */
const DEEPEST = 256

const PRIMITIVES: ReadonlySet<string> = new Set('null boolean int long float double bytes string'.split(' '))

/** Makes the types of one text. `space` is always the namespace that a type stands in, '' for none. */
class SchemaParser {
  readonly #imported: ReadonlyMap<string, AvroNamed>
  readonly #prefix: string
  readonly #count: (parts: number) => void
  readonly #defined = new Map<string, AvroNamed>()
  /** Uses of named types. They are resolved at the end, because a use may come before the definition. */
  readonly #links: { readonly link: AvroLink; readonly name: string; readonly space: string }[] = []
  #depth = 0

  /** @param imported what the schemas it refers to define; its own definitions win
   *  @param prefix put in front of the message of what is thrown
   *  @param count called with the number of types and symbols as they are met; throws when there are too many */
  constructor(imported: ReadonlyMap<string, AvroNamed>, prefix: string, count: (parts: number) => void) {
    this.#imported = imported
    this.#prefix = prefix
    this.#count = count
  }

  parse(text: string): ParsedSchema {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      throw this.#error('is not JSON')
    }
    const root = this.#type(json, '') // in no namespace
    for (const { link, name, space } of this.#links) link.target = this.#resolved(name, space)
    return { root, names: new Map([...this.#imported, ...this.#defined]) }
  }

  #type(json: unknown, space: string): AvroType {
    if (++this.#depth > DEEPEST) throw this.#error(`nests types deeper than ${DEEPEST} levels`)
    this.#count(1)
    const type = this.#anyType(json, space)
    this.#depth--
    return type
  }

  #anyType(json: unknown, space: string): AvroType {
    if (typeof json === 'string') return this.#named(json, space)
    if (Array.isArray(json)) return this.#union(json, space)
    if (!isObject(json)) throw this.#error(`has ${kindOf(json)} where a type belongs`)
    const { type } = json
    if (typeof type !== 'string') {
      if (type === undefined) throw this.#error('has a type without "type"')
      return this.#type(type, space)
    }
    if (isPrimitive(type)) return { kind: type, definition: json }
    if (type === 'array') return { kind: 'array', items: this.#part(json, 'items', space) }
    if (type === 'map') return { kind: 'map', values: this.#part(json, 'values', space) }
    if (type === 'record' || type === 'error') return this.#record(json, space)
    if (type === 'enum') return this.#enum(json, space)
    if (type === 'fixed') return this.#fixed(json, space)
    return this.#named(type, space)
  }

  #named(name: string, space: string): AvroType {
    if (isPrimitive(name)) return { kind: name, definition: {} }
    const link: AvroLink = { kind: 'link', target: undefined }
    this.#links.push({ link, name, space })
    return link
  }

  #union(json: readonly unknown[], space: string): AvroType {
    const branches = json.map((branch) => {
      if (Array.isArray(branch)) throw this.#error('has a union right in a union')
      return this.#type(branch, space)
    })
    return { kind: 'union', branches }
  }

  #part(json: Definition, part: 'items' | 'values', space: string): AvroType {
    if (json[part] === undefined) throw this.#error(`has ${part === 'items' ? 'an array' : 'a map'} without "${part}"`)
    return this.#type(json[part], space)
  }

  #record(json: Definition, space: string): AvroType {
    const [name, namespace] = this.#fullName(json, space)
    const fields: AvroField[] = []
    const record = this.#define(name, { kind: 'record', fullName: name, fields })
    if (!Array.isArray(json['fields'])) throw this.#error(`has a record ${quoted(name)} without a list of "fields"`)
    const seen = new Set<string>()
    for (const field of json['fields'] as unknown[]) {
      const label = isObject(field) ? field['name'] : undefined
      if (!isObject(field) || typeof label !== 'string')
        throw this.#error(`has a field without a name in ${quoted(name)}`)
      if (seen.has(label)) throw this.#error(`has the field ${quoted(label)} of ${quoted(name)} twice`)
      seen.add(label)
      if (field['type'] === undefined)
        throw this.#error(`has no type for the field ${quoted(label)} of ${quoted(name)}`)
      fields.push({ name: label, type: this.#type(field['type'], namespace) })
    }
    return record
  }

  #enum(json: Definition, space: string): AvroType {
    const [name] = this.#fullName(json, space)
    const symbols: unknown = json['symbols']
    if (!Array.isArray(symbols) || !symbols.every((symbol) => typeof symbol === 'string'))
      throw this.#error(`has an enum ${quoted(name)} without a list of "symbols"`)
    this.#count(symbols.length)
    return this.#define(name, { kind: 'enum', symbols })
  }

  #fixed(json: Definition, space: string): AvroType {
    const [name] = this.#fullName(json, space)
    const { size } = json
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
      throw this.#error(`has a fixed ${quoted(name)} without a "size"`)
    return this.#define(name, { kind: 'fixed', size, definition: json })
  }

  #define(name: string, type: AvroNamed): AvroNamed {
    if (this.#defined.has(name)) throw this.#error(`defines ${quoted(name)} twice`)
    this.#defined.set(name, type)
    return type
  }

  /** The full name of a definition, and its namespace: that of a dotted name, else the definition's own, else the enclosing one. */
  #fullName(json: Definition, space: string): [fullName: string, namespace: string] {
    const { name, namespace } = json
    if (typeof name !== 'string' || name === '' || name.endsWith('.'))
      throw this.#error(`has ${withArticle(String(json['type']))} without a name`)
    const dot = name.lastIndexOf('.')
    if (dot !== -1) return [fullOf(name), name.slice(0, dot)]
    const within = typeof namespace === 'string' ? namespace : space
    return [within === '' ? name : `${within}.${name}`, within]
  }

  /** A name without dots is looked up in its namespace, then without one. */
  #resolved(name: string, space: string): AvroNamed {
    const fullName = name.includes('.') || space === '' ? fullOf(name) : `${space}.${name}`
    const type = this.#lookUp(fullName) ?? this.#lookUp(name)
    if (type === undefined) throw this.#error(`names a type ${quoted(name)} that nothing defines`)
    return type
  }

  #lookUp(fullName: string): AvroNamed | undefined {
    return this.#defined.get(fullName) ?? this.#imported.get(fullName)
  }

  #error(words: string): SchemaError {
    return new SchemaError(this.#prefix + words)
  }
}

/** The full name of a dotted name. A dot in front says that the name has no namespace. */
function fullOf(dotted: string): string {
  return dotted.lastIndexOf('.') === 0 ? dotted.slice(1) : dotted
}

function isPrimitive(name: string): name is AvroPrimitive {
  return PRIMITIVES.has(name)
}

function kindOf(json: unknown): string {
  return json === null ? 'null' : `a ${typeof json}`
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
