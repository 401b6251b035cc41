import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { BatchItems } from './batch-items.ts'
import { OwnedPartition } from './owned-partition.ts'
import { StreamTopics, type MappedTopic } from './stream-topics.ts'
import { batchOf } from './testing/partitions.ts'
import { TOPIC, recordOf, topicConfig } from './testing/topics.ts'
import { topicShared } from '../topics/topic-tables.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import type { KafkaRecord } from '../types.ts'
import { avroDecoder } from '../../registry/avro/avro-decoder.ts'
import { makeJsonSchemaDecoder } from '../../registry/json-schema-decoder.ts'
import { protobufDecoder } from '../../registry/protobuf/protobuf-decoder.ts'
import type { RegisteredSchema } from '../../registry/types.ts'
import { LONGEST_INTEGER, RecordKeys } from '../values/record-keys.ts'
import { RecordSamples, type TopicSample } from './record-samples.ts'
import { fitsRow } from './row-order.ts'

type Placed = readonly [partition: number, record: KafkaRecord]

interface Sampled {
  readonly sample: TopicSample
  /** What it and its mapper say. */
  readonly texts: (divert: boolean) => string[]
}

/** @param schemas that the records name */
function sampled(
  over: Partial<TopicConfig>,
  placed: readonly Placed[],
  partitions = 3,
  schemas?: KnownSchemas,
): Sampled {
  const shared = topicShared('')
  const odd: string[] = []
  const topics = new StreamTopics([topicConfig(over)], shared, (level, message) => {
    if (level === 'warn') odd.push(message)
  })
  const topic = (name: string): MappedTopic => topics.find(name)
  const sampler = new RecordSamples({ perPartition: 200, goesOnAfterStop: true, partitionsOf: () => partitions })
  const items = new BatchItems({ space: shared.space, clock: { now: () => 0 }, keepsRecords: false, sampler, topic })
  for (const [partition, records] of Map.groupBy(placed, ([partition]) => partition)) {
    const owned = new OwnedPartition({ topic: TOPIC, partition, offset: 0n }, topic(TOPIC).counts)
    const all = records.map(([, record]) => record)
    owned.fetched({ ...batchOf(partition, all), schemas }, 0)
    Array.from(items.of(owned))
  }
  const sample = sampler.of(topic(TOPIC))
  const texts = (divert: boolean): string[] =>
    [...sample.rejections(divert), ...sample.doubts, ...odd.map((text) => ({ text }))].map(({ text }) => {
      expect(text).toMatch(/^Topic "shop\.public\.orders": .*\.$/)
      expect(text).not.toContain('secret')
      return text.slice(`Topic "${TOPIC}": `.length)
    })
  return { sample, texts }
}

function told(
  over: Partial<TopicConfig>,
  placed: readonly Placed[],
  divert = false,
  ...more: [partitions?: number, schemas?: KnownSchemas]
): string[] {
  return sampled(over, placed, ...more).texts(divert)
}

const row = (id: unknown, key: string | null = String(id), offset = 7n): KafkaRecord =>
  recordOf(JSON.stringify({ id, text: 'secret' }), key, offset)

it('has nothing to say of records that fit, nor of none', () => {
  expect(told({}, [])).toEqual([])
  expect(
    told({}, [
      [0, row(1)],
      [1, row(2)],
      [0, row(1)],
      [2, row('x')],
    ]),
  ).toEqual([])
  expect(
    told({ keys: { from: 'offset', epoch: 0 } }, [
      [0, row(1, null)],
      [1, row(1, null)],
    ]),
  ).toEqual([])
  expect(
    told({ keys: { from: 'key', field: 'id' } }, [
      [0, row(1)],
      [1, row(2)],
    ]),
  ).toEqual([])
})

it('tells that Airbyte messages are of several streams, unless one is named: the others cannot be stored then', () => {
  const of = (stream: string, id: number): Placed => [
    0,
    recordOf(JSON.stringify({ type: 'RECORD', record: { stream, data: { id } } }), String(id)),
  ]
  const placed = [of('b', 1), of('a', 2), of('c', 3)]
  expect(told({ format: 'airbyte' }, placed)).toEqual([
    'it has records of several streams, "a" and "b"; all become rows of "orders". Set its stream, or a route.',
  ])
  expect(told({ format: 'airbyte', stream: { name: 'b', namespace: undefined } }, placed)).toEqual([
    expect.stringMatching(/^stream would stop at 2 of 3 sampled records, .* it is of another stream than the one that/),
  ])
})

