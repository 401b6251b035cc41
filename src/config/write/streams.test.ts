import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readWriteConfig } from './write-load.ts'
import { streamEntry, LEAST, readTables, SECRET } from './testing/tables.ts'

const NOTHING = {
  namespace: undefined,
  table: undefined,
  keys: undefined,
  keepLast: true,
  identicalRecords: 'keep',
  appendWithPrimaryKey: undefined,
  olderRows: undefined,
}
const streamOf = (more: object) => readTables(streamEntry(more)).tables!.streams[0]!

describe('options nobody touched', () => {
  const untouched = {
    tablePrefix: '',
    tableNames: 'refuse',
    appendWithPrimaryKey: 'history',
    olderRows: 'refuse',
    metadataColumns: [],
    streams: [],
  }
  const nulls = {
    table_prefix: null,
    table_names: null,
    append_with_primary_key: null,
    older_rows: null,
    metadata_columns: null,
    streams: null,
  }

  it.each<[string, object]>([
    ['absent', {}],
    ['null', nulls],
    ['empty', { table_prefix: '', table_names: '', metadata_columns: [], streams: [] }],
  ])('%s have their defaults', (_how, more) => {
    expect(readTables(more)).toEqual({ tables: untouched, problems: '', warnings: [] })
  })

  it.each<[string, object]>([
    ['absent', {}],
    [
      'null',
      Object.fromEntries(
        ['namespace', 'table', 'keys', 'keep_last', 'identical_records', 'append_with_primary_key', 'older_rows'].map(
          (name) => [name, null],
        ),
      ),
    ],
    [
      'empty',
      { namespace: '', table: '', keys: [], identical_records: '', append_with_primary_key: '', older_rows: '' },
    ],
  ])('of an entry, %s, say nothing', (_how, more) => {
    expect(streamOf(more)).toEqual({ name: 'orders', ...NOTHING })
    expect(readTables(streamEntry(more)).warnings).toEqual([])
  })
})

describe('options that are set', () => {
  it('for all streams', () => {
    const { tables } = readTables({
      table_prefix: 'a-ä ',
      table_names: 'hashed',
      append_with_primary_key: 'upsert',
      older_rows: 'keep',
      metadata_columns: ['_airbyte_meta', '_airbyte_extracted_at', '_airbyte_meta'],
    })
    expect(tables).toEqual({
      tablePrefix: 'a-ä ',
      tableNames: 'hashed',
      appendWithPrimaryKey: 'upsert',
      olderRows: 'keep',
      metadataColumns: ['_airbyte_meta', '_airbyte_extracted_at'],
      streams: [],
    })
  })

  it('for one', () => {
    const entry = {
      namespace: 'shop',
      table: 'T_1',
      keys: ['id'],
      keep_last: false,
      identical_records: 'collapse',
      append_with_primary_key: 'upsert',
      older_rows: 'keep',
    }
    expect(streamOf(entry)).toEqual({
      name: 'orders',
      namespace: 'shop',
      table: 'T_1',
      keys: [{ path: ['id'], field: undefined }],
      keepLast: false,
      identicalRecords: 'collapse',
      appendWithPrimaryKey: 'upsert',
      olderRows: 'keep',
    })
  })

  it.each<[unknown, readonly string[], string?]>([
    ['id', ['id']],
    ['a.b', ['a.b']],
    ['a/b', ['a/b']],
    [' ', [' ']],
    ['/a', ['a']],
    ['/a/b', ['a', 'b']],
    ['/', ['']],
    ['//', ['', '']],
    ['/a/', ['a', '']],
    ['/a~1b/c~0d', ['a/b', 'c~d']],
    ['/~01', ['~1']],
    ['~1', ['~1']],
    [['a'], ['a']],
    [
      ['/a', 'b'],
      ['/a', 'b'],
    ],
    [
      ['', ''],
      ['', ''],
    ],
    [{ path: '/a/b', field: 'x' }, ['a', 'b'], 'x'],
    [{ path: ['a', 'b'], field: 'keys' }, ['a', 'b'], 'keys'],
    ['\ud800', ['\ud800']],
    ['__proto__', ['__proto__']],
  ])('a key written as %j is the path %j', (key, path, field) => {
    expect(streamOf({ keys: [key] }).keys).toEqual([{ path, field }])
  })

  it('a key as a pointer is the key as a list', () => {
    const names = fc
      .array(fc.string(), { minLength: 1, maxLength: 4 })
      .filter((path) => path.length === 1 || !path.at(-1)!.includes('='))
    fc.assert(
      fc.property(names, (path) => {
        const pointer = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
        expect(streamOf({ keys: [pointer, path] }).keys).toEqual([
          { path, field: undefined },
          { path, field: undefined },
        ])
      }),
    )
  })

  it('a nested key as a pointer may name its field', () => {
    expect(streamOf({ keys: ['/a/b=c', '/a=b', '/x~1y/z=0=w', 'a=b'] }).keys).toEqual([
      { path: ['a', 'b'], field: 'c' },
      { path: ['a=b'], field: undefined },
      { path: ['x/y', 'z=0'], field: 'w' },
      { path: ['a=b'], field: undefined },
    ])
  })
})

