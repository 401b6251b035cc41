// Reads the declarations of a .proto text of proto2, proto3 or an edition. Every text that protoc accepts is accepted. What says nothing of
// a value's bytes is passed over: services, reserved names, most options. protobuf-link.ts checks names and numbers.

import { SchemaError } from '../unreadable.ts'
import type {
  ProtoEnum,
  ProtoFeatures,
  ProtoField,
  ProtoFile,
  ProtoImport,
  ProtoMessage,
  ProtoOptions,
} from './protobuf-file.ts'
import { ProtoTokens } from './protobuf-tokens.ts'

/** The most messages, fields, enums, their values and imports, because each takes some memory. */
const MOST_PARTS = 100_000
/** The most levels of messages within messages; protoc accepts 32. */
const DEEPEST = 100

/** Counts what a schema and all its imports declare, as they are read. */
export class ProtoWork {
  #parts = 0

  add(parts: number): void {
    this.#parts += parts
    if (this.#parts > MOST_PARTS) throw new SchemaError('declares too much to be read')
  }
}

/** Reads one file of a schema. Throws a SchemaError.
 *  @param path of the file; '' when it is the schema's own
 *  @param work counts what all files of the schema declare */
export function readProtoText(text: string, path = '', work = new ProtoWork()): ProtoFile {
  return new Reader(text, work).file(path)
}

type Options = { -readonly [Name in keyof ProtoOptions]: ProtoOptions[Name] }

/** Declarations of a file or a message, which grow as it is read. */
interface Scope {
  readonly nested_type: ProtoMessage[]
  readonly map_type: ProtoMessage[]
  readonly enum_type: ProtoEnum[]
  readonly extension: ProtoField[]
  readonly options: Options
}

function emptyScope(): Scope {
  return { nested_type: [], map_type: [], enum_type: [], extension: [], options: {} }
}

/** What a field stands in, if that is no message: a declaration of extensions, which names the message they extend, or a oneof. */
type Within = Pick<ProtoField, 'extendee' | 'oneof_index'>

/** A feature and its value in the words of an option: `{ field_presence : IMPLICIT }`. `(a.b).field_presence` is one of an extension. */
const FEATURE = /(?<![\w.)])(field_presence|message_encoding) : (\w+)/g

const LABELS = new Map(['optional', 'required', 'repeated'].map((word) => [word, `LABEL_${word.toUpperCase()}`]))

/** A recursive-descent parser. Each method begins at the next word, and goes past what it reads; it throws SchemaError on anything else. */
class Reader {
  readonly #tokens: ProtoTokens
  readonly #work: ProtoWork
  #edition = 'proto2'
  #depth = 0

  constructor(text: string, work: ProtoWork) {
    this.#tokens = new ProtoTokens(text)
    this.#work = work
  }

