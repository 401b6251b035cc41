// The messages for what a schema finds wrong with one value. They never quote a string: it may be a secret in the wrong place.

import { z } from 'zod'

import { nearestName } from '../text/nearest-name.ts'
import { innerOf } from './references.ts'

/** Used for every option, unless its schema has a message of its own. */
export const errorMap: z.core.$ZodErrorMap = (issue) => {
  const { input } = issue
  if (input === undefined) return 'is required'
  if (issue.code === 'invalid_type') {
    const wanted =
      issue.inst instanceof z.ZodNumberFormat ? 'a whole number' : (WANTED[issue.expected] ?? issue.expected)
    const quotes =
      issue.expected === 'string' && typeof input === 'number' ? ': put it in quotes' : unquoted(issue.expected, input)
    return `must be ${wanted}${suchAs(issue.inst)}, found ${kindOf(input)}${quotes}`
  }
  if (issue.code === 'too_small')
    return typeof input === 'number' ? `must be at least ${issue.minimum}${found(input)}` : 'is empty'
  if (issue.code === 'too_big')
    return `must be at most ${issue.maximum}${typeof input === 'string' ? ' characters long' : found(input)}`
  if (issue.code === 'invalid_value') {
    const near = typeof input === 'string' ? nearestName(input, issue.values.map(String)) : undefined
    const meant = near === undefined ? '' : `: did you mean ${JSON.stringify(near)}?`
    return `must be ${alternatives(issue.values)}, found ${typeof input === 'string' ? 'another string' : kindOf(input)}${meant}`
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

/** A longer example is no help within a sentence. */
const LONGEST = 80

/** Names an example of what might stand there, of a group or a list whose schema has examples. */
function suchAs(schema: unknown): string {
  if (!(schema instanceof z.ZodObject || schema instanceof z.ZodArray)) return ''
  const text = JSON.stringify(exampleOf(schema), null, 1)?.replaceAll(/\s*\n\s*/g, ' ') ?? ''
  return text === '' || text.length > LONGEST ? '' : ` such as ${text}`
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

function alternatives(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value))
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}