it('counts what cannot be stored, and tells where the first is, without data', () => {
  const placed: Placed[] = [
    [0, row(1)],
    [2, recordOf('secret', '1', 41n)],
    [1, recordOf('{"secret":1}', '2', 3n)],
  ]
  const found =
    /^stream would stop at 2 of 3 sampled records, which cannot be stored; the first is in partition 2, offset 41: its value is not JSON.*dead_letters\.$/
  expect(told({}, placed)).toEqual([expect.stringMatching(found)])
  expect(told({}, placed, true)[0]).toMatch(/^2 of 3 sampled records cannot .*They would become dead letters\.$/)
})

it('counts what a policy stops at, with the words of the run', () => {
  const placed: Placed[] = [
    [0, row(1)],
    [1, recordOf(null, '2', 8n)],
    [1, recordOf(null, '3', 9n)],
  ]
  const [only, ...more] = told({ tombstones: 'fail' }, placed)
  expect(only).toMatch(
    /^stream would stop at 2 of 3 sampled records, by its policies; the first: .*partition 1, offset 8: .*tombstones: ignore/,
  )
  expect(more).toEqual([])
})

it('doubts a format that leaves nothing', () => {
  const placed: Placed[] = [
    [0, recordOf('{"type":"STATE","state":{}}')],
    [0, recordOf('{"type":"LOG","log":{}}')],
  ]
  const found = 'all 2 sampled records are ignored (STATE, LOG). Check its format.'
  expect(told({ format: 'airbyte' }, placed)).toEqual([found])
  expect(told({ format: 'airbyte' }, placed.slice(0, 1))).toHaveLength(1)
})

it('says when the order of a row is not that of a partition', () => {
  const torn = told({}, [
    [0, row(1)],
    [1, row(1)],
    [2, row(1)],
    [1, row(2)],
  ])
  expect(torn).toEqual([expect.stringMatching(/^1 of 2 sampled keys have records in more than one partition: .*older/)])
  expect(
    told({ keys: { from: 'key', field: 'id' } }, [
      [0, row(1)],
      [1, row(1)],
    ]),
  ).toHaveLength(1)
  // the same number, however it is written
  const spelt: Placed[] = [
    [0, recordOf('{"id":1}', '1')],
    [1, recordOf('{"id":1.0}', '1')],
  ]
  expect(told({}, spelt)[0]).toMatch(/^1 of 1 sampled keys/)
})

it('says when nothing binds a row to a partition', () => {
  const keyless: Placed[] = [
    [0, row(1, null)],
    [1, row(2, null)],
    [1, row(3)],
  ]
  expect(told({}, keyless)).toEqual([
    expect.stringMatching(/^2 of 3 sampled records have no record key, .*record key\.$/),
  ])
  const other: Placed[] = [
    [0, row(1, 'secret')],
    [1, row(2, '{"customer":2222}')],
  ]
  expect(told({}, other)).toEqual([
    expect.stringMatching(/^2 of 2 sampled records have a record key of something else/),
  ])
  expect(told({}, [...keyless, ...other], false, 1)).toEqual([])
})

/** Bytes by the schema 1, or the one given. */
const by = (hex: string, id = 1): Buffer => Buffer.from(`000000000${id}${hex}`, 'hex')

function schemasOf(...all: readonly RegisteredSchema[]): KnownSchemas {
  const makers = { AVRO: avroDecoder, JSON: makeJsonSchemaDecoder, PROTOBUF: protobufDecoder }
  return new Map(all.map((schema, index) => [index + 1, makers[schema.type](schema)]))
}

it('suspects no column of bytes whose schema would say if it were a decimal', () => {
  const over = { format: 'debezium', valueEncoding: 'registry', keys: { from: 'offset', epoch: 0 } } as const
  const fields = [
    { name: 'op', type: 'string' },
    { name: 'after', type: { type: 'record', name: 'Row', fields: [{ name: 'blob', type: 'bytes' }] } },
  ]
  const avro = { type: 'AVRO', text: JSON.stringify({ type: 'record', name: 'E', fields }), references: [] } as const
  // op "c", blob of two bytes, which is AfQ= in base64
  expect(told(over, [[0, recordOf(by('02630401f4'))]], false, 3, schemasOf(avro))).toEqual([])
  const json = { type: 'JSON', text: '{}', references: [] } as const
  const change = Buffer.from('{"op":"c","after":{"price":"AfQ="}}').toString('hex')
  expect(told(over, [[0, recordOf(by(change))]], false, 3, schemasOf(json))).toEqual([
    expect.stringMatching(/^column "price" looks like decimals/),
  ])
})

