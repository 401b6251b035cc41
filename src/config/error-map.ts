// Words the messages about a value that its schema does not take: "must be …, found …". The value itself is quoted only if it is a number
// or a short word, for anything else may be a secret in the wrong place.
//
// Where a group or a list is wanted, a message says what to write instead: an example, with the user's own value in it where that fits, as
// `{ port: 8080 }` for `health: 8080`. No value is shown where an option of the group is a secret.

import { z } from 'zod'
import { isObject } from '../json/is-object.ts'
import { orMeant } from '../text/nearest-name.ts'
import { listed } from '../text/printable.ts'
import { shownName } from './findings.ts'
import { innerOf, optionsIn } from './schema-options.ts'
import { textsOf } from './secrets.ts'

/** The language that a config is written in. */
export type Notation = 'json' | 'yaml'

/** Makes the messages of every option whose schema has none of its own, for zod's `error`.
 *  @param notation of the examples in them */
export function errorMapFor(notation: Notation): z.core.$ZodErrorMap {
  return (issue) => {
    const { input } = issue
    if (input === undefined) return 'is required'
    if (issue.code === 'invalid_type') return wrongType(issue, notation)
    // texts and lists have no least length but 1
    if (issue.code === 'too_small')
      return typeof input === 'number' ? `must be at least ${issue.minimum}${foundNumber(input)}` : 'is empty'
    if (issue.code === 'too_big')
      return `must be at most ${issue.maximum}${typeof input === 'string' ? ' characters long' : foundNumber(input)}`
    if (issue.code === 'invalid_value') return wrongWord(input, issue.values)
    return issue.code === 'unrecognized_keys' ? 'has an unknown member' : 'is not valid'
  }
}

/** Words by the name that zod has for a type. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'a group of options',
}

function wrongType(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>, notation: Notation) {
  const { input, inst: schema, expected } = issue
  const wanted = schema instanceof z.ZodNumberFormat ? 'a whole number' : (TYPE_WORDS[expected] ?? expected)
  const words = wordsOf(schema).map((word) => JSON.stringify(word))
  const [ofWords, found] = words.length > 0 ? [` of ${listed(words, 'or')}`, shownWord(input)] : ['', kindOf(input)]
  return `must be ${wanted}${ofWords}, found ${found}${aboutQuotes(expected, input)}${insteadOf(input, schema, notation)}`
}

/** Says what to do about quotes where a value is wrong by its quotes alone; '' where it is not. */
function aboutQuotes(expected: string, input: unknown): string {
  if (expected === 'string' && typeof input === 'number') return ': put it in quotes'
  if (typeof input !== 'string') return ''
  const unquoted = {
    number: /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/,
    int: /^\s*-?\d{1,15}\s*$/,
    boolean: /^(?:true|false)$/,
  }[expected]
  return unquoted?.test(input) === true ? ': remove the quotes' : ''
}

function wrongWord(input: unknown, words: readonly unknown[]): string {
  const quoted = words.map((word) => JSON.stringify(word))
  const wanted = quoted.length > 2 ? `one of ${quoted.join(', ')}` : quoted.join(' or ')
  const meant = typeof input === 'string' ? orMeant(input, words.map(String)) : ''
  return `must be ${wanted}, found ${shownWord(input)}${meant}`
}

/** Says which number was found; '' for one of 13 digits or more, which may be a key, and for what is no number. */
function foundNumber(given: unknown): string {
  return typeof given === 'number' && Math.abs(given) < 1e12 ? `, found ${given}` : ''
}

/** Quotes a short word of small letters, which is no key; says of any other value what kind it is. */
export function shownWord(value: unknown): string {
  if (typeof value !== 'string') return kindOf(value)
  return /^[_a-z][_a-z-]{0,15}$/.test(value) ? JSON.stringify(value) : 'another string'
}

/** Words for a value's type, and nothing of the value. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (Number.isNaN(value)) return 'no number'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'infinity'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction'
  if (value === null) return 'null'
  return (
    { string: 'a string', boolean: 'true or false', object: 'an object' }[typeof value as string] ?? 'something else'
  )
}

/** Most characters of an example: a longer one is no help within a sentence. */
const LONGEST_EXAMPLE = 80

/** Says what to write in place of a value where a group or a list is wanted. The value is part of it if it is no secret and fits.
 *  @returns '' when no example is known, or it is too long */
function insteadOf(value: unknown, schema: unknown, notation: Notation): string {
  if (!(schema instanceof z.ZodObject || schema instanceof z.ZodArray)) return ''
  const isNoSecret = !optionsIn(schema).some(({ meta }) => meta['airbyte_secret']) && textsOf(value).every(isPlain)
  const withValue = isNoSecret ? wrapped(value, schema) : undefined
  if (withValue === undefined && wordsOf(schema).length > 0) return ': write some of these in [ ]'
  const example = withValue ?? exampleOf(schema)
  const text = example === undefined ? '' : written(example, notation)
  return text === '' || text.length > LONGEST_EXAMPLE ? '' : `: write ${text}`
}

/** The words that a list may hold. Empty when the schema is no list of certain words. */
function wordsOf(schema: unknown): readonly unknown[] {
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum ? schema.element.options : []
}

/** Writes a value in one line, as it would stand in a file. */
export function written(value: unknown, notation: Notation): string {
  const text = JSON.stringify(value, null, 1).replaceAll(/\s*\n\s*/g, ' ')
  // YAML reads these as texts without quotes too
  return notation === 'json' ? text : text.replaceAll(/"((?!(?:true|false|null)")[a-z_][\w.-]*)"/gi, '$1')
}

/** Puts a value where it was probably meant: into a group as its first option that takes it, into a list as its one entry. A group in the
 *  place of a list is taken for its entries by name: `{ orders: { table: o } }` for `[{ name: orders, table: o }]`.
 *  @returns the whole group or list. `undefined` when the value fits nowhere */
function wrapped(value: unknown, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType
    const named = isObject(value) ? Object.entries(value) : []
    const byName = named.map(([name, rest]) => Object.assign({}, wrapped(name, element), isObject(rest) ? rest : {}))
    const lists = [[value], byName, [wrapped(value, element)]]
    return lists.find((list) => list.length > 0 && element.array().safeParse(list).success)
  }
  const example = exampleOf(schema)
  if (!(schema instanceof z.ZodObject) || !isObject(example)) return undefined
  const first = Object.keys(example).find((name) => (schema.shape[name] as z.ZodType).safeParse(value).success)
  return first === undefined ? undefined : { ...example, [first]: value }
}

/** Whether a text is a plain word or name, which does not look like a secret. */
function isPlain(text: string): boolean {
  return /^[\w.-]+$/.test(text) && shownName(text) === text
}

/** An example of what a schema takes: the one in its metadata, or one made of its members that are required or have an `example`, else of
 *  the first that has `examples`. `undefined` when none is known. */
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
  const first = members.find(([, one]) => metaOf(one).examples !== undefined)
  const chosen = wanted.length === 0 && first ? [first] : wanted
  const parts = chosen.map(([name, one]) => [name, exampleOf(one)] as const)
  return parts.length === 0 || parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts)
}

function metaOf(schema: z.ZodType) {
  return (schema.meta() ?? {}) as { readonly example?: unknown; readonly examples?: readonly unknown[] }
}
