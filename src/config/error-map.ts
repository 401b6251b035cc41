// The messages for what a schema finds wrong with one value. They quote of it only what is no secret in the wrong place: a short word
// where one of some words is wanted, and what write-instead.ts puts where it belongs.

import { z } from 'zod'

import { orMeant } from '../text/nearest-name.ts'
import { listed } from '../text/printable.ts'
import { insteadOf, wordsOf } from './write-instead.ts'
import type { Notation } from './write-instead.ts'

/** Used for every option, unless its schema has a message of its own. */
export const errorMapFor: (notation: Notation) => z.core.$ZodErrorMap = (notation) => (issue) => {
  const { input } = issue
  if (input === undefined) return 'is required'
  if (issue.code === 'invalid_type') {
    const wanted =
      issue.inst instanceof z.ZodNumberFormat ? 'a whole number' : (WANTED[issue.expected] ?? issue.expected)
    const quotes =
      issue.expected === 'string' && typeof input === 'number' ? ': put it in quotes' : unquoted(issue.expected, input)
    const words = wordsOf(issue.inst).map((word) => JSON.stringify(word))
    const [anyOf, found] = words.length > 0 ? [` of ${listed(words, 'or')}`, shownWord(input)] : ['', kindOf(input)]
    return `must be ${wanted}${anyOf}, found ${found}${quotes}${insteadOf(input, issue.inst, notation)}`
  }
  if (issue.code === 'too_small')
    return typeof input === 'number' ? `must be at least ${issue.minimum}${found(input)}` : 'is empty'
  if (issue.code === 'too_big')
    return `must be at most ${issue.maximum}${typeof input === 'string' ? ' characters long' : found(input)}`
  if (issue.code === 'invalid_value') {
    const meant = typeof input === 'string' ? orMeant(input, issue.values.map(String)) : ''
    return `must be ${alternatives(issue.values)}, found ${shownWord(input)}${meant}`
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

/** A short word of small letters is no key. */
export function shownWord(value: unknown): string {
  if (typeof value !== 'string') return kindOf(value)
  return /^[_a-z][_a-z-]{0,15}$/.test(value) ? JSON.stringify(value) : 'another string'
}

function alternatives(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value))
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}