it('compares a Kafka key of a registry only where a run reads it', () => {
  const text = { type: 'AVRO', text: '"string"', references: [] } as const
  const registry = { keyEncoding: 'registry' } as const
  const keyed = (key: string, value: object): Placed => [0, recordOf(JSON.stringify(value), by(key))]
  expect(told(registry, [keyed('0261', { id: 'b' })])).toEqual([])
  const over = { ...registry, format: 'debezium' } as const
  const change = { op: 'c', after: { id: 'a' }, source: {} }
  expect(told(over, [keyed('0261', change)], false, 3, schemasOf(text))).toEqual([])
  expect(told(over, [keyed('0262', change)], false, 3, schemasOf(text))).toEqual([
    expect.stringMatching(/^1 of 1 sampled records have a record key of something else/),
  ])
})

const fits = (recordKey: string | Buffer, point: object): boolean =>
  fitsRow(new RecordKeys(), Buffer.from(recordKey), point as Readonly<Record<string, unknown>>)
const order = { keys: ['id', 'shop'], id: 7, shop: 'north', customer: 12 }

it('fits a row: a Kafka key that is made of the fields of the row key, in whatever form', () => {
  expect(fits('{"shop":"north","id":7}', order)).toBe(true)
  expect(fits('7', order)).toBe(true)
  expect(fits('north', order)).toBe(true)
  expect(fits('{"id":"7"}', order)).toBe(true)
  expect(fits('{"schema":{"type":"int32"},"payload":7}', order)).toBe(true)
  expect(fits('{"schema":{"type":"struct"},"payload":{"id":7,"shop":"north"}}', order)).toBe(true)
  // the same one for all
  expect(fits('{"schema":null,"payload":null}', order)).toBe(true)
})

it('fits no row: any other Kafka key, for rows of one key may then lie in several partitions', () => {
  expect(fits('12', order)).toBe(false)
  expect(fits('{"id":7,"customer":12}', order)).toBe(false)
  expect(fits(Buffer.of(0, 0, 0, 0, 1, 0xff), order)).toBe(false)
  expect(fits('', order)).toBe(false)
  expect(fits('{"id":8}', order)).toBe(false)
})

const suspects = (...rows: unknown[]): readonly string[] => {
  const over = { format: 'debezium', unavailable: 'null', keys: { from: 'key', field: undefined } } as const
  const records = rows.map((row): Placed => [
    0,
    recordOf(typeof row === 'string' ? row : JSON.stringify(row), '{"id":1}'),
  ])
  return told(over, records).flatMap((text) => {
    const [, columns] = /^columns? (".*") looks? like decimals/.exec(text) ?? []
    return columns === undefined ? [] : columns.split(', ').map((column) => JSON.parse(column) as string)
  })
}
const created = (after: unknown): unknown => ({ before: null, after, op: 'c', source: {} })

it('suspects columns whose every value is base64, once as nothing else is', () => {
  expect(suspects({ price: 'AfQ=', word: 'open' }, { price: 'D0JA', word: 'shut' })).toEqual(['price'])
  expect(
    suspects(created({ id: 1, price: 'AfQ=' }), { before: { id: 1, price: 'BQ==' }, after: null, op: 'd' }),
  ).toEqual(['price'])
  expect(suspects(created({ amount: { scale: 2, value: 'D0JA' } }))).toEqual(['amount'])
  expect(suspects({ price: null }, { price: '__debezium_unavailable_value' }, { price: 'AfQ=' })).toEqual(['price'])
})

it('names the column that is written, whatever was parsed before', () => {
  expect(suspects(created({ id: 1, 'a\\': 'AfQ=' }))).toEqual(['a\\'])
  expect(suspects(created({ id: 1, 'a\n': 'AfQ=' }))).toEqual(['a\n'])
})

it('suspects no column that hold something else, or that a schema explains', () => {
  expect(suspects({ note: 'AfQ=' }, { note: 'a text' })).toEqual([])
  expect(suspects({ note: 'AfQ=' }, { note: 7 }, { note: '' })).toEqual([])
  expect(suspects({ word: 'open' }, { word: 'done' })).toEqual([])
  expect(suspects({ long: `${'A'.repeat(70)}==` })).toEqual([])
  expect(suspects({ schema: { type: 'struct' }, payload: created({ price: 'AfQ=' }) })).toEqual([])
  expect(suspects({ schema: null, payload: created({ price: 'AfQ=' }) })).toEqual(['price'])
  expect(suspects('no JSON', '[1]', '7', created('text'), { schema: null, payload: 3 })).toEqual([])
})

