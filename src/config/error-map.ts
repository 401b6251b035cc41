// What messages say of a value that its schema does not take: "must be …, found …". A value itself is quoted only if it is a number or a
// short word, which is no secret in the wrong place.
//
// Where a group or a list is wanted and something else was found, they say what to write instead: an example of it, with the user's own
// value in it where that fits. So `health: 8080` is answered by `{ port: 8080 }`. The value is not shown where an option of the group is a
// secret.

import { z } from 'zod'

import { isObject } from '../json/is-object.ts'
import { orMeant } from '../text/nearest-name.ts'
import { listed } from '../text/printable.ts'
import { shownName } from './findings.ts'
import { innerOf, optionsIn } from './schema-options.ts'
import { textsOf } from './secrets.ts'

/** How a file is written. */
export type Notation = 'json' | 'yaml'

/** Makes the messages of every option whose schema has none of its own, for zod's `error`.
 *  @param notation of examples in them */
export function errorMapFor(notation: Notation): z.core.$ZodErrorMap {
  return (issue) => {
    const { input } = issue
    if (input === undefined) return 'is required'
    if (issue.code === 'invalid_type') return wrongType(issue, notation)
    if (issue.code === 'too_small')
      return typeof input === 'number' ? `must be at least ${issue.minimum}${foundNumber(input)}` : 'is empty'
    if (issue.code === 'too_big')
      return `must be at most ${issue.maximum}${typeof input === 'string' ? ' characters long' : foundNumber(input)}`
    if (issue.code === 'invalid_value') return wrongWord(input, issue.values)
    return issue.code === 'unrecognized_keys' ? 'has an unknown member' : 'is not valid'
  }
}

const WANTED: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'a group of options',
}

function wrongType({ input, inst, expected }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>, notation: Notation) {
  const wanted = inst instanceof z.ZodNumberFormat ? 'a whole number' : (WANTED[expected] ?? expected)
  const words = wordsOf(inst).map((word) => JSON.stringify(word))
  const [ofWords, found] = words.length > 0 ? [` of ${listed(words, 'or')}`, shownWord(input)] : ['', kindOf(input)]
  return `must be ${wanted}${ofWords}, found ${found}${aboutQuotes(expected, input)}${insteadOf(input, inst, notation)}`
}

/** Says what to do about quotes, where they alone are missing or too much; else ''. */
function aboutQuotes(expected: string, input: unknown): string {
  if (expected === 'string' && typeof input === 'number') return ': put it in quotes'
  if (typeof input !== 'string') return ''
  const pattern = {
    number: /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/,
    int: /^\s*-?\d{1,15}\s*$/,
    boolean: /^(?:true|false)$/,
  }[expected]
  return pattern?.test(input) === true ? ': remove the quotes' : ''
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

/** Shows a short word of small letters, which is no key; of any other value, the kind. */
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

/** Says what to write in place of a value, with that value in it where it is no secret.
 *  @returns '' when nothing is known of it */
function insteadOf(value: unknown, schema: unknown, notation: Notation): string {
  if (!(schema instanceof z.ZodObject || schema instanceof z.ZodArray)) return ''
  const maySay = !optionsIn(schema).some(({ meta }) => meta['airbyte_secret']) && textsOf(value).every(isShown)
  const own = maySay ? around(value, schema) : undefined
  if (own === undefined && wordsOf(schema).length > 0) return ': write some of these in [ ]'
  const example = own ?? exampleOf(schema)
  const text = example === undefined ? '' : written(example, notation)
  return text === '' || text.length > LONGEST_EXAMPLE ? '' : `: write ${text}`
}

/** The words that a list may hold, if it may hold only those; else none. */
function wordsOf(schema: unknown): readonly unknown[] {
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum ? schema.element.options : []
}

/** Writes a value in one line. */
export function written(value: unknown, notation: Notation): string {
  const text = JSON.stringify(value, null, 1).replaceAll(/\s*\n\s*/g, ' ')
  // what YAML reads as a text without quotes
  return notation === 'json' ? text : text.replaceAll(/"((?!(?:true|false|null)")[a-z_][\w.-]*)"/gi, '$1')
}

/** Puts a value where it was probably meant: into a group as its first option that takes it, into a list as its one entry. A group in the
 *  place of a list may hold the entries by their names.
 *  @returns `undefined` when it fits nowhere */
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
