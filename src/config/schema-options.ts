// Lists the options of a schema by path, with metadata that tells which are secrets or may be files, and where a misplaced one belongs.

import { z } from 'zod'

/** An option of a schema of groups and lists. */
export interface Option {
  /** Names of members; `[]` for every entry of a list. */
  readonly path: readonly string[]
  /** Metadata of the option itself or what is around it: title, description, airbyte_secret … */
  readonly meta: Readonly<Record<string, unknown>>
  readonly isGroup: boolean
}

/** Lists every option of a schema, groups too, each before its members. */
export function optionsIn(schema: z.ZodType, path: readonly string[] = []): Option[] {
  const meta = schema.meta() ?? {}
  const inner = innerOf(schema)
  if (inner !== undefined) {
    // the wrapped schema's own option; metadata of the wrapper goes before its metadata
    const [option, ...members] = optionsIn(inner, path)
    return [{ ...option!, meta: { ...option!.meta, ...meta } }, ...members]
  }
  if (schema instanceof z.ZodArray) {
    const [entry, ...members] = optionsIn(schema.element as z.ZodType, [...path, '[]'])
    return [{ path, meta, isGroup: entry!.isGroup }, ...members]
  }
  if (!(schema instanceof z.ZodObject)) return [{ path, meta, isGroup: false }]
  const members = Object.entries(schema.shape)
  return [{ path, meta, isGroup: true }, ...members.flatMap(([name, member]) => optionsIn(member, [...path, name]))]
}

/** The schema inside a wrapper; of a transform, that of what a file holds. `undefined` when a schema is no wrapper. */
export function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (schema instanceof z.ZodPipe) return (schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType
  return isOptional(schema) || schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : undefined
}

/** Whether a schema is a wrapper that takes an absent value. */
export function isOptional(schema: z.ZodType): schema is z.ZodOptional | z.ZodDefault | z.ZodPrefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
}
