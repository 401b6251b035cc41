// `stream` as a process on a real broker: topics of each format become the tables that were expected, offsets are committed
// to the end, a restart goes on there.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import type { NewRecord } from '../kafka/client.ts'
import { until } from '../kafka/until.ts'
import { rowOf, describeStream, tableOf } from './driver.ts'
import { Scraper } from './scraper.ts'
import { lastFigures } from './stream-process.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describeStream('stream', (driver) => {
  it('fetches no more of a partition while the buffer is full of what a slow service takes, and says so, then goes on', async () => {
    const topic = await driver.topic()
    const pad = 'p'.repeat(1000)
    const values = Array.from({ length: 900 }, (_, id) => `{"id":${id},"pad":"${pad}"}`)
    for (let from = 0; from < values.length; from += 100)
      await driver.client.produce(
        topic,
        values.slice(from, from + 100).map((value) => ({ value })),
      )
    await driver.fault({ table: tableOf(topic), every: 1, delay_ms: 300 })
    const config = { buffer_bytes: 65_536, health: { port: 0, host: '127.0.0.1' } }
    await using process = await driver.start({ topics: [{ topic, keys: ['id'] }], config })
    const scraper = await Scraper.of(process)
    await scraper.until((it) => it.of('topic_paused_partitions', { topic, reason: 'buffer' }) === 1)
    expect(scraper.of('buffer_bytes')).toBeGreaterThanOrEqual(65_536)
    await driver.rowsAre(
      tableOf(topic),
      values.map((value) => rowOf(value)),
      process,
    )
    await scraper.until((it) => it.of('paused_partitions') === 0)
    expect(scraper.of('topic_paused_partitions', { topic, reason: 'buffer' })).toBe(0)
    await driver.stop(process)
  })

  it('tells of each row where it came from, also of a deleted one', async () => {
    const topic = await driver.topic()
    const began = Date.now()
    await driver.client.produce(topic, [
      { key: '{"id":1}', value: '{"_run_id":"own"}' },
      { key: '{"id":2}', value: null },
    ])
    const columns = ['_kafka_topic', '_kafka_partition', '_kafka_offset', '_kafka_timestamp', '_loaded_at', '_run_id']
    const given = {
      topics: [{ topic, keys: { key: true }, tombstones: 'mark' }],
      config: { metadata_columns: columns },
    }
    await using process = await driver.start(given)
    await until(
      async () => (await driver.rows(tableOf(topic))).length === 2,
      () => process.toString(),
    )
    const rows = (await driver.rows(tableOf(topic))).map((row) => JSON.parse(row) as Record<string, unknown>)
    const place = { _kafka_topic: topic, _kafka_partition: 0 }
    expect(rows.toSorted((one, other) => Number(one['id']) - Number(other['id']))).toEqual([
      expect.objectContaining({ keys: ['id'], id: 1, _run_id_: 'own', ...place, _kafka_offset: 0 }),
      expect.objectContaining({ keys: ['id'], id: 2, __deleted: true, ...place, _kafka_offset: 1 }),
    ])
    for (const { _loaded_at: loaded, _kafka_timestamp: made, _run_id: run } of rows) {
      expect(new Date(String(loaded)).toISOString()).toBe(loaded)
      for (const time of [Number(made), Date.parse(String(loaded))]) {
        expect(time).toBeGreaterThanOrEqual(began)
        expect(time).toBeLessThanOrEqual(Date.now())
      }
      expect(run).toMatch(UUID)
    }
    expect(new Set(rows.map((row) => row['_run_id'])).size).toBe(1)
    await driver.stop(process)
  })

  it('stores the records of Airbyte messages, and counts the others', async () => {
    const topic = await driver.topic()
    const group = uniqueName('group')
    const record = (data: string): string =>
      `{"type":"RECORD","record":{"stream":"orders","data":${data},"emitted_at":1}}`
    const values = [
      record('{"id":1,"price":1.0}'),
      '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"orders"},"stream_state":{}}}}',
      record('{"id":2,"keys":"mine","price":9007199254740993}'),
      '{"type":"LOG","log":{"level":"INFO","message":"hello"}}',
      '{"type":"TRACE","trace":{"type":"STREAM_STATUS","emitted_at":1,"stream_status":{"stream_descriptor":{"name":"orders"},"status":"COMPLETE"}}}',
      record('{"id":1,"price":2.50}'),
    ]
    await driver.client.produce(
      topic,
      values.map((value) => ({ value })),
    )
    await using process = await driver.start({ group, topics: [{ topic, format: 'airbyte', keys: ['id'] }] })
    const rows = [
      '{"keys":["id"],"id":1,"price":2.50}',
      '{"keys":["id"],"id":2,"keys_":"mine","price":9007199254740993}',
    ]
    await driver.rowsAre(tableOf(topic), rows, process)
    await driver.committedAre(group, topic, [6n], process)
    expect(lastFigures(await driver.stop(process))).toMatchObject({ records: 6, rejected: 0, ignored: 3 })
  })

  it('ends in the rows that were written down for all changes Debezium captured', async () => {
    const captures = ['full', 'plain', 'flat'].map((name) => captureOf(name, uniqueName(name)))
    for (const { records } of captures)
      for (const [topic, some] of records) {
        await driver.client.admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false })
        await expect.poll(() => driver.client.highWatermarks(topic).catch(() => []), { timeout: 60_000 }).toEqual([0n])
        await driver.client.produce(topic, some)
      }
    const group = uniqueName('group')
    const debezium = { format: 'debezium', unavailable: 'null', truncate: 'ignore' }
    const topics = captures.flatMap(({ prefix }) => [
      { topic: `${prefix}.demo.audit`, ...debezium, keys: { offset: true } },
      { pattern: String.raw`${prefix}\..*`, ...debezium },
    ])
    await using process = await driver.start({ group, topics })
    for (const { records, rows } of captures)
      for (const [topic, some] of records) {
        await driver.committedAre(group, topic, [BigInt(some.length)], process)
        const found = (await driver.rows(tableOf(topic))).map(exact)
        expect(new Set(found), topic).toEqual(new Set(rows.get(topic)))
        expect(found, topic).toHaveLength(rows.get(topic)!.length)
      }
    expect(lastFigures(await driver.stop(process))).toMatchObject({ rejected: 0 })
  })
})