  file(path: string): ProtoFile {
    const tokens = this.#tokens
    if (tokens.skip('syntax') || tokens.skip('edition')) {
      tokens.demand('=')
      this.#edition = tokens.string()
      tokens.demand(';')
    }
    const scope = emptyScope()
    const imports: ProtoImport[] = []
    let name = ''
    while (tokens.word !== '') {
      if (name === '' && tokens.skip('package')) {
        name = tokens.path()
        tokens.demand(';')
      } else if (tokens.skip('import')) this.#import(imports)
      else if (tokens.skip('service')) this.#passService()
      else if (!this.#tryDeclaration(scope)) tokens.fail()
    }
    return { ...scope, path, package: name, edition: this.#edition, imports }
  }

  #import(imports: ProtoImport[]): void {
    const tokens = this.#tokens
    this.#work.add(1)
    // an import for options only: those are not read
    const forOptions = tokens.skip('option')
    const isPublic = tokens.skip('public')
    const weak = !isPublic && tokens.skip('weak')
    const path = tokens.string()
    tokens.demand(';')
    if (!forOptions) imports.push({ path, weak, public: isPublic })
  }

  #passService(): void {
    this.#tokens.name()
    if (this.#tokens.word !== '{') this.#tokens.fail()
    this.#pass('}')
  }

  /** Reads a declaration that may stand in a file or in a message, or an option, if one is next. Returns whether there was one. */
  #tryDeclaration(scope: Scope): boolean {
    const tokens = this.#tokens
    // words in front of a declaration in editions from 2024 on; the only year before is 2023
    const isVisibility = tokens.word === 'export' || tokens.word === 'local'
    if (isVisibility && /^20(?!23)/.test(this.#edition) && /^(?:message|enum)$/.test(tokens.after)) tokens.take()
    if (tokens.skip('message')) scope.nested_type.push(this.#message(tokens.name()))
    else if (tokens.skip('enum')) scope.enum_type.push(this.#enum())
    else if (tokens.skip('extend')) this.#extend(scope)
    else if (!this.#tryOption(scope.options)) return tokens.skip(';')
    return true
  }

  #message(name: string): ProtoMessage {
    const tokens = this.#tokens
    this.#work.add(1)
    if (++this.#depth > DEEPEST) throw new SchemaError(`declares messages more than ${DEEPEST} deep`)
    const scope = emptyScope()
    const field: ProtoField[] = []
    let oneofs = 0
    tokens.demand('{')
    while (!tokens.skip('}')) {
      if (tokens.skip('oneof')) this.#oneof(scope, field, oneofs++)
      else if (tokens.skip('extensions') || tokens.skip('reserved')) this.#pass(';')
      else if (!this.#tryDeclaration(scope)) field.push(this.#field(scope, {}))
    }
    this.#depth--
    return { ...scope, name, field }
  }

  #oneof(scope: Scope, fields: ProtoField[], index: number): void {
    const tokens = this.#tokens
    tokens.name()
    tokens.demand('{')
    while (!tokens.skip('}')) {
      if (!this.#tryOption({}) && !tokens.skip(';')) fields.push(this.#field(scope, { oneof_index: index }))
    }
  }

  #extend(scope: Scope): void {
    const tokens = this.#tokens
    const extendee = tokens.path()
    tokens.demand('{')
    while (!tokens.skip('}')) {
      if (!tokens.skip(';')) scope.extension.push(this.#field(scope, { extendee }))
    }
  }

  /** Reads a field. The message that a group or a map declares with it is added to `scope`. */
  #field(scope: Scope, within: Within): ProtoField {
    const tokens = this.#tokens
    this.#work.add(1)
    if (tokens.word === 'map' && tokens.after === '<') return this.#map(scope, within)
    const label = this.#label(within)
    const type_name = tokens.path()
    const numbered = this.#numbered()
    const proto3_optional = label === 'LABEL_OPTIONAL' && this.#edition === 'proto3'
    const field = { ...within, ...numbered, label, type_name, proto3_optional }
    if (type_name !== 'group') {
      tokens.demand(';')
      return field
    }
    const { name } = numbered
    scope.nested_type.push(this.#message(name))
    // a group gives its field its own name, in lower case
    return { ...field, name: name.toLowerCase(), type: 'TYPE_GROUP', type_name: name }
  }

  #label(within: Within): string | undefined {
    const tokens = this.#tokens
    const label = LABELS.get(tokens.word)
    if (!this.#fits(label, within)) tokens.fail()
    if (label !== undefined) tokens.take()
    return label
  }

  /** Whether a field may have this label, or none. */
  #fits(label: string | undefined, { oneof_index: oneof }: Within): boolean {
    if (oneof !== undefined) return label === undefined
    if (this.#edition === 'proto2') return label !== undefined
    if (label === 'LABEL_OPTIONAL') return this.#edition === 'proto3'
    return label !== 'LABEL_REQUIRED'
  }

  #map(scope: Scope, { extendee, oneof_index: oneof }: Within): ProtoField {
    const tokens = this.#tokens
    if (extendee !== undefined || oneof !== undefined) tokens.fail()
    tokens.take()
    tokens.demand('<')
    const key = tokens.path()
    tokens.demand(',')
    const value = tokens.path()
    tokens.demand('>')
    const { name, number, options } = this.#numbered()
    tokens.demand(';')
    // as protoc calls it: my_field is of the type MyFieldEntry
    const type_name = `${name.replaceAll(/(?:^|_+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase())}Entry`
    const field = [
      { name: 'key', number: 1, type_name: key },
      { name: 'value', number: 2, type_name: value },
    ]
    scope.map_type.push({ ...emptyScope(), name: type_name, field, options: { map_entry: true } })
    return { name, number, label: 'LABEL_REPEATED', type_name, options }
  }

  #enum(): ProtoEnum {
    const tokens = this.#tokens
    this.#work.add(1)
    const name = tokens.name()
    const value: { name: string; number: number }[] = []
    tokens.demand('{')
    while (!tokens.skip('}')) {
      if (tokens.skip('reserved')) this.#pass(';')
      else if (!this.#tryOption({}) && !tokens.skip(';')) value.push(this.#enumValue())
    }
    return { name, value }
  }

  #enumValue(): { name: string; number: number } {
    this.#work.add(1)
    const { name, number } = this.#numbered()
    this.#tokens.demand(';')
    return { name, number }
  }

  /** Reads a name, its number and its options, which a field has behind its type, and a value of an enum alone. */
  #numbered(): { name: string; number: number; options: ProtoOptions } {
    const tokens = this.#tokens
    const name = tokens.name()
    tokens.demand('=')
    return { name, number: tokens.integer(), options: this.#optionsInBrackets() }
  }

  /** Reads an option that is a statement of its own, if one is next. Returns whether there was one. */
  #tryOption(options: Options): boolean {
    const isNext = this.#tokens.skip('option')
    if (isNext) {
      this.#option(options)
      this.#tokens.demand(';')
    }
    return isNext
  }

  #optionsInBrackets(): ProtoOptions {
    const options: Options = {}
    const tokens = this.#tokens
    if (!tokens.skip('[')) return options
    do this.#option(options)
    while (tokens.skip(','))
    tokens.demand(']')
    return options
  }

  /** Reads a name and a value. Those that are needed are added to `options`. */
  #option(options: Options): void {
    const tokens = this.#tokens
    let name = ''
    while (!tokens.skip('=')) name += /^[\w().]+$/.test(tokens.word) ? tokens.take() : tokens.fail()
    const value = this.#value()
    if (name === 'map_entry' || name === 'message_set_wire_format') options[name] = value === 'true'
    else if (/^features(?:\.|$)/.test(name)) {
      const features = name === 'features' ? value : `${name.slice('features.'.length)} : ${value}`
      const found = [...features.matchAll(FEATURE)].map(([, feature, setting]) => [feature, setting])
      options.features = { ...options.features, ...(Object.fromEntries(found) as ProtoFeatures) }
    }
  }

  /** Reads the value of an option.
   *  @returns its words with a blank between, without those in braces within braces */
  #value(): string {
    const tokens = this.#tokens
    const words: string[] = []
    for (let depth = 0; depth > 0 || !/^[;,\]]$/.test(tokens.word);) {
      if (tokens.word === '' || (depth === 0 && tokens.word === '}')) tokens.fail()
      if (tokens.word === '{') depth++
      else if (tokens.word === '}') depth--
      if (depth <= 1) words.push(tokens.word)
      tokens.take()
    }
    return words.join(' ')
  }

  /** Passes all words up to `end` and `end` itself, which must be outside of braces or close the first one. */
  #pass(end: ';' | '}'): void {
    const tokens = this.#tokens
    for (let depth = 0; ;) {
      if (tokens.word === '{') depth++
      else if (tokens.word === '}') depth--
      if (tokens.word === '' || depth < 0) tokens.fail()
      if (tokens.take() === end && depth === 0) return
    }
  }
}
