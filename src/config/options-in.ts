// The single options of a schema of groups and lists, with what it says of them. Pure.

import { z } from 'zod'

export interface Option {
  /** Names of members; `[]` for every entry of a list. */
  readonly path: readonly string[]
  /** Of the option itself or what is around it: title, description, airbyte_secret … */
  readonly meta: Readonly<Record<string, unknown>>
  readonly isGroup: boolean
}

/** Groups too, each before its members. */
export function optionsIn(schema: z.ZodType, path: readonly string[] = []): Option[] {
  const meta = schema.meta() ?? {}
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const [own, ...members] = optionsIn(schema.unwrap() as z.ZodType, path)
    return [{ ...own!, meta: { ...own!.meta, ...meta } }, ...members]
  }
  if (schema instanceof z.ZodArray) {
    const [entry, ...members] = optionsIn(schema.element as z.ZodType, [...path, '[]'])
    return [{ path, meta, isGroup: entry!.isGroup }, ...members]
  }
  if (!(schema instanceof z.ZodObject)) return [{ path, meta, isGroup: false }]
  const members = Object.entries(schema.shape)
  return [{ path, meta, isGroup: true }, ...members.flatMap(([name, member]) => optionsIn(member, [...path, name]))]
}
