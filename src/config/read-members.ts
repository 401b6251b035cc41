// The members of an object, one by one, against the shape of a schema: what is right of them, what is wrong, what is
// unknown. Knows no rule that joins two of them. Never quotes a value.

import type { z } from 'zod'

import { nearestName } from './nearest-name.ts'

export interface Members<Name extends string> {
  /** Those that are right, defaults filled in. */
  readonly values: Readonly<Partial<Record<Name, unknown>>>
  readonly problems: { readonly name: Name; readonly problem: string }[]
  /** Whole sentences. */
  readonly warnings: string[]
}

type Json = Readonly<Record<string, unknown>>

/** Where a member is read in its own way. */
export type Special<Name extends string> = Partial<Record<Name, (value: unknown, schema: z.ZodType) => Read>>

export type Read = { readonly value: unknown; readonly warnings?: string[] } | { readonly problem: string }

/** An explicit null, and an empty text where none is required, are as good as absent. */
export function readMembers<Name extends string>(
  object: Json,
  shape: Readonly<Record<Name, z.ZodType>>,
  special: Special<Name> = {},
): Members<Name> {
  const names = Object.keys(shape) as Name[]
  const values: Partial<Record<Name, unknown>> = {}
  const problems: Members<Name>['problems'] = []
  const warnings = unknownMembers(object, names)
  for (const name of names) {
    const schema = shape[name]
    const given = givenValue(Object.hasOwn(object, name) ? object[name] : undefined, schema)
    const read = (given === undefined ? undefined : special[name])?.(given, schema) ?? readValue(given, schema)
    if ('problem' in read) problems.push({ name, problem: read.problem })
    else {
      values[name] = read.value
      warnings.push(...(read.warnings ?? []))
    }
  }
  return { values, problems, warnings }
}

/** One value against its schema. */
export function readValue(given: unknown, schema: z.ZodType): Read {
  const result = schema.safeParse(given)
  if (result.success) return { value: result.data }
  return { problem: given === undefined ? 'is required' : problemOf(result.error.issues[0]!, given) }
}

/** Every kind of value a file may hold, for people. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction'
  if (value === null) return 'null'
  return { string: 'a text', boolean: 'true or false', object: 'an object' }[typeof value as string] ?? 'something else'
}

function givenValue(value: unknown, schema: z.ZodType): unknown {
  if (value === null) return undefined
  return value === '' && schema.safeParse(undefined).success ? undefined : value
}

function problemOf(issue: z.core.$ZodIssue, whole: unknown): string {
  const given = issue.path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown>)[step], whole)
  const at = issue.path.length > 0 && typeof issue.path[0] === 'number' ? `entry ${issue.path[0] + 1} ` : ''
  return at + issueOf(issue, given)
}

function issueOf(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code === 'invalid_type')
    return `must be ${WANTED[issue.expected] ?? issue.expected}, found ${kindOf(given)}`
  if (issue.code === 'too_small') return typeof given === 'number' ? `must be at least ${issue.minimum}` : 'is empty'
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  if (issue.code === 'invalid_format') return 'may hold letters (A–Z, a–z), digits and _ only'
  // the only choice between types there is
  if (issue.code === 'invalid_union') return 'must be a name, a path like /a/b, or a list of names'
  if (issue.code === 'unrecognized_keys') return 'has a member nobody knows'
  if (issue.code === 'invalid_value') return `must be ${alternatives(issue.values)}`
  return 'is not valid'
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
  object: 'an object',
}

function unknownMembers(object: Json, names: readonly string[]): string[] {
  return Object.keys(object)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const nearest = nearestName(name, names)
      const hint = nearest === undefined ? '' : `; did you mean \`${nearest}\`?`
      return `unknown option \`${shown(name)}\` ignored${hint}`
    })
}

function shown(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const text = name.replace(/[\u0000-\u001f\u007f-\u009f`\u2028\u2029]/g, '?')
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text.toWellFormed()
}
