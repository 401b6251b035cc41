// A value against a schema of groups and lists, member by member: what is right of it, with defaults, and everything that is
// wrong. Knows no rule that joins two options. Never quotes a value.

import { z } from 'zod'

import type { Findings, Path } from './findings.ts'
import { issueWords } from './issue-words.ts'
import { MOST_SUGGESTIONS, nearestName } from '../text/nearest-name.ts'

/** What may be left of a value when what is wrong is taken out. */
export type Partly<T> = T extends readonly (infer Entry)[]
  ? readonly Partly<Entry>[]
  : T extends object
    ? { readonly [Name in keyof T]?: Partly<T[Name]> | undefined }
    : T

/** An explicit null is as good as absent, an absent group as an empty one unless it is optional; a text that is a number, true or
 *  false is taken for it where that is wanted, as in a variable of the environment. A list keeps its length. */
export function readTree<Schema extends z.ZodType>(
  given: unknown,
  schema: Schema,
  findings: Findings,
): Partly<z.output<Schema>> {
  return read(given ?? undefined, schema, []) as Partly<z.output<Schema>>

  function read(value: unknown, schema: z.ZodType, path: Path): unknown {
    const inner = unwrapped(schema)
    if (value === undefined && inner !== schema && schema.safeParse(undefined).success) return schema.parse(undefined)
    if (inner instanceof z.ZodObject) return readGroup(value ?? {}, inner, path)
    if (inner instanceof z.ZodArray && Array.isArray(value)) return readList(value, inner, path)
    return readLeaf(value, schema, path)
  }

  function readGroup(value: unknown, schema: z.ZodObject, path: Path): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return readLeaf(value, schema, path)
    const { shape } = schema
    const names = Object.keys(shape)
    for (const [at, name] of Object.keys(value)
      .filter((name) => !names.includes(name))
      .entries()) {
      const near = at < MOST_SUGGESTIONS ? nearestName(name, names) : undefined
      findings.add([...path, name], `is unknown${near === undefined ? '' : `; did you mean \`${near}\`?`}`)
    }
    const members = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      names.map((name) => {
        const member = Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined
        return [name, read(member, shape[name] as z.ZodType, [...path, name])]
      }),
    )
  }

  function readList(list: readonly unknown[], schema: z.ZodArray, path: Path): unknown[] {
    const own = schema.safeParse(list).error?.issues.find((issue) => issue.path.length === 0)
    if (own !== undefined) findings.add(path, issueWords(own, list))
    return list.map((entry, index) => read(entry ?? undefined, schema.element as z.ZodType, [...path, index]))
  }

  function readLeaf(value: unknown, schema: z.ZodType, path: Path): unknown {
    const result = schema.safeParse(value)
    if (result.success) return result.data
    const meant = typeof value === 'string' ? schema.safeParse(meantBy(value)) : result
    if (meant.success) return meant.data
    findings.add(path, value === undefined ? 'is required' : issueWords(result.error.issues[0]!, value))
    return undefined
  }
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema
}

function meantBy(text: string): unknown {
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text.trim())) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}
