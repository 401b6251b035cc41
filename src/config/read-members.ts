// The members of an object, one by one, against the shape of a schema: what is right of them, what is wrong, what is
// unknown. Knows no rule that joins two of them. Never quotes a value.

import type { z } from 'zod'

import { issueWords } from './issue-words.ts'
import { MOST_SUGGESTIONS, nearestName } from '../text/nearest-name.ts'
import { shownName } from './shown-name.ts'

export interface ReadMembers<Name extends string> {
  /** Those that are right, defaults filled in. */
  readonly values: Readonly<Partial<Record<Name, unknown>>>
  readonly problems: { readonly name: Name; readonly problem: string }[]
  /** Whole sentences. */
  readonly warnings: string[]
}

type Json = Readonly<Record<string, unknown>>

/** Where a member is read in its own way. */
export type Special<Name extends string> = Partial<Record<Name, (value: unknown, schema: z.ZodType) => ReadMember>>

export type ReadMember = { readonly value: unknown; readonly warnings?: string[] } | { readonly problem: string }

/** An explicit null, and an empty text where none is required, are as good as absent. */
export function readMembers<Name extends string>(
  object: Json,
  shape: Readonly<Record<Name, z.ZodType>>,
  special: Special<Name> = {},
): ReadMembers<Name> {
  const names = Object.keys(shape) as Name[]
  const values: Partial<Record<Name, unknown>> = {}
  const problems: ReadMembers<Name>['problems'] = []
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
export function readValue(given: unknown, schema: z.ZodType): ReadMember {
  const result = schema.safeParse(given)
  if (result.success) return { value: result.data }
  return { problem: given === undefined ? 'is required' : problemOf(result.error.issues[0]!, given) }
}

function givenValue(value: unknown, schema: z.ZodType): unknown {
  if (value === null) return undefined
  return value === '' && schema.safeParse(undefined).success ? undefined : value
}

function problemOf(issue: z.core.$ZodIssue, whole: unknown): string {
  const given = issue.path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown>)[step], whole)
  const at = issue.path.length > 0 && typeof issue.path[0] === 'number' ? `entry ${issue.path[0] + 1} ` : ''
  return at + issueWords(issue, given)
}

function unknownMembers(object: Json, names: readonly string[]): string[] {
  return Object.keys(object)
    .filter((name) => !names.includes(name))
    .map((name, at) => {
      const nearest = at < MOST_SUGGESTIONS ? nearestName(name, names) : undefined
      const hint = nearest === undefined ? '' : `; did you mean \`${nearest}\`?`
      return `unknown option \`${shownName(name)}\` ignored${holdsAny(object[name], names) ? WRAPPED : hint}`
    })
}

const WRAPPED = ', and the options in it: give what it holds alone, without it around'

/** As a platform's API wraps a config. */
function holdsAny(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.some((name) => Object.hasOwn(value, name))
}
