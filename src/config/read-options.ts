// The members of a config file, one by one, against the schema: what is right of them, what is wrong, what is unknown.
// Knows no rule that joins two options. Never quotes a value.

import type { z } from 'zod'

import { nearestName } from './nearest-name.ts'
import type { OptionName, WriteOptions } from './write-options.ts'
import { OPTION_NAMES, writeOptions } from './write-options.ts'

export interface Options {
  /** The options that are right, defaults filled in. */
  readonly values: Partial<WriteOptions>
  readonly problems: { readonly option: OptionName; readonly problem: string }[]
  /** Whole sentences. */
  readonly warnings: string[]
}

/** An explicit null, and an empty text where none is required, are as good as absent. */
export function readOptions(object: Readonly<Record<string, unknown>>): Options {
  const values: Partial<Record<OptionName, unknown>> = {}
  const problems: Options['problems'] = []
  for (const option of OPTION_NAMES) {
    const schema = writeOptions.shape[option]
    const given = givenValue(option, Object.hasOwn(object, option) ? object[option] : undefined, schema)
    const result = schema.safeParse(given)
    if (result.success) values[option] = result.data
    else
      problems.push({
        option,
        problem: given === undefined ? 'is required' : problemOf(result.error.issues[0]!, given),
      })
  }
  return { values: values as Partial<WriteOptions>, problems, warnings: unknownOptions(object) }
}

function givenValue(option: OptionName, value: unknown, schema: z.ZodType): unknown {
  if (value === null) return undefined
  if (value === '' && schema.safeParse(undefined).success) return undefined
  if (option === 'client_id' && typeof value === 'string' && /^\s*\d+\s*$/.test(value)) return Number(value)
  return value
}

function problemOf(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code === 'invalid_type')
    return `must be ${WANTED[issue.expected] ?? issue.expected}, found ${kindOf(given)}`
  if (issue.code === 'too_small') return typeof given === 'string' ? 'is empty' : `must be at least ${issue.minimum}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
  return 'is not valid'
}

const WANTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction'
  return { string: 'a text', boolean: 'true or false', object: 'an object' }[typeof value as string] ?? 'something else'
}

function unknownOptions(object: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(object)
    .filter((name) => !(OPTION_NAMES as readonly string[]).includes(name))
    .map((name) => {
      const nearest = nearestName(name, OPTION_NAMES)
      const hint = nearest === undefined ? '' : `; did you mean \`${nearest}\`?`
      return `unknown option \`${shown(name)}\` ignored${hint}`
    })
}

function shown(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const text = name.replace(/[\u0000-\u001f\u007f-\u009f`\u2028\u2029]/g, '?')
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text.toWellFormed()
}
