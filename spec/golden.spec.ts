// No release renames a table or changes a row's id: both would leave the old rows beside the new ones. The files may only
// grow. They were computed once, by another program in another language, from the words of the rules alone.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mapEachStream } from '../src/mapping/map-streams.ts'
import { tableNameOf } from '../src/mapping/table-name.ts'
import { overrideFor, UNTOUCHED } from '../src/mapping/testing/facts.ts'
import { mapping, recordDataOf } from '../src/mapping/testing/records.ts'
import { parseCatalog } from '../src/airbyte/catalog.ts'

interface NamedTable {
  readonly namespace: string | null
  readonly name: string
  readonly prefix: string
  readonly table_names: 'refuse' | 'hashed'
  readonly table: string
}

interface RowId {
  readonly namespace: string | null
  readonly stream: string
  /** Its own text; empty: the record has none. */
  readonly emitted_at: string
  readonly data: string
  /** So many equal records come first. */
  readonly equal_before: number
  readonly collapse: boolean
  readonly id: string
}

const golden = <T>(file: string): T[] =>
  JSON.parse(readFileSync(new URL(`golden/${file}`, import.meta.url), 'utf8')) as T[]

/** As a platform names it: "" and null are no namespace. */
const parsed = (namespace: string | null, name: string) =>
  parseCatalog(
    JSON.stringify({ streams: [{ stream: { name, namespace }, destination_sync_mode: 'append', primary_key: [] }] }),
  )[0]!

describe('the table of a stream', () => {
  const tables = golden<NamedTable>('table-names.json')

  test.each(tables)('$namespace $name, prefix $prefix, $table_names: $table', (given) => {
    const stream = parsed(given.namespace, given.name)
    expect(tableNameOf(stream.namespace, stream.name, given.prefix, given.table_names)).toBe(given.table)
    const [mapped] = mapEachStream([stream], { ...UNTOUCHED, tablePrefix: given.prefix, tableNames: given.table_names })
    if (given.table === 'rejected_records') expect(mapped!.refused).toContain('reserved for rejected records')
    else expect(mapped!.mapping!.table.name).toBe(given.table)
  })

  test('is one the service takes, for every name there is', () => {
    expect(tables.filter(({ table }) => !/^[A-Za-z0-9_]+$/.test(table))).toEqual([])
    expect(tables.length).toBeGreaterThanOrEqual(68)
  })
})

describe('the id of a row', () => {
  const ids = golden<RowId>('row-ids.json')

  test.each(ids)(
    '$namespace $stream $emitted_at $data after $equal_before, collapse $collapse: $id',
    ({ namespace, stream, emitted_at: emittedAt, data, equal_before: before, collapse, id }) => {
      const facts = parsed(namespace, stream)
      const streams = collapse ? [overrideFor({ name: stream, identicalRecords: 'collapse' as const })] : []
      const map = mapping(facts, { streams })
      for (let times = 0; times < before; times++) map(recordDataOf(data, emittedAt))
      const made = map(recordDataOf(data, emittedAt))
      expect((JSON.parse('point' in made ? made.point : '{}') as Record<string, unknown>)['_airbyte_raw_id']).toBe(id)
    },
  )

  test('is known for so many', () => expect(ids.length).toBeGreaterThanOrEqual(58))
})
