// What a schema finds wrong with one value, in words for people. Never quotes a text: it may be a secret in the wrong place.

import type { z } from 'zod'

import { kindOf } from './kind-of.ts'

/** @param given what stands where the issue is */
export function issueWords(issue: z.core.$ZodIssue, given: unknown): string {
  const own = ownWords(issue)
  if (own !== undefined) return own
  if (issue.code === 'invalid_type')
    return `must be ${WANTED[issue.expected] ?? issue.expected}, found ${kindOf(given)}`
  if (issue.code === 'too_small')
    return typeof given === 'number' ? `must be at least ${issue.minimum}${found(given)}` : 'is empty'
  if (issue.code === 'too_big')
    return `must be at most ${issue.maximum}${typeof given === 'string' ? ' characters long' : found(given)}`
  if (issue.code === 'invalid_format') return 'may hold letters (A–Z, a–z), digits and _ only'
  if (issue.code === 'invalid_union') return 'must be a name, a path like /a/b, or a list of names'
  if (issue.code === 'unrecognized_keys') return 'has a member nobody knows'
  if (issue.code === 'invalid_value')
    return `must be ${alternatives(issue.values)}, found ${typeof given === 'string' ? 'another text' : kindOf(given)}`
  return 'is not valid'
}

/** The schema's own, which never begin with a capital; undefined: they are zod's. */
function ownWords({ message }: z.core.$ZodIssue): string | undefined {
  return /^[A-Z]/.test(message) ? undefined : message
}

/** '' for what is no number, and for one of so many digits that it may be a key. */
function found(given: unknown): string {
  return typeof given === 'number' && Math.abs(given) < 1e12 ? `, found ${given}` : ''
}

function alternatives(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value))
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}

const WANTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'an array',
  object: 'a group of options',
}
