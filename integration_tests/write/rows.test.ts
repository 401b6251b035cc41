// What identifies a row, end to end: messages in, rows in the table, the same messages again.

import { describe, expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import type { LocalService } from '../../src/local-service/start.ts'
import { run, workFolder } from '../connector.ts'
import type { Finished } from '../connector.ts'
import { logs, state, stream, trace, write } from './driver.ts'

interface Place extends AsyncDisposable {
  readonly service: LocalService
  /** One run after another against the same tables. */
  write(streams: object[], input: readonly string[], config?: object): Promise<Finished>
}

async function place(): Promise<Place> {
  const service = await startLocalService()
  const work = await workFolder()
  return {
    service,
    async write(streams, input, config = {}) {
      const where = { import_url: service.url, client_id: 7, api_key: 'demo-key', ...config }
      const files = [await work.file('config.json', where), await work.file('catalog.json', { streams })]
      return run(['write', '--config', files[0]!, '--catalog', files[1]!], `${input.join('\n')}\n`)
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await work[Symbol.asyncDispose]()
    },
  }
}

const message = (data: string, emitted: number | string | undefined = 1_700_000_000_000, name = 'orders'): string =>
  `{"type":"RECORD","record":{"stream":"${name}","data":${data}${emitted === undefined ? '' : `,"emitted_at":${emitted}`}}}`
const equal = (count: number, emitted?: number | string): string[] =>
  Array.from({ length: count }, () => message('{"a":1}', emitted))
const APPEND = stream('orders', { destination_sync_mode: 'append', primary_key: [] })
const status = (of: string, name = 'orders'): string =>
  `{"type":"TRACE","trace":{"type":"STREAM_STATUS","emitted_at":1,"stream_status":{"stream_descriptor":{"name":"${name}"},"status":"${of}"}}}`

describe('append', () => {
  it('makes 1,000 rows of 1,000 equal records, the same 1,000 of the same file, twice as many of a new reading', async () => {
    await using here = await place()
    const input = [...equal(1000), state('1')]
    expect((await here.write([APPEND], input)).code).toBe(0)
    const rows = here.service.rows('orders')
    expect(rows).toHaveLength(1000)
    expect((await here.write([APPEND], input)).code).toBe(0)
    expect(here.service.rows('orders').toSorted()).toEqual(rows.toSorted())
    const [counted] = (await here.write([APPEND], [...equal(1000, 1_700_000_000_001), state('2')])).states
    expect(counted).toContain('"recordCount":1000.0')
    expect(here.service.rows('orders')).toHaveLength(2000)
  })

  it('makes as many of records without emitted_at, and a message again makes no row, wherever it stands', async () => {
    await using here = await place()
    const bare = (data: string): string => `{"type":"RECORD","record":{"stream":"orders","data":${data}}}`
    const [one, two] = [bare('{"a":1}'), bare('{"a":2}')]
    expect((await here.write([APPEND], [one, one, two])).code).toBe(0)
    expect(here.service.rows('orders')).toHaveLength(3)
    expect((await here.write([APPEND], [two, one])).code).toBe(0)
    expect(here.service.rows('orders')).toHaveLength(3)
  })

  it('with identical_records: collapse makes one row of equal data, whenever it was read', async () => {
    await using here = await place()
    const config = { streams: [{ name: 'orders', identical_records: 'collapse' }] }
    const done = await here.write([APPEND], [...equal(500), ...equal(500, 5), message('{"a": 1}'), state('1')], config)
    expect([done.code, here.service.rows('orders').length]).toEqual([0, 2])
    expect(done.states[0]).toContain('"recordCount":1001.0')
    expect(logs(done, 'INFO')).toContain('one row per distinct record')
    await here.write([APPEND], equal(3, 9), config)
    expect(here.service.rows('orders')).toHaveLength(2)
  })

  it('with a primary key is history, or one row per key when chosen, for all or for one stream', async () => {
    const keyed = ['orders', 'users'].map((name) => stream(name, { destination_sync_mode: 'append', primary_key: [] }))
    const streams = keyed.map((each) =>
      Object.assign(each, { stream: { ...(each as { stream: object }).stream, source_defined_primary_key: [['id']] } }),
    )
    const input = ['orders', 'users'].flatMap((name) => [1, 2].map((v) => message(`{"id":7,"v":${v}}`, v, name)))
    const rowsWith = async (config: object): Promise<number[]> => {
      await using here = await place()
      expect((await here.write(streams, input, config)).code).toBe(0)
      return ['orders', 'users'].map((table) => here.service.rows(table).length)
    }
    expect(await rowsWith({})).toEqual([2, 2])
    expect(await rowsWith({ append_with_primary_key: 'upsert' })).toEqual([1, 1])
    const one = (choice: string): object => ({ streams: [{ name: 'users', append_with_primary_key: choice }] })
    expect(await rowsWith(one('upsert'))).toEqual([2, 1])
    expect(await rowsWith({ append_with_primary_key: 'upsert', ...one('history') })).toEqual([1, 2])
  })
})

describe('append_dedup', () => {
  it('keeps one row of an inserted and deleted key, with the mark', async () => {
    const done = await write({
      input: [
        message('{"id":1,"name":"é","_ab_cdc_deleted_at":null}'),
        message('{"id":2,"name":"stays","_ab_cdc_deleted_at":null}'),
        message('{"id":1,"name":null,"_ab_cdc_deleted_at":"2026-01-01T00:00:00Z"}'),
        state('1'),
      ].join('\n'),
    })
    expect(done.code).toBe(0)
    expect(done.rows('orders').toSorted()).toEqual([
      '{"keys":["id"],"id":1,"name":null,"_ab_cdc_deleted_at":"2026-01-01T00:00:00Z"}',
      '{"keys":["id"],"id":2,"name":"stays","_ab_cdc_deleted_at":null}',
    ])
    expect(done.states[0]).toContain('"recordCount":3.0')
  })

  it('hoists nested keys, whatever they are, and upserts by them', async () => {
    const streams = [
      stream('orders', { primary_key: [['a', 'b'], ['id']] }),
      stream('users', { primary_key: [['a', 'b']] }),
    ]
    const first = String.raw`{"id":"x","a":{"b" : 1.0 , "c":[1.10]} }`
    const escaped = String.raw`{"id":"x","\u0061":{"\u0062":1.0,"c":"newer"}}`
    const done = await write({
      streams,
      config: { streams: [{ name: 'users', keys: [{ path: '/profile/ids/0', field: 'user' }] }] },
      input: [
        message(first),
        message('{"id":"y","a":{"b":"1"}}'),
        message(escaped),
        message('{"profile":{"ids":{"0":"u1"}},"n":1}', 1, 'users'),
        message('{"profile":{"ids":{"0":"u1"}},"n":2}', 1, 'users'),
        state('1'),
      ].join('\n'),
    })
    expect(done.code).toBe(0)
    expect(done.rows('orders').toSorted()).toEqual(
      [
        `{"keys":["a_b","id"],"a_b":1.0,${escaped.slice(1)}`,
        '{"keys":["a_b","id"],"a_b":"1","id":"y","a":{"b":"1"}}',
      ].toSorted(),
    )
    expect(done.rows('users')).toEqual(['{"keys":["user"],"user":"u1","profile":{"ids":{"0":"u1"}},"n":2}'])
  })

  it.each([
    ['a record of its own such field', '{"a":{"b":1},"a_b":2}', '"a_b"'],
    ['no such value', '{"a":{}}', '"a.b" is missing'],
    ['a list', '{"a":{"b":[1]}}', '"a.b" is an array'],
    ['two', '{"a":{"b":1,"b":1}}', '"a.b" occurs twice'],
  ])('stops at %s in place of a nested key, and loses nothing before it', async (_what, data, words) => {
    const done = await write({
      streams: [stream('orders', { primary_key: [['a', 'b']] })],
      input: [message('{"a":{"b":0}}'), state('1'), message(data), state('2')].join('\n'),
    })
    expect(trace(done)).toMatchObject({ failure_type: 'config_error' })
    expect(trace(done).message).toContain(words)
    expect([done.rows('orders').length, done.states.length]).toEqual([1, 1])
  })

  it('with keep_last: false sends every version, one after another', async () => {
    await using here = await place()
    const input = Array.from({ length: 5 }, (_, v) => message(`{"id":1,"v":${v}}`))
    const config = { streams: [{ name: 'orders', keep_last: false }] }
    const done = await here.write([stream('orders')], [...input, state('1')], config)
    expect(here.service.rows('orders')).toEqual(['{"keys":["id"],"id":1,"v":4}'])
    expect(here.service.requests.total).toBeGreaterThanOrEqual(5)
    expect(logs(done, 'INFO')).toContain('5 rows sent')
  })

  it('says how many records replaced one with a higher cursor: the newest arrival wins all the same', async () => {
    const cursors = [3, 1, 2, 9, 4]
    const done = await write({
      streams: [stream('orders', { cursor_field: ['at'] })],
      // a line without its end is read when the input ends, which may be after the others were sent
      input: `${cursors.map((at) => message(`{"id":1,"at":${at}}`)).join('\n')}\n`,
    })
    expect(done.rows('orders')).toEqual(['{"keys":["id"],"id":1,"at":4}'])
    expect(logs(done, 'INFO')).toContain('2 replaced one with a higher cursor')
    const none = await write({ input: cursors.map((at) => message(`{"id":1,"at":${at}}`)).join('\n') })
    expect(logs(none, 'INFO')).not.toContain('higher cursor')
  })
})

describe('metadata columns', () => {
  it('carry what the source said of the record, byte for byte, and move its own members of such names', async () => {
    const done = await write({
      streams: [stream('orders', { generation_id: 3, minimum_generation_id: 0, sync_id: 12 })],
      config: { metadata_columns: ['_airbyte_meta', '_airbyte_extracted_at', '_airbyte_generation_id'] },
      input: [
        '{"type":"RECORD","record":{"stream":"orders","data":{"id":1,"_airbyte_meta":"own"},"emitted_at":1.70e12,"meta":{"changes":[ {"field":"x", "change":"NULLED"} ]}}}',
        '{"type":"RECORD","record":{"stream":"orders","data":{"id":2},"meta":null}}',
      ].join('\n'),
    })
    expect(done.rows('orders')).toEqual([
      '{"keys":["id"],"_airbyte_meta":{"sync_id":12,"changes":[ {"field":"x", "change":"NULLED"} ]},"_airbyte_extracted_at":1.70e12,"_airbyte_generation_id":3,"id":1,"_airbyte_meta_":"own"}',
      '{"keys":["id"],"_airbyte_meta":{"sync_id":12,"changes":[]},"_airbyte_extracted_at":null,"_airbyte_generation_id":3,"id":2}',
    ])
  })
})

describe('columns of the run', () => {
  it('tell when a row was loaded and by which run, and leave its id as it is', async () => {
    await using here = await place()
    const streams = [stream('orders', { destination_sync_mode: 'append', primary_key: [] })]
    const config = { metadata_columns: ['_loaded_at', '_run_id'] }
    const load = async (): Promise<[id: string, loaded: string, run: string]> => {
      expect((await here.write(streams, [message('{"a":1}')], config)).code).toBe(0)
      const [row, ...others] = here.service.rows('orders')
      const [, id, loaded, run] =
        /^\{"keys":\["_airbyte_raw_id"\],"_airbyte_raw_id":"([^"]+)","_loaded_at":"([^"]+)","_run_id":"([^"]+)","a":1\}$/.exec(
          row!,
        ) ?? []
      expect(others).toEqual([])
      return [id!, loaded!, run!]
    }
    const began = Date.now()
    const [first, second] = [await load(), await load()]
    expect(second[0]).toBe(first[0])
    expect(second[2]).not.toBe(first[2])
    for (const [, loaded, run] of [first, second]) {
      expect(new Date(loaded).toISOString()).toBe(loaded)
      expect(Date.parse(loaded)).toBeGreaterThanOrEqual(began)
      expect(Date.parse(loaded)).toBeLessThanOrEqual(Date.now())
      expect(run).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    }
  })
})

