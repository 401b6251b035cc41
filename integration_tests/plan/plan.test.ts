// `plan` as a process: what it prints, how it ends, whatever catalog or config it is given.

import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/commands/plan-outcome.ts'
import { MAIN, workFolder } from '../connector.ts'
import { planned } from '../in-process.ts'
import { stream } from '../write/driver.ts'

/** The process with these arguments; its standard input stays open, for nothing is asked of it. */
function main(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { maxBuffer: 2 ** 28 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

interface Printed {
  readonly code: number | null
  readonly text: string
  readonly plan: Plan | undefined
}

/** On files of these contents. */
async function plan(catalog: unknown, config?: unknown, ...more: readonly string[]): Promise<Printed> {
  await using work = await workFolder()
  const configs = config === undefined ? [] : ['--config', await work.file('config.json', config)]
  const done = await main(['plan', '--catalog', await work.file('catalog.json', catalog), ...configs, ...more])
  expect(done.stderr).toBe('')
  const made = more.includes('--json') ? (JSON.parse(done.stdout) as Plan) : undefined
  return { code: done.code, text: done.stdout, plan: made }
}

/** The same in this process: for what needs many runs. */
async function planHere(catalog: unknown, config: unknown, json: boolean): Promise<Printed> {
  await using work = await workFolder()
  const files = [await work.file('catalog.json', catalog), await work.file('config.json', config)]
  const { code, text } = await planned(files[0]!, files[1], { json })
  return { code: Number(code), text, plan: json ? (JSON.parse(text) as Plan) : undefined }
}

const CONFIG = { import_url: 'https://nobody.invalid', client_id: 7, api_key: 'canary-key' }
const APPEND = { destination_sync_mode: 'append', primary_key: [] }
const RICH = [
  stream('orders', {
    stream: {
      name: 'orders',
      namespace: 'shop',
      json_schema: {
        properties: {
          id: { type: ['string', 'integer'] },
          keys: {},
          customer: {},
          _ab_cdc_deleted_at: { type: 'string' },
        },
      },
    },
    primary_key: [['id'], ['customer', 'id']],
  }),
  stream('events', { ...APPEND, generation_id: 4, minimum_generation_id: 4 }),
]

describe('plan', () => {
  it('prints a table and ends with 0 when a write would begin', async () => {
    const { code, text } = await plan({ streams: [stream('orders'), stream('a b', APPEND)] })
    expect(code).toBe(0)
    expect(text.split('\n').slice(0, 4)).toEqual([
      'stream  table   mode          what identifies a row',
      '------  ------  ------------  ------------------------------',
      'orders  orders  append_dedup  one row per id, newest arrival',
      'a b     a_b     append        one row per record',
    ])
    expect(text.endsWith('\nwrite would accept this catalog.\n')).toBe(true)
  })

  it('prints one object with --json, all of a stream in it', async () => {
    const {
      code,
      plan: made,
      text,
    } = await plan({ streams: RICH }, { ...CONFIG, older_rows: 'keep', metadata_columns: ['_airbyte_meta'] }, '--json')
    expect(code).toBe(0)
    expect(text.trimEnd()).not.toContain('\n')
    expect(made).toEqual({
      faults: [],
      streams: [
        {
          namespace: 'shop',
          stream: 'orders',
          table: 'shop_orders',
          mode: 'append_dedup',
          keys: ['id', 'customer_id'],
          row: 'one row per id, customer_id, newest arrival',
          hoisted: [{ path: ['customer', 'id'], field: 'customer_id' }],
          columns: ['_airbyte_meta'],
          renamed: [{ from: 'keys', to: 'keys_' }],
          soft_deletes: '_ab_cdc_deleted_at',
          older_rows: 'not asked',
          type_unions: [{ name: 'id', types: ['string', 'integer'] }],
          warnings: [],
        },
        {
          namespace: null,
          stream: 'events',
          table: 'events',
          mode: 'append',
          keys: ['_airbyte_raw_id'],
          row: 'one row per record',
          hoisted: [],
          columns: ['_airbyte_generation_id', '_airbyte_meta'],
          renamed: [],
          soft_deletes: null,
          older_rows: 'kept',
          type_unions: [],
          warnings: [expect.stringContaining('older rows stay')],
        },
      ],
      refused: [],
      problems: [],
      warnings: [],
      findings: [
        { level: 'warn', code: 'catalog.warning', message: expect.stringMatching(/^Stream .*older rows stay/) },
      ],
    })
  })

  it('says all of it in words too', async () => {
    const { text } = await plan(
      { streams: RICH },
      { ...CONFIG, older_rows: 'keep', metadata_columns: ['_airbyte_meta'] },
    )
    for (const words of [
      'shop.orders',
      'nested key "customer.id" is sent as the field "customer_id"',
      'fields added: "_airbyte_generation_id", "_airbyte_meta"',
      'the member "keys" is stored as "keys_"',
      'marked by "_ab_cdc_deleted_at"',
      '"id" holds values of several types: string, integer',
      'older rows stay beside the new ones',
    ])
      expect(text).toContain(words)
  })

  it('ends with 1 when a write would be refused, and tells a Clear that would pass', async () => {
    const streams = [
      stream('users', { destination_sync_mode: 'overwrite' }),
      stream('a b', { primary_key: [] }),
      stream('Same', APPEND),
      stream('same', APPEND),
      stream('orders'),
    ]
    const { code, plan: made } = await plan({ streams }, undefined, '--json')
    expect(code).toBe(1)
    expect(made!.streams.map((each) => each.stream)).toEqual(['users', 'orders'])
    expect(made!.refused.map((each) => [each.stream, each.only_with_records])).toEqual([
      ['users', true],
      ['a b', false],
      ['Same', false],
      ['same', false],
    ])
    const { code: again, text } = await plan({ streams })
    expect(again).toBe(1)
    expect(text).toMatch(/users .*\(refused with records, see 1\)/)
    expect(text).toContain('A run without records for it (a Clear) would pass.')
    expect(text.split('\n').filter((line) => /^\d\. /.test(line))).toEqual([
      expect.stringMatching(/^1\. Stream "users"/),
      expect.stringMatching(/^2\. Stream "a b": append_dedup needs a primary key/),
      expect.stringMatching(/^3\. Streams "Same" and "same" share the table "Same"/),
    ])
    expect(text).not.toContain('would accept')
  })

  it('tells every fault of every stream, a clash once, and shows the refused streams in the table', async () => {
    const streams = [
      stream('orders'),
      stream('my.orders', { primary_key: [], generation_id: 1, minimum_generation_id: 2 }),
      stream('my-orders'),
      stream('later', { destination_sync_mode: 'update' }),
      stream('users', { destination_sync_mode: 'overwrite' }),
    ]
    const { code, text } = await plan({ streams })
    expect(code).toBe(1)
    const [, faults] = text.split('write would refuse this catalog:\n')
    expect(faults!.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^1\. Streams "my\.orders" and "my-orders" share the table "my_orders" .*table_names: hashed\. \[catalog\.tables-meet\]$/,
      ),
      expect.stringMatching(/^2\. Stream "my\.orders": .*minimum_generation_id.* And append_dedup needs a primary key/),
      expect.stringMatching(/^3\. Stream "later": its destination_sync_mode is "update"/),
      expect.stringMatching(/^4\. Stream "users"/),
    ])
    const rows = text.split('\n').slice(2, 7)
    expect(rows.map((row) => row.split(/ {2,}/)[3])).toEqual([
      'one row per id, newest arrival',
      expect.stringContaining('(refused with records, see 4)'),
      'refused, see 1, 2',
      'refused, see 1',
      'refused, see 3',
    ])
    const { plan: made } = await plan({ streams }, undefined, '--json')
    expect(made!.refused.map((one) => [one.stream, one.table, one.mode])).toEqual([
      ['my.orders', 'my_orders', 'append_dedup'],
      ['my-orders', 'my_orders', 'append_dedup'],
      ['later', 'later', 'update'],
      ['users', 'users', 'overwrite'],
    ])
    expect(made!.refused[0]!.reason).toMatch(/share the table .* And .*primary key/)
    expect(made!.faults.map((fault) => fault.streams.length)).toEqual([2, 1, 1, 1])
  })

  it('blames the catalog for its own faults alone', async () => {
    const nowhere = ['plan', '--catalog', '/nowhere/catalog.json', '--config', '/nowhere/config.json']
    expect((await main(nowhere)).stdout).toMatch(/^Nothing was planned:\n1\. The file "\/nowhere\/config\.json"/)
    const { text } = await plan(
      { streams: [stream('orders'), stream('x', { primary_key: [] })] },
      { ...CONFIG, client_id: 'x' },
    )
    expect(text).toContain('\nwrite would refuse this:\n1. The config')
    expect(text).toContain('refused, see 2')
  })

  it('marks the stream that is refused, not another that reads the same', async () => {
    const streams = [
      stream('x', { stream: { name: 'b.c', namespace: 'a' }, destination_sync_mode: 'overwrite' }),
      stream('x', { stream: { name: 'c', namespace: 'a.b' } }),
    ]
    const { text } = await plan({ streams }, { ...CONFIG, table_names: 'hashed' })
    expect(text.split('\n').filter((line) => line.includes('(refused with records'))).toHaveLength(1)
  })

  it('takes every option of the config, warns of what has no effect, and connects to nothing', async () => {
    const config = {
      ...CONFIG,
      table_prefix: 'raw_',
      streams: [
        { name: 'ordres', table: 'x' },
        { name: 'users', table: 'people' },
      ],
      colour: 1,
    }
    const { code, plan: made } = await plan({ streams: [stream('orders'), stream('users')] }, config, '--json')
    expect(code).toBe(0)
    expect(made!.streams.map(({ table }) => table)).toEqual(['raw_orders', 'people'])
    expect(made!.warnings).toEqual([expect.stringContaining('`colour`'), expect.stringContaining('"ordres"')])
  })

  it.each<[string, unknown, unknown, string]>([
    ['a config without a key', { streams: [stream('orders')] }, { ...CONFIG, api_key: null }, '`api_key` is required'],
    ['a config that is no JSON', { streams: [stream('orders')] }, 'canary', 'not valid JSON'],
    [
      'a config with a wrong table option',
      { streams: [stream('orders')] },
      { ...CONFIG, older_rows: ['canary'] },
      '`older_rows`',
    ],
    ['a catalog that is no JSON', 'rubbish', CONFIG, 'The catalog (--catalog) cannot be used'],
    ['a catalog without streams', { streams: [] }, CONFIG, 'names no stream'],
    ['a stream twice', { streams: [stream('orders'), stream('orders')] }, CONFIG, 'occurs twice'],
    ['both wrong', '[]', { ...CONFIG, client_id: 'canary' }, '`client_id`'],
  ])('ends with 1 on %s', async (_what, catalog, config, words) => {
    for (const json of [false, true]) {
      const { code, text, plan: made } = await planHere(catalog, config, json)
      expect(code).toBe(1)
      expect(text).not.toContain('canary')
      if (made) expect(made.problems.join()).toContain(words)
      else expect(text).toContain(words)
    }
  })

  it('plans what it can beside a config that has something else wrong', async () => {
    const config = { ...CONFIG, client_id: 'x', table_prefix: 'raw_' }
    const { code, plan: made } = await plan({ streams: [stream('orders')] }, config, '--json')
    expect([code, made!.streams[0]!.table, made!.problems.length]).toEqual([1, 'raw_orders', 1])
  })

  it('ends with 1 without the files, with 2 without their names', async () => {
    const without = await main(['plan', '--catalog', '/nowhere/catalog.json', '--config', '/nowhere/config.json'])
    expect([without.code, without.stderr]).toEqual([1, ''])
    for (const words of ['catalog.json', '--catalog', 'config.json', '--config'])
      expect(without.stdout).toContain(words)
    for (const args of [['plan'], ['plan', '--json'], ['plan', '--catalogue', 'x'], ['plan', '--catalog', 'x', 'y']]) {
      const done = await main(args)
      expect([done.code, done.stdout]).toEqual([2, ''])
    }
  })

  it('shows no key, and no key is a word that breaks its JSON', async () => {
    const names = ['streams', 'table', 'orders', '":"', '},{', 'null', '"refused":[]']
    for (const key of names) {
      const { plan: made, text } = await planHere(
        { streams: [stream('orders'), stream(`x ${key} y`)] },
        { ...CONFIG, api_key: key },
        true,
      )
      expect(made!.streams).toHaveLength(2)
      expect(made!.streams[1]!.stream).toBe('x ****** y')
      expect(
        (await planHere({ streams: [stream(`x ${key} y`)] }, { ...CONFIG, api_key: key }, false)).text,
      ).not.toContain(`x ${key} y`)
      expect(text.startsWith('{"streams":[{"namespace":null,')).toBe(true)
    }
  })
})

describe('of 5,000 streams', () => {
  const wide = Array.from({ length: 5000 }, (_, index) => stream(`stream ${index}`, { primary_key: [['a', 'b']] }))
  const same = Array.from({ length: 5000 }, (_, index) => stream(String.fromCodePoint(0x4e00 + index) + 'x', APPEND))

  it.each<[string, object[], number]>([
    ['that all can be written', wide, 0],
    ['that all share a table', same, 1],
  ])('%s', async (_what, streams, ended) => {
    const { code, plan: made } = await plan({ streams }, undefined, '--json')
    expect(code).toBe(ended)
    expect((ended === 0 ? made!.streams : made!.refused).length).toBe(5000)
    const { code: again, text } = await plan({ streams })
    expect(again).toBe(ended)
    expect(text.split('\n').length).toBeGreaterThan(5000)
  })

  it('with as many entries for single ones', async () => {
    const streams = wide.map((_, index) => ({ name: `stream ${index}`, table: `t${index}` }))
    const { plan: made } = await plan({ streams: wide }, { ...CONFIG, streams }, '--json')
    expect(made!.streams.map(({ table }) => table)).toEqual(streams.map(({ table }) => table))
    expect(made!.warnings).toEqual([])
  })
})
