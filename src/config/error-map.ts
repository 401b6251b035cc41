// The messages for what a schema finds wrong with one value. They quote of it only what is no secret in the wrong place: a short word
// where one of some words is wanted, and where no option is a secret, what the file may say instead.

import { z } from 'zod'

import { isObject } from '../json/is-object.ts'
import { WORD } from '../process/read-arguments.ts'
import { nearestName } from '../text/nearest-name.ts'
import { listed } from '../text/printable.ts'
import { shownName } from './findings.ts'
import { innerOf, optionsIn } from './references.ts'
import { textsOf } from './secrets.ts'

/** How a file is written, for what a message says to write. */
export type Notation = 'json' | 'yaml'

/** Used for every option, unless its schema has a message of its own. */
export const errorMapFor: (notation: Notation) => z.core.$ZodErrorMap = (notation) => (issue) => {
  const { input } = issue
  if (input === undefined) return 'is required'
  if (issue.code === 'invalid_type') {
    const wanted =
      issue.inst instanceof z.ZodNumberFormat ? 'a whole number' : (WANTED[issue.expected] ?? issue.expected)
    const quotes =
      issue.expected === 'string' && typeof input === 'number' ? ': put it in quotes' : unquoted(issue.expected, input)
    return `must be ${wanted}${anyOf(issue.inst)}, found ${kindOf(input)}${quotes}${insteadOf(input, issue.inst, notation)}`
  }
  if (issue.code === 'too_small')
    return typeof input === 'number' ? `must be at least ${issue.minimum}${found(input)}` : 'is empty'
  if (issue.code === 'too_big')
    return `must be at most ${issue.maximum}${typeof input === 'string' ? ' characters long' : found(input)}`
  if (issue.code === 'invalid_value') {
    const near = typeof input === 'string' ? nearestName(input, issue.values.map(String)) : undefined
    const meant = near === undefined ? '' : `: did you mean ${JSON.stringify(near)}?`
    return `must be ${alternatives(issue.values)}, found ${wordOf(input)}${meant}`
  }
  return issue.code === 'unrecognized_keys' ? 'has an unknown member' : 'is not valid'
}

const WANTED: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'a group of options',
}

/** The words that a list may hold. */
function anyOf(schema: unknown): string {
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum
    ? ` of ${listed(
        schema.element.options.map((word) => JSON.stringify(word)),
        'or',
      )}`
    : ''
}

/** A longer example is no help within a sentence. */
const LONGEST = 80

/** Says what to write in place of a value, with that value in it where it is no secret.
 *  @returns '' when nothing is known of it */
function insteadOf(value: unknown, schema: unknown, notation: Notation): string {
  if (!(schema instanceof z.ZodObject || schema instanceof z.ZodArray)) return ''
  const maySay = !optionsIn(schema).some(({ meta }) => meta['airbyte_secret']) && textsOf(value, 0).every(isShown)
  const example = (maySay ? around(value, schema) : undefined) ?? exampleOf(schema)
  const text = example === undefined ? '' : written(example, notation)
  return text === '' || text.length > LONGEST ? '' : `: write ${text}`
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
    const entries = named.map(([name, more]) => Object.assign({}, around(name, element), more))
    const found = [[value], entries, [around(value, element)]]
    return found.find((entries) => entries.length > 0 && element.array().safeParse(entries).success)
  }
  const example = exampleOf(schema)
  if (!(schema instanceof z.ZodObject) || !isObject(example)) return undefined
  const first = Object.keys(example).find((name) => (schema.shape[name] as z.ZodType).safeParse(value).success)
  return first === undefined ? undefined : { ...example, [first]: value }
}

const isShown = (text: string): boolean => /^[\w.-]+$/.test(text) && shownName(text) === text

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

/** A number or a truth value that was written as a text. */
function unquoted(expected: string, input: unknown): string {
  if (typeof input !== 'string') return ''
  const pattern = {
    number: /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/,
    int: /^\s*-?\d{1,15}\s*$/,
    boolean: /^(?:true|false)$/,
  }[expected]
  return pattern?.test(input) === true ? ': remove the quotes' : ''
}

/** A value's type, for messages. */
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

/** '' unless it is a number, and too short to be a key. */
function found(given: unknown): string {
  return typeof given === 'number' && Math.abs(given) < 1e12 ? `, found ${given}` : ''
}

/** A word of small letters is no key. */
function wordOf(value: unknown): string {
  if (typeof value !== 'string') return kindOf(value)
  return WORD.test(value) ? JSON.stringify(value) : 'another string'
}

function alternatives(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value))
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}