describe('a stream that wants its older rows gone', () => {
  it.each<[string, object]>([
    ['overwrite', { destination_sync_mode: 'overwrite' }],
    [
      'overwrite of its first generation',
      { destination_sync_mode: 'overwrite', generation_id: 1, minimum_generation_id: 1 },
    ],
    ['a refresh', { generation_id: 4, minimum_generation_id: 4, sync_id: 2 }],
  ])('passes as a Clear, is refused with a record, and is kept when chosen: %s', async (_what, over) => {
    const streams = [stream('orders', over), stream('users')]
    const input = [status('STARTED'), state('null'), status('COMPLETE'), status('COMPLETE', 'users')]
    const cleared = await write({ streams, input: input.join('\n') })
    expect([cleared.code, cleared.requests]).toEqual([0, 0])
    expect(cleared.states).toEqual([
      state('null').replace(/\}\}$/, ',"destinationStats":{"recordCount":0.0,"rejectedRecordCount":0.0}}}'),
    ])
    expect(logs(cleared, 'WARN')).toContain('"orders"')
    const loaded = [message('{"id":1}'), state('"n"')].join('\n')
    const refused = await write({ streams, input: loaded })
    expect(trace(refused)).toMatchObject({ failure_type: 'config_error', stream_descriptor: { name: 'orders' } })
    expect(trace(refused).message).toContain('write_strategy="append"')
    expect([refused.requests, refused.states.length]).toEqual([0, 0])
    const kept = await write({ streams, input: loaded, config: { streams: [{ name: 'orders', older_rows: 'keep' }] } })
    expect([kept.code, kept.states.length, kept.rows('orders').length]).toEqual([0, 1, 1])
    const marker =
      'generation_id' in over
        ? `"_airbyte_generation_id":${String(over.generation_id)},`
        : '"_airbyte_extracted_at":1700000000000,'
    expect(kept.rows('orders')[0]).toContain(marker)
    expect(logs(kept, 'WARN')).toContain('older rows stay')
  })

  it('in its first generation has none: a warning, no column', async () => {
    const streams = [stream('orders', { generation_id: 1, minimum_generation_id: 1 })]
    const done = await write({ streams, input: [message('{"id":1}'), status('COMPLETE')].join('\n') })
    expect([done.code, done.rows('orders')]).toEqual([0, ['{"keys":["id"],"id":1}']])
    expect(logs(done, 'WARN')).toContain('first generation')
  })
})

describe('the end of a stream', () => {
  const generations = { generation_id: 2, minimum_generation_id: 0, sync_id: 1 }

  it.each<[string, string[], boolean]>([
    ['COMPLETE', [status('STARTED'), status('RUNNING'), status('COMPLETE')], false],
    ['INCOMPLETE', [status('STARTED'), status('INCOMPLETE')], true],
    ['no word', [], true],
    ['nothing but STARTED', [status('STARTED')], true],
    ['INCOMPLETE, then COMPLETE', [status('INCOMPLETE'), status('COMPLETE')], false],
  ])('with %s writes everything and earns every state', async (_what, statuses, warned) => {
    const done = await write({
      streams: [stream('orders', generations)],
      input: [message('{"id":1}'), state('1'), ...statuses].join('\n'),
    })
    expect([done.code, done.states.length, done.rows('orders').length]).toEqual([0, 1, 1])
    expect(logs(done, 'WARN').includes('may not have finished')).toBe(warned)
  })

  it('of a source without generations is expected from nobody', async () => {
    const done = await write({ input: message('{"id":1}') })
    expect([done.code, logs(done, 'WARN')]).toEqual([0, ''])
  })
})
