// Genuine Debezium captures against final rows that were written down by hand (spec/debezium/*.json, see `how` in each):
// what our items come to when they are folded by the fields their `keys` name, the last one winning.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { TopicConfig } from '../src/config/stream/stream-config.ts'
import { ConnectorError } from '../src/core/errors.ts'
import { fenceOf } from '../src/core/key.ts'
import type { Key } from '../src/core/types.ts'
import { topicConfig } from '../src/kafka/source/testing/topics.ts'
import { TopicMapper } from '../src/kafka/topics/topic-mapper.ts'
import { topicShared } from '../src/kafka/topics/topic-tables.ts'
import type { KafkaRecord } from '../src/kafka/types.ts'
import { emptySlot } from '../src/mapping/stream-mapping.ts'
import { pointIn } from '../src/mapping/testing/topic-rows.ts'

interface Expected {
  readonly items: number
  readonly ignored: Readonly<Record<string, number>>
  /** Offset at which the default policy for unavailable values stops. */
  readonly stopsAt?: number
  readonly rows: readonly unknown[]
}

interface Captured {
  readonly topic: string
  readonly partition: number
  readonly record: KafkaRecord
}

/** A JSON value whose numbers are their texts: 1.0E-300 and 9007199254740993 stay what they are. */
function exact(text: string): unknown {
  const keep = (_name: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? { number: context!.source! } : value
  return JSON.parse(text, keep)
}

function file(name: string): string {
  return readFileSync(new URL(`debezium/${name}`, import.meta.url), 'utf8')
}

function expectations(name: string): Record<string, Expected> {
  const counts = (JSON.parse(file(`${name}.json`)) as { topics: Record<string, Expected> }).topics
  const { topics } = exact(file(`${name}.json`)) as { topics: Record<string, Expected> }
  return Object.fromEntries(
    Object.entries(counts).map(([topic, expected]) => [topic, { ...expected, rows: topics[topic]!.rows }]),
  )
}

function captures(name: string): Captured[] {
  return file(`${name}.jsonl`)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { topic, partition, offset, timestamp, key, value } = JSON.parse(line) as {
        topic: string
        partition: number
        offset: string
        timestamp: string
        key: string | null
        value: string | null
      }
      const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text))
      const record = {
        offset: BigInt(offset),
        timestamp: BigInt(timestamp),
        key: bytes(key),
        value: bytes(value),
        headers: [],
      }
      return { topic, partition, record }
    })
}

function configOf(topic: string, keys: TopicConfig['keys'], unavailable: TopicConfig['unavailable']): TopicConfig {
  return topicConfig({
    topic: { name: topic },
    format: 'debezium',
    table: undefined,
    keys,
    unavailable,
    truncate: 'ignore',
  })
}

interface Run {
  readonly points: { readonly offset: bigint; readonly text: string; readonly key: Key }[]
  readonly rejected: string[]
  readonly ignored: Readonly<Record<string, number>>
}

/** @param reached told each offset before it is mapped */
function run(
  records: readonly Captured[],
  config: TopicConfig,
  reached: (offset: bigint) => void = () => undefined,
): Run {
  const { topic } = records[0]!
  const shared = topicShared('')
  const mapper = new TopicMapper<number>(topic, config, shared)
  const track = { name: topic }
  const points: Run['points'] = []
  const rejected: string[] = []
  for (const { record, partition } of records) {
    reached(record.offset)
    const item = mapper.map(record, track, partition, 0, 0, emptySlot(0))
    if (item?.kind === 'rejected') rejected.push(item.reason)
    if (item?.kind !== 'record') continue
    const { point: text, key } = pointIn(item)
    points.push({ offset: record.offset, text, key })
  }
  return { points, rejected, ignored: Object.fromEntries(mapper.ignored) }
}

function keysOf(topic: string, from: 'value' | 'key'): TopicConfig['keys'] {
  if (topic.endsWith('.audit')) return { from: 'offset', epoch: 0 }
  if (from === 'key') return { from: 'key', field: undefined }
  return { from: 'value', paths: topic.endsWith('.orders') ? [['order_no'], ['line_no']] : [['id']] }
}

function identity(row: unknown): string {
  const { keys, ...fields } = row as { keys: string[] } & Record<string, unknown>
  return JSON.stringify(keys.map((name) => [name, fields[name]]))
}

/** The rows as a table would hold them, by their key. */
function folded(points: Run['points']): Map<string, unknown> {
  return new Map(points.map(({ text }) => exact(text)).map((row) => [identity(row), row]))
}

const byTopic = (name: string): Map<string, Captured[]> => Map.groupBy(captures(name), ({ topic }) => topic)

