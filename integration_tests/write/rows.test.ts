// What identifies a row, end to end: messages in, rows in the table, the same messages again.

import { describe, expect, it } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { run, workFolder, type Finished } from '../connector.ts'
import { argsOf, logs, state, stream, trace, write } from './driver.ts'

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
      return run(await argsOf(service, work, streams, config), `${input.join('\n')}\n`)
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
})

describe('append_dedup', () => {
  it('with keep_last: false sends every version, one after another', async () => {
    await using here = await place()
    const input = Array.from({ length: 5 }, (_, v) => message(`{"id":1,"v":${v}}`))
    const config = { streams: [{ name: 'orders', keep_last: false }] }
    const done = await here.write([stream('orders')], input, config)
    expect(here.service.rows('orders')).toEqual(['{"keys":["id"],"id":1,"v":4}'])
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
  it('passes as a Clear, is refused with a record, and is kept when chosen', async () => {
    const over = { generation_id: 4, minimum_generation_id: 4, sync_id: 2 }
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
    expect(kept.rows('orders')[0]).toContain('"_airbyte_generation_id":4,')
    expect(logs(kept, 'WARN')).toContain('older rows stay')
  })
})
