// For tests: what is read of the options of tables, in a config that is right otherwise.

import { expect } from 'vitest'
import { readWriteConfig, type TablesConfig } from '../write-load.ts'

/** A key that no text may quote. */
export const SECRET = 'canary-of-a-key'
export const LEAST = { import_url: 'https://import.example.com', client_id: 7, api_key: SECRET }

export interface ReadTables {
  readonly tables: TablesConfig | undefined
  /** A problem a line. */
  readonly problems: string
  readonly warnings: readonly string[]
}

/** Expects that neither problem nor warning holds a value: those of tests begin with `canary`. */
export function readTables(more: object): ReadTables {
  const { tables, config, problems, warnings } = readWriteConfig(JSON.stringify({ ...LEAST, ...more }))
  expect(config?.tables).toEqual(problems.length === 0 ? tables : undefined)
  expect(problems.join('\n') + warnings.join('\n')).not.toContain('canary')
  return { tables, problems: problems.join('\n'), warnings }
}

/** A config's more: one entry of `streams`. */
export function streamEntry(more: object): object {
  return { streams: [{ name: 'orders', ...more }] }
}
