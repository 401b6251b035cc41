// A registered Avro schema with all it refers to: each parsed once, those referred to first.

import { parseAvroSchema } from './avro-schema.ts'
import type { ParsedSchema } from './avro-schema.ts'
import { quoted, SchemaTrouble } from '../trouble.ts'
import type { AvroNamed, AvroType } from './avro-types.ts'
import type { RegisteredSchema } from '../types.ts'

const MOST = 1000
const DEEPEST = 100

/** @throws SchemaTrouble */
export function parseRegistered(schema: RegisteredSchema): AvroType {
  return new References().parse(schema, '', 0).root
}

class References {
  /** undefined: being parsed. */
  readonly #parsed = new Map<RegisteredSchema, ParsedSchema | undefined>()

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
      for (const [full, type] of more) if (!names.has(full)) names.set(full, type)
    }
    const parsed = parseAvroSchema(schema.text, names, prefix)
    this.#parsed.set(schema, parsed)
    return parsed
  }
}
