// What messages say of a value that its schema does not take: "must be …, found …". A value itself is quoted only if it is a number or a
// short word, which is no secret in the wrong place; insteadOf of write-instead.ts decides by itself what it quotes.

import { z } from 'zod'

import { orMeant } from '../text/nearest-name.ts'
import { listed } from '../text/printable.ts'
import { insteadOf, wordsOf, type Notation } from './write-instead.ts'

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
