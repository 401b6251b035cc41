// What a message says to write in place of a value of another kind: an example of the group or list that is wanted, with the user's own
// value in it, as where `health: 8080` is answered by `{ port: 8080 }`. A value is not shown where an option of the group is a secret.

import { z } from 'zod'

import { isObject } from '../json/is-object.ts'
import { shownName } from './findings.ts'
import { innerOf, optionsIn } from './schema-options.ts'
import { textsOf } from './secrets.ts'

/** How a file is written. */
export type Notation = 'json' | 'yaml'

/** A longer example is no help within a sentence. */
const LONGEST = 80

/** Says what to write in place of a value, with that value in it where it is no secret.
 *  @returns '' when nothing is known of it */
export function insteadOf(value: unknown, schema: unknown, notation: Notation): string {
  if (!(schema instanceof z.ZodObject || schema instanceof z.ZodArray)) return ''
  const maySay = !optionsIn(schema).some(({ meta }) => meta['airbyte_secret']) && textsOf(value).every(isShown)
  const own = maySay ? around(value, schema) : undefined
  if (own === undefined && wordsOf(schema).length > 0) return ': write some of these in [ ]'
  const example = own ?? exampleOf(schema)
  const text = example === undefined ? '' : written(example, notation)
  return text === '' || text.length > LONGEST ? '' : `: write ${text}`
}

/** The words that a list may hold; none where it holds something else. */
export function wordsOf(schema: unknown): readonly unknown[] {
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum ? schema.element.options : []
}

/** Writes a value in one line. */
export function written(value: unknown, notation: Notation): string {
  const text = JSON.stringify(value, null, 1).replaceAll(/\s*\n\s*/g, ' ')
  // what YAML reads as a text without quotes
  return notation === 'json' ? text : text.replaceAll(/"((?!(?:true|false|null)")[a-z_][\w.-]*)"/gi, '$1')
}

/** Makes a group of the value of its first option, and a list of its one entry, or of a group of entries by their names.
 *  @returns `undefined` when it does not fit */
function around(value: unknown, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType
    const named = isObject(value) ? Object.entries(value) : []
    const entries = named.map(([name, more]) => Object.assign({}, around(name, element), isObject(more) ? more : {}))
    const found = [[value], entries, [around(value, element)]]
    return found.find((entries) => entries.length > 0 && element.array().safeParse(entries).success)
  }
  const example = exampleOf(schema)
  if (!(schema instanceof z.ZodObject) || !isObject(example)) return undefined
  const first = Object.keys(example).find((name) => (schema.shape[name] as z.ZodType).safeParse(value).success)
  return first === undefined ? undefined : { ...example, [first]: value }
}

/** A plain word or name, which is no secret by its look. */
function isShown(text: string): boolean {
  return /^[\w.-]+$/.test(text) && shownName(text) === text
}

/** @returns `undefined` when nothing is known of it */
function exampleOf(schema: z.ZodType): unknown {
  const { example, examples } = metaOf(schema)
  if (example !== undefined || examples !== undefined) return example ?? examples?.[0]
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodArray) {
    const entry = exampleOf(schema.element as z.ZodType)
    return entry === undefined ? undefined : [entry]
  }
  const inner = innerOf(schema)
  if (!(schema instanceof z.ZodObject)) return inner && exampleOf(inner)
  const members = Object.entries(schema.shape)
  const wanted = members.filter(([, one]) => !one.safeParse(undefined).success || metaOf(one).example !== undefined)
  const shown = wanted.length > 0 ? wanted : members.filter(([, one]) => metaOf(one).examples !== undefined).slice(0, 1)
  const parts = shown.map(([name, one]) => [name, exampleOf(one)] as const)
  return parts.length === 0 || parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts)
}

function metaOf(schema: z.ZodType) {
  return (schema.meta() ?? {}) as { readonly example?: unknown; readonly examples?: readonly unknown[] }
}