/** What a run makes of these records: the same items, and no sample beside. */
function fateOf(
  over: Partial<TopicConfig>,
  placed: readonly Placed[],
  divert: boolean,
): 'ends' | 'goes on' | 'ignored' {
  const shared = topicShared('')
  const topics = new StreamTopics([topicConfig(over)], shared, () => {})
  const topic = (name: string): MappedTopic => topics.find(name)
  const items = new BatchItems({ space: shared.space, clock: { now: () => 0 }, keepsRecords: divert, topic })
  const kinds: string[] = []
  try {
    for (const [partition, record] of placed) {
      const owned = new OwnedPartition({ topic: TOPIC, partition, offset: 0n }, topic(TOPIC).counts)
      owned.fetched(batchOf(partition, [record]), 0)
      for (const chunk of items.of(owned)) kinds.push(...chunk.map(({ kind }) => kind))
    }
  } catch (error) {
    if (error instanceof ConnectorError) return 'ends'
    throw error
  }
  if (!divert && kinds.includes('rejected')) return 'ends'
  return kinds.includes('record') || kinds.includes('rejected') ? 'goes on' : 'ignored'
}

it('agrees with a dry run of the same records: a stop is told exactly where that fails, and is all where each alone fails', () => {
  const seen = { good: 0, some: 0, all: 0 }
  const value = fc.constantFrom(
    '{"id":1,"type":"a"}',
    '{"id":2,"type":"b","deleted":true}',
    '{"id":null,"type":"a"}',
    '{"type":"a"}',
    '{"id":3,"type":7}',
    '{"id":4}',
    'no JSON',
    null,
  )
  const records = fc.array(fc.tuple(fc.nat(2), value, fc.constantFrom('1', null)), { minLength: 1, maxLength: 8 })
  const others = fc.constantFrom('stop', 'dead-letter', 'ignore')
  const route = fc.option(
    fc.record({ field: fc.constantFrom('type', 'typ'), others }).map(({ field, others }) => {
      const tables = [['a', topicConfig({ table: 'of_a' })] as const]
      return { by: { field: [field] }, tables, others, any: undefined } as unknown as TopicConfig['route']
    }),
    { nil: undefined },
  )
  const config = fc.record({
    keys: fc.constantFrom<TopicConfig['keys'][]>(
      { from: 'value', paths: [['id']] },
      { from: 'value', paths: [['ID']] },
      { from: 'key', field: 'id' },
      { from: 'offset', epoch: 0 },
    ),
    tombstones: fc.constantFrom<TopicConfig['tombstones'][]>('ignore', 'fail', 'dead-letter'),
    nullKeys: fc.constantFrom<TopicConfig['nullKeys'][]>('stop', 'dead-letter', 'offset'),
    route,
  })
  fc.assert(
    fc.property(config, records, fc.boolean(), (over, drawn, divert) => {
      const placed = drawn.map(([partition, value, key], at): Placed => [partition, recordOf(value, key, BigInt(at))])
      const { sample, texts } = sampled(over, placed)
      const isGood = fateOf(over, placed, divert) !== 'ends'
      expect(texts(divert).some((text) => text.startsWith('stream would stop at'))).toBe(!isGood)
      // what is ignored neither ends a run nor is stored
      const alone = placed.map((one) => fateOf(over, [one], divert)).filter((fate) => fate !== 'ignored')
      const isAll = alone.length >= 3 && alone.every((fate) => fate === 'ends')
      expect(sample.endsAtAny(divert)).toBe(isAll)
      seen[isGood ? 'good' : isAll ? 'all' : 'some']++
    }),
    { numRuns: 800 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10)
})

it('names what rows have in place of a misspelt key field', () => {
  const over: Partial<TopicConfig> = { keys: { from: 'value', paths: [['ID']] } }
  const rows = (...values: string[]): Placed[] => values.map((value, at) => [0, recordOf(value, '1', BigInt(at))])
  const [first] = told(over, rows('\uFEFF{"id":1,"type":3}', '{"type":1,"id":2}', '{"no":4}'))
  expect(first).toBe(
    'stream would stop at 3 of 3 sampled records, which cannot be stored; the first is in partition 0, offset 0: its key field "ID" is missing. It has "id", "type". Did you mean "id" in `keys`? Correct the options of the topic or its producer, or set dead_letters.',
  )
  expect(told(over, rows('x', '{"no":1}'))[0]).toMatch(/not JSON[^;]*\. Correct the options of/)
  expect(told(over, rows('{}', 'x'))[0]).toMatch(/"ID" is missing\. Correct the options of/)
})

it('names what all have in place of a misspelt route field or header, and only where none has it', () => {
  const routed = (by: object, others = 'stop'): Partial<TopicConfig> => {
    const tables = [['a', topicConfig({ table: 'of_a' })]]
    return { route: { by, tables, others, any: undefined } as unknown as TopicConfig['route'] }
  }
  const rows = (...values: object[]): Placed[] =>
    values.map((value, at) => [0, recordOf(JSON.stringify(value), '1', BigInt(at))])
  const placed = rows({ id: 1, type: 'a', at: 'secret' }, { type: 'a', id: 2 }, { id: 3, kind: 1, type: 'b' })
  const none = 'none of 3 sampled records has a text or whole number at'
  expect(told(routed({ field: ['typ'] }), placed)).toEqual([
    expect.stringMatching(
      /^stream would stop at 3 of 3 .* it has no text or whole number at "typ", which names its table\. It has "id", "type", "at"\. Did you mean "type"\? Correct `route\.by`, or write `others: dead-letter` or `others: ignore` in the route\.$/,
    ),
  ])
  for (const others of ['ignore', 'dead-letter'])
    expect(told(routed({ field: ['typ'] }, others), placed, true)).toContainEqual(
      `${none} "typ", which names its table; all have "id", "type". Did you mean "type"? Correct \`route.by\`.`,
    )
  // beside the step that is missing, and never the field itself
  const nested = placed.map(([at, { value }]): Placed => [at, recordOf(`{"data":${String(value)}}`)])
  expect(told(routed({ field: ['data', 'tyep'] }, 'ignore'), nested)).toContainEqual(
    `${none} "data.tyep", which names its table; all have "id", "type". Did you mean "type"? Correct \`route.by\`.`,
  )
  expect(told(routed({ field: ['dat', 'type'] }, 'ignore'), nested)[0]).toMatch(
    /; all have "data"\. Correct `route\.by`/,
  )
  expect(told(routed({ field: ['kind'] }, 'ignore'), rows({ kind: true }))[0]).toMatch(
    /; all have "kind"\. Correct `route\.by`/,
  )
  const headed = placed.map(([at, one]): Placed => [at, { ...one, headers: [['type', Buffer.from('a')]] }])
  expect(told(routed({ header: 'Typ' }, 'ignore'), headed)).toContainEqual(
    'none of 3 sampled records has a header "Typ", which names its table; all have "type". Did you mean "type"? Correct `route.by`.',
  )
  expect(told(routed({ field: ['type'] }, 'ignore'), [...placed, ...rows({ id: 4 })], false, 1)).toEqual([
    'its route has no table for "b" (1 record). Add those that are to be stored, or see others.',
  ])
})

it('tells of plain keys that are whole numbers and texts, and of binary ones, unless their type is given', () => {
  const keyed = (key: string | Buffer): Placed => [0, recordOf('{"v":1}', key)]
  const placed = [keyed('123'), keyed('A1'), keyed('12'), keyed(Buffer.alloc(8))]
  expect(told({ keys: { from: 'key', field: 'sku' } }, placed)).toEqual([
    expect.stringMatching(/^1 of 4 sampled records have a record key of 4 or 8 bytes that begins with 0/),
    expect.stringContaining(
      '2 of 4 sampled records have a record key that is a whole number, and 1 one that is a text',
    ),
  ])
  expect(told({ keys: { from: 'key', field: 'sku' } }, placed)[1]).toContain('keys: { key: "sku", type: text }')
  // longer ones are read as texts
  const long = [keyed('1'.repeat(LONGEST_INTEGER)), keyed('1'.repeat(LONGEST_INTEGER + 1))]
  expect(told({ keys: { from: 'key', field: 'sku' } }, long)).toEqual([
    expect.stringMatching(/^1 of 2 sampled records have a record key that is a whole number, and 1 one that is a text/),
  ])
  expect(told({ keys: { from: 'key', field: 'sku', type: 'text' } }, placed)).toEqual([])
})
