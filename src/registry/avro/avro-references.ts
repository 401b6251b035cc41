// A registered Avro schema with all it refers to: each parsed once, those referred to first.

import { parseAvroSchema } from './avro-schema.ts'
import type { ParsedSchema } from './avro-schema.ts'
import { quoted, SchemaTrouble } from '../trouble.ts'
import type { AvroNamed, AvroType } from './avro-types.ts'
import type { RegisteredSchema } from '../types.ts'

const MOST = 1000
/** Types and symbols of all: each takes some memory, and a name takes some once more for each schema that may use it. */
const MOST_PARTS = 100_000
const NAMES_A_PART = 10
const DEEPEST = 100

/** @throws SchemaTrouble */
export function parseRegistered(schema: RegisteredSchema): AvroType {
  return new References().parse(schema, '', 0).root
}

class References {
  /** undefined: being parsed. */
  readonly #parsed = new Map<RegisteredSchema, ParsedSchema | undefined>()
  #parts = 0

  parse(schema: RegisteredSchema, prefix: string, depth: number): ParsedSchema {
    if (this.#parsed.has(schema)) {
      const parsed = this.#parsed.get(schema)
      if (parsed === undefined) throw new SchemaTrouble(`${prefix}refers to itself`)
      return parsed
    }
    if (schema.type !== 'AVRO') throw new SchemaTrouble(`${prefix}is not Avro`)
    if (depth > DEEPEST || this.#parsed.size >= MOST) {
      throw new SchemaTrouble(`refers to more than ${MOST} schemas, or over more than ${DEEPEST} others`)
    }
    this.#parsed.set(schema, undefined)
    const names = new Map<string, AvroNamed>()
    for (const { name, schema: referred } of schema.references) {
      const { names: more } = this.parse(referred, `refers to ${quoted(name)}, which `, depth + 1)
      this.#count(more.size / NAMES_A_PART, prefix)
      for (const [full, type] of more) if (!names.has(full)) names.set(full, type)
    }
    const parsed = parseAvroSchema(schema.text, names, prefix, (parts) => this.#count(parts, prefix))
    this.#parsed.set(schema, parsed)
    return parsed
  }

  #count(parts: number, prefix: string): void {
    this.#parts += parts
    if (this.#parts > MOST_PARTS) throw new SchemaTrouble(`${prefix}declares too much to be read`)
  }
}
