import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { streamEntry, readTables } from './testing/tables.ts'

describe('options that are wrong', () => {
  it.each<[object, string]>([
    [{ table_prefix: 5 }, '`table_prefix` must be a string, found a number'],
    [{ table_names: 'canary7Zq9Kp3Wv5xT' }, '`table_names` must be "refuse" or "hashed"'],
    [{ append_with_primary_key: true }, '`append_with_primary_key` must be "history" or "upsert"'],
    [{ older_rows: ['keep'] }, '`older_rows` must be "refuse" or "keep"'],
    [
      { metadata_columns: '_airbyte_meta' },
      '`metadata_columns` must be an array of "_airbyte_extracted_at", "_airbyte_generation_id",',
    ],
    [
      { metadata_columns: { canary: 1 } },
      '`metadata_columns` must be an array of "_airbyte_extracted_at", "_airbyte_generation_id",',
    ],
    [{ metadata_columns: ['_airbyte_meta', 'canary7Zq9Kp3Wv5xT'] }, '`metadata_columns[1]` must be one of'],
    [{ metadata_columns: [null] }, '`metadata_columns[0]` is required'],
    [{ metadata_columns: [['_airbyte_meta']] }, '`metadata_columns[0]` must be one of'],
    [{ metadata_columns: ['_AIRBYTE_META'] }, '`metadata_columns[0]` must be one of'],
    [{ streams: 'canary7Zq9Kp3Wv5xT' }, '`streams` must be an array, found a string: write [ { "name": "orders" } ]'],
    [{ streams: 5 }, '`streams` must be an array, found a number: write [ { "name": "orders" } ]'],
    [{ streams: true }, '`streams` must be an array, found true or false: write [ { "name": "orders" } ]'],
    [
      { streams: { orders: { table: 'canary7Zq9Kp3Wv5xT' } } },
      '`streams` must be an array, found an object: write [ { "name": "orders" } ]',
    ],
    [
      { streams: ['canary7Zq9Kp3Wv5xT'] },
      '`streams[0]` must be a group of options, found a string: write { "name": "orders" }',
    ],
    [{ streams: [null] }, '`streams[0].name` is required'],
    [{ streams: [[]] }, '`streams[0]` must be a group of options, found an array: write { "name": "orders" }'],
    [{ streams: [{}] }, '`streams[0].name` is required'],
    [{ streams: [{ name: null }] }, '`streams[0].name` is required'],
    [{ streams: [{ name: '' }] }, '`streams[0].name` is empty'],
    [{ streams: [{ name: 5 }] }, '`streams[0].name` must be a string, found a number'],
    [streamEntry({ namespace: 5 }), '`streams[0].namespace` must be a string, found a number'],
    [streamEntry({ table: 'canary!' }), '`streams[0].table` may hold letters (A–Z, a–z), digits and _ only'],
    [streamEntry({ table: 'canary\n' }), '`streams[0].table` may hold'],
    [streamEntry({ table: 'ä' }), '`streams[0].table` may hold'],
    [streamEntry({ table: 1 }), '`streams[0].table` must be a string, found a number'],
    [streamEntry({ keys: 'canary7Zq9Kp3Wv5xT' }), '`streams[0].keys` must be an array, found a string: write [ "id" ]'],
    [streamEntry({ keys: { canary: 1 } }), '`streams[0].keys` must be an array, found an object: write [ "id" ]'],
    [streamEntry({ keys: [''] }), '`streams[0].keys[0]` is empty'],
    [streamEntry({ keys: ['id', 5] }), '`streams[0].keys[1]` must be a name, a path'],
    [streamEntry({ keys: [null] }), '`streams[0].keys[0]` is required'],
    [streamEntry({ keys: [[]] }), '`streams[0].keys[0]` is empty'],
    [streamEntry({ keys: [['a', 5]] }), '`streams[0].keys[0]` must be a name, a path'],
    [streamEntry({ keys: [[['a']]] }), '`streams[0].keys[0]` must be a name, a path'],
    [streamEntry({ keys: [{ path: '/a/b' }] }), '`streams[0].keys[0]` must be a name, a path'],
    [streamEntry({ keys: [{ field: 'canary7Zq9Kp3Wv5xT' }] }), '`streams[0].keys[0]` must be a name, a path'],
    [streamEntry({ keys: [{ path: [], field: 'canary7Zq9Kp3Wv5xT' }] }), '`streams[0].keys[0]` is empty'],
    [streamEntry({ keys: [{ path: '', field: 'canary7Zq9Kp3Wv5xT' }] }), '`streams[0].keys[0]` is empty'],
    [streamEntry({ keys: [{ path: '/a/b', field: '' }] }), '`streams[0].keys[0]` is empty'],
    [streamEntry({ keys: [{ path: '/a/b', field: 'x', canary: 1 }] }), '`streams[0].keys[0]` has an unknown member'],
    [
      streamEntry({ keys: [{ path: 'canary7Zq9Kp3Wv5xT', field: 'x' }] }),
      '`streams[0].keys[0]` gives a field to a path that is not nested',
    ],
    [
      streamEntry({ keys: ['id', { path: ['/a'], field: 'x' }] }),
      '`streams[0].keys[1]` gives a field to a path that is not nested',
    ],
    [streamEntry({ keep_last: 'false' }), '`streams[0].keep_last` must be true or false, found a string'],
    [streamEntry({ keep_last: 0 }), '`streams[0].keep_last` must be true or false, found a number'],
    [
      streamEntry({ identical_records: 'canary7Zq9Kp3Wv5xT' }),
      '`streams[0].identical_records` must be "keep" or "collapse"',
    ],
    [
      streamEntry({ append_with_primary_key: 'canary7Zq9Kp3Wv5xT' }),
      '`streams[0].append_with_primary_key` must be "history" or "upsert"',
    ],
    [streamEntry({ older_rows: false }), '`streams[0].older_rows` must be "refuse" or "keep"'],
  ])('%j: %s', (more, words) => {
    const { problems, tables } = readTables(more)
    expect(problems).toContain(words)
    expect(problems.split('\n')).toHaveLength(1)
    expect(tables).toBeUndefined()
  })

  it('are all told at once, each with its entry', () => {
    const { problems } = readTables({
      streams: [{ name: 'a', table: '!', keep_last: 1 }, { name: 'b' }, 5, { table: '?' }],
      metadata_columns: 1,
    })
    for (const words of [
      '`streams[0].table`',
      '`streams[0].keep_last`',
      '`streams[2]` must be',
      '`streams[3].name`',
      '`streams[3].table`',
      '`metadata_columns`',
    ])
      expect(problems).toContain(words)
    expect(problems).not.toContain('streams[1]')
  })

  it('leave the tables alone when they belong to something else', () => {
    const { tables, problems } = readTables({ max_points: 0, ...streamEntry({ table: 'T' }) })
    expect(problems).toContain('`max_points`')
    expect(tables!.streams[0]!.table).toBe('T')
  })
})

it('takes anything as a config without throwing, and quotes none of its values', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(null, '', [], {}, 'orders', ['id'], '/a/b', true, 'keep'),
  )
  const member = fc.constantFrom(
    'name',
    'namespace',
    'table',
    'keys',
    'keep_last',
    'identical_records',
    'older_rows',
    'x',
  )
  const entries = fc.array(fc.oneof(fc.dictionary(member, value), value), { maxLength: 3 })
  fc.assert(
    fc.property(fc.oneof(entries, value), value, value, (streams, metadata_columns, table_prefix) => {
      readTables({ streams, metadata_columns, table_prefix })
    }),
    { numRuns: 500 },
  )
})