interface Capture {
  readonly prefix: string
  readonly records: ReadonlyMap<string, readonly NewRecord[]>
  /** By topic, as `exact` writes them. */
  readonly rows: ReadonlyMap<string, readonly string[]>
}

/** A capture of spec/debezium under topics of the test's own, and the rows written down for it. */
function captureOf(name: string, prefix: string): Capture {
  const read = (ending: string): string =>
    readFileSync(new URL(`../../spec/debezium/${name}.${ending}`, import.meta.url), 'utf8').replaceAll(
      `"demo-${name}.`,
      `"${prefix}.`,
    )
  const captured = read('jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { topic: string; key: string | null; value: string | null })
  const records = Array.from(
    Map.groupBy(captured, ({ topic }) => topic),
    ([topic, some]) => [topic, some.map(({ key, value }): NewRecord => ({ key, value }))] as const,
  )
  const { topics } = JSON.parse(read('json'), inOrder) as { topics: Record<string, { rows: unknown[] }> }
  const rows = Object.entries(topics).map(([topic, expected]) => {
    return [topic, expected.rows.map((row) => JSON.stringify(row))] as const
  })
  return { prefix, records: new Map(records), rows: new Map(rows) }
}

/** A JSON text with its members in one order and its numbers as they are written. */
function exact(text: string): string {
  return JSON.stringify(JSON.parse(text, inOrder))
}

function inOrder(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'number') return { number: context!.source! }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