it.each<[unknown]>([['/a~2b'], ['/~2~'], ['/a/b~=c'], [{ path: '/a/~', field: 'b' }]])(
  'a key written as %j is no path',
  (key) => {
    expect(readTables(streamEntry({ keys: [key] })).problems).toBe(
      '`streams[0].keys[0]` has a ~ without a 0 or 1 after it: in a path that begins with /, ~0 stands for ~ and ~1 for /',
    )
  },
)

it.each<[unknown]>([['a~2b'], [['a~2b']], ['/a/b=c~2d'], ['/a~01/~1']])('a key written as %j may have a ~', (key) => {
  expect(readTables(streamEntry({ keys: [key] })).problems).toBe('')
})

describe('two entries', () => {
  it.each<[object[], string]>([
    [[{ name: 'a' }, { name: 'a' }], 'is a second entry for the stream "a"'],
    [[{ name: 'a' }, { name: 'a', namespace: '' }], 'is a second entry for the stream "a"'],
    [[{ name: 'a', namespace: null }, { name: 'b' }, { name: 'a' }], 'is a second entry for the stream "a"'],
    [
      [
        { name: 'a', namespace: 'n' },
        { name: 'a', namespace: 'n', table: 'T' },
      ],
      'is a second entry for the stream "a" of namespace "n"',
    ],
    [[{ name: 'a\n"' }, { name: 'a\n"' }], String.raw`"a\n\""`],
  ])('for one stream are a problem: %j', (streams, words) => expect(readTables({ streams }).problems).toContain(words))

  it.each<[object[]]>([
    [[{ name: 'a' }, { name: 'A' }]],
    [[{ name: 'a' }, { name: 'a', namespace: 'n' }]],
    [
      [
        { name: 'a', namespace: 'n' },
        { name: 'a', namespace: 'N' },
        { name: 'n', namespace: 'a' },
      ],
    ],
  ])('for several are none: %j', (streams) => expect(readTables({ streams }).problems).toBe(''))
})

describe('members an entry does not know', () => {
  it('are refused where they are nearly an option, else warnings', () => {
    const { warnings, problems } = readTables({
      streams: [{ name: 'a' }, { name: 'orders', primary_key: ['id'], Keep_Last: false, tabel: 't', ['x\n`']: SECRET }],
    })
    expect(problems).toBe(
      '`streams[1].primary_key` is unknown; did you mean `keys`?\n`streams[1].Keep_Last` is unknown; did you mean `keep_last`?\n`streams[1].tabel` is unknown; did you mean `table`?',
    )
    expect(warnings).toEqual(['unknown option `streams[1].x??` ignored'])
  })

  it('are no way around the prototype', () => {
    const text = JSON.stringify({ ...LEAST, streams: [{ name: 'orders' }] }).replace(
      '{"name"',
      '{"__proto__":{"table":"evil"},"constructor":1,"name"',
    )
    const { tables, warnings } = readWriteConfig(text)
    expect(tables!.streams).toEqual([{ name: 'orders', ...NOTHING }])
    expect(warnings).toHaveLength(2)
  })
})
