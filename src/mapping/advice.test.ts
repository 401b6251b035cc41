import { describe, expect, it } from 'vitest'
import type { TablesConfig } from '../config/write/write-load.ts'
import { adviceOn, type Advice } from './advice.ts'
import { mapStreams } from './map-streams.ts'
import type { CatalogStream } from './stream-mapping.ts'
import { factsOf, overrideFor, UNTOUCHED } from './testing/facts.ts'

function advice(over: Partial<CatalogStream>, options: Partial<TablesConfig> = {}): Advice {
  const facts = factsOf(over)
  return adviceOn(facts, mapStreams([facts], { ...UNTOUCHED, ...options })[0]!)
}

const APPEND = { destinationSyncMode: 'append', primaryKey: [] }

describe('adviceOn', () => {
  it('has none on a plain stream', () => {
    expect(advice({ declared: ['id', 'name'] })).toEqual({ renamed: [], softDeletes: undefined, warnings: [] })
  })

  it.each<[Partial<CatalogStream>, Partial<TablesConfig>, string[]]>([
    [{ declared: ['id', 'keys'] }, {}, ['keys']],
    [{ declared: ['id', '_airbyte_raw_id', '_airbyte_meta'] }, {}, []],
    [{ ...APPEND, declared: ['_airbyte_raw_id', 'keys'] }, {}, ['_airbyte_raw_id', 'keys']],
    [{ declared: ['id', '_airbyte_meta'] }, { metadataColumns: ['_airbyte_meta'] }, ['_airbyte_meta']],
    [
      { declared: ['id', '_airbyte_generation_id'], generationId: 2, minimumGenerationId: 2 },
      { olderRows: 'keep' },
      ['_airbyte_generation_id'],
    ],
  ])('%j with %j: members that are stored under another name', (over, options, names) => {
    expect(advice(over, options).renamed).toEqual(names.map((from) => ({ from, to: `${from}_` })))
  })

  it('warns of a record that cannot be stored because both names are declared', () => {
    expect(advice({ declared: ['id', 'keys', 'keys_'] }).warnings).toEqual([expect.stringContaining('rejected')])
  })

  it('names the mark of deleted rows', () => {
    expect(advice({ declared: ['id', '_ab_cdc_deleted_at'] }).softDeletes).toBe('_ab_cdc_deleted_at')
    expect(advice({ declared: ['id', '_ab_cdc_updated_at'] }).softDeletes).toBeUndefined()
  })

  it('warns of a key the schema does not declare, if it declares anything', () => {
    expect(advice({ declared: ['x'] }).warnings).toEqual([expect.stringContaining('"id"')])
    expect(advice({ declared: ['a'], primaryKey: [['a', 'b']] }).warnings).toEqual([])
    expect(advice({ declared: [] }).warnings).toEqual([])
    expect(advice({ ...APPEND, declared: ['x'] }).warnings).toEqual([])
  })

  it('warns of names beyond 63 characters, of the table and nothing else', () => {
    expect(advice({ name: 'x'.repeat(63) }).warnings).toEqual([])
    expect(advice({ name: 'x'.repeat(64) }).warnings).toEqual([expect.stringContaining('64')])
    expect(advice({ name: 'x'.repeat(60) }, { tablePrefix: 'raw_' }).warnings).toHaveLength(1)
    expect(
      advice({ name: 'x'.repeat(64) }, { streams: [overrideFor({ name: 'x'.repeat(64), table: 'x' })] }).warnings,
    ).toEqual([])
  })

  it.each<[Partial<CatalogStream>, Partial<TablesConfig>, boolean]>([
    [{ destinationSyncMode: 'append' }, {}, true],
    [{ destinationSyncMode: 'append', primaryKey: [], sourceDefinedPrimaryKey: [['id']] }, {}, true],
    [{ destinationSyncMode: 'append' }, { appendWithPrimaryKey: 'upsert' }, false],
    [APPEND, {}, false],
    [{}, {}, false],
  ])('%j with %j: says that a primary key is not used: %s', (over, options, said) => {
    expect(advice(over, options).warnings.some((warning) => warning.includes('append_with_primary_key'))).toBe(said)
  })
})