describe.each(['full', 'plain', 'flat'])('the capture %s', (name) => {
  const topics = byTopic(name)
  const expected = expectations(name)

  it('has expectations for each of its topics', () => {
    expect(Object.keys(expected).sort()).toEqual([...topics.keys()].sort())
  })

  describe.each(['value', 'key'] as const)('with keys from the %s', (from) => {
    it.each(Object.keys(expected))('ends in the rows written down for %s', (topic) => {
      const { items, ignored, rows } = expected[topic]!
      const made = run(topics.get(topic)!, configOf(topic, keysOf(topic, from), 'null'))
      expect(made.rejected).toEqual([])
      expect(made.points).toHaveLength(items)
      expect(made.ignored).toEqual(ignored)
      expect(folded(made.points)).toEqual(new Map(rows.map((row) => [identity(row), row])))
    })

    it.each(Object.keys(expected))('gives the points of one row of %s one key, and no others', (topic) => {
      const { points } = run(topics.get(topic)!, configOf(topic, keysOf(topic, from), 'null'))
      const pairs = points.flatMap(({ text, key }) =>
        key === undefined ? [] : [[identity(exact(text)), key] as const],
      )
      const rows = new Set(pairs.map(([row]) => row))
      const fences = new Set(pairs.map(([, key]) => fenceOf(key)))
      expect(fences.size).toBe(rows.size)
      expect(new Set(pairs.map(([row, key]) => JSON.stringify([row, fenceOf(key)]))).size).toBe(rows.size)
    })
  })

  it.each(Object.keys(expected))('stops in %s only at a value Debezium did not see', (topic) => {
    const { stopsAt } = expected[topic]!
    let last = -1n
    const all = (): Run => run(topics.get(topic)!, configOf(topic, keysOf(topic, 'value'), 'fail'), (at) => (last = at))
    if (stopsAt === undefined) {
      expect(all().rejected).toEqual([])
      return
    }
    expect(all).toThrow(ConnectorError)
    expect(last).toBe(BigInt(stopsAt))
    const table = topic.replaceAll(/[^a-z]/g, '_')
    expect(all).toThrow(
      `Topic "${topic}", partition 0, offset 2: Debezium did not see the value of column "body" of table "${table}": it is large and did not change. Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.`,
    )
  })

  it('rejects, or makes null and names, what Debezium did not see', () => {
    const topic = [...topics.keys()].find((topic) => topic.endsWith('.documents'))!
    const letters = run(topics.get(topic)!, configOf(topic, keysOf(topic, 'key'), 'dead-letter'))
    expect(letters.rejected).toEqual(
      Array.from({ length: 2 }, () => 'Debezium did not see the value of its column "body"'),
    )
    expect(letters.points.map(({ offset }) => offset)).toEqual([0n, 1n, 4n, 5n, 6n])
    const nulls = run(topics.get(topic)!, configOf(topic, keysOf(topic, 'value'), 'null'))
    const flat = name === 'flat' ? '"__deleted":"false","__op":"u","__source_ts_ms":1795259342' : ''
    const end = (ms: string): string => (flat === '' ? '}' : `,${flat}${ms}}`)
    expect(nulls.points.filter(({ offset }) => offset === 2n || offset === 3n).map(({ text }) => text)).toEqual([
      String.raw`{"keys":["id"],"__unavailable":["body"],"id":1,"title":"renamed 1","body":null,"meta":"{\"v\": 1}"${end('968')}`,
      String.raw`{"keys":["id"],"__unavailable":["body"],"id":2,"title":"renamed 2","body":null,"meta":"{\"v\": 2}"${end('969')}`,
    ])
  })
})

it('stops, by default, where a table was truncated', () => {
  const records = byTopic('plain').get('demo-plain.demo.audit')!
  const config: TopicConfig = {
    ...configOf('demo-plain.demo.audit', { from: 'offset', epoch: 0 }, 'fail'),
    truncate: 'stop',
  }
  let last = -1n
  expect(() => run(records, config, (at) => (last = at))).toThrow('choose truncate: ignore for the topic')
  expect(last).toBe(7n)
})

it('stops, by default, at a record without Kafka key where keys come from it', () => {
  const records = byTopic('full').get('demo-full.demo.audit')!
  const config = configOf('demo-full.demo.audit', { from: 'key', field: undefined }, 'fail')
  expect(() => run(records, config)).toThrow('partition 0, offset 0: the record has no Kafka key')
  const offsets = run(records, { ...config, nullKeys: 'offset', epoch: 3 })
  expect(offsets.points).toHaveLength(5)
  expect(offsets.points[4]!.text).toBe(
    '{"keys":["_kafka_topic","_kafka_partition","_kafka_offset","_kafka_epoch"],"_kafka_topic":"demo-full.demo.audit","_kafka_partition":0,"_kafka_offset":4,"_kafka_epoch":3,"at":"2026-02-02T00:00:00.000000Z","what":"b"}',
  )
  expect(offsets.ignored).toEqual({ delete: 1, 'null record': 1, truncate: 1 })
  expect(run(records, { ...config, nullKeys: 'dead-letter' }).rejected).toEqual(
    Array.from({ length: 6 }, () => 'it has no Kafka key'),
  )
})
