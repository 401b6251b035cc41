// The members of a config file against the schema of `write`. Knows which of them are read in their own way.

import type { ReadMember } from './read-members.ts'
import { readMembers, readValue } from './read-members.ts'
import { readStreams } from './read-streams.ts'
import { withoutSchemaName } from './schema-name.ts'
import type { OptionName, WriteOptions } from './write-options.ts'
import { writeOptions } from './write-options.ts'
import type { StreamOverride } from './write-config.ts'

/** The options that are right, defaults filled in. */
export type OptionValues = Partial<Omit<WriteOptions, 'streams'>> & { readonly streams?: readonly StreamOverride[] }

export interface ReadOptions {
  readonly values: OptionValues
  readonly problems: { readonly name: OptionName; readonly problem: string }[]
  /** Whole sentences. */
  readonly warnings: string[]
}

export function readOptions(object: Readonly<Record<string, unknown>>): ReadOptions {
  const { values, problems, warnings } = readMembers(withoutSchemaName(object), writeOptions.shape, {
    client_id: digitsToo,
    streams: readStreams,
  })
  return { values: values as OptionValues, problems, warnings }
}

function digitsToo(value: unknown, schema: Parameters<typeof readValue>[1]): ReadMember {
  return readValue(typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value, schema)
}
