// A fetched batch as items: what every sequence of them keeps to, whatever is in the batch.

import { array, assert, bigInt, boolean, constantFrom, nat, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import { topicShared } from '../topics/topic-tables.ts'
import type { KafkaRecord } from '../types.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import type { SchemaId, ValueDecoder } from '../../registry/types.ts'
import { BatchItems } from './batch-items.ts'
import type { ReadBatch, ReadRecord } from './types.ts'
import { heldBy, offsetOf, recordOf as recordOfKept, type KeptRecord } from './kafka-origin.ts'
import { OwnedPartition } from './owned-partition.ts'
import { StreamTopics } from './stream-topics.ts'
import { rows } from './testing/delivery.ts'
import { batchOf, position } from './testing/partitions.ts'
import { recordOf, TOPIC, topicConfig } from './testing/topics.ts'
import { pointIn } from '../../mapping/testing/topic-rows.ts'

type Items = ReturnType<BatchItems['of']> extends Iterable<infer Chunk> ? Chunk : never

/** Batches of one partition, as they are to be read. */
function opened(over: Partial<TopicConfig>, keepsRecords: boolean, ...batches: readonly ReadBatch[]) {
  return openedAt({ now: () => 0 }, over, keepsRecords, ...batches)
}

function openedAt(
  clock: { now(): number },
  over: Partial<TopicConfig>,
  keepsRecords: boolean,
  ...batches: readonly ReadBatch[]
) {
  const shared = topicShared('', new MapperSpace())
  const topics = new StreamTopics([topicConfig({ topic: { name: TOPIC }, ...over })], shared)
  const items = new BatchItems({ space: shared.space, clock, keepsRecords, topic: (name) => topics.find(name) })
  const { counts } = topics.find(TOPIC)
  const partition = new OwnedPartition(position(0, 0n), counts, over.valueEncoding === 'registry')
  for (const batch of batches) partition.fetched(batch, 0)

  /** They are views of what is used again. */
  const told = (chunk: Items): string[] =>
    chunk.map((item) => {
      if (item.kind === 'checkpoint') {
        expect([item.scope, item.checkpoint.partition]).toEqual([partition.track, partition])
        return `go on at ${item.checkpoint.next}`
      }
      if (item.kind === 'closed') throw new Error('nothing closes here')
      expect([item.track, item.held]).toEqual([partition.track, heldBy(item.origin)])
      expect(typeof item.origin).toBe(keepsRecords ? 'object' : 'bigint')
      const offset = offsetOf(item.origin)
      if (item.kind === 'rejected') return `rejected ${offset}`
      return `${offset} ${pointIn(item).point}`
    })
  /** What is left of the first batch, up to what it throws. */
  const rest = (): { chunks: string[][]; thrown?: unknown } => {
    const chunks: string[][] = []
    try {
      for (const chunk of items.of(partition)) chunks.push(told(chunk))
    } catch (thrown) {
      return { chunks, thrown }
    }
    return { chunks }
  }
  return { items, space: shared.space, partition, counts, told, rest }
}

type Planned = 'row' | 'broken' | 'tombstone'

function planned(plan: readonly Planned[], gaps: readonly number[] = []): KafkaRecord[] {
  let offset = -1n
  return plan.map((what, index) => {
    offset += 1n + BigInt(gaps[index] ?? 0)
    const value = what === 'row' ? `{"id":${offset}}` : what === 'broken' ? '{"id":' : null
    return recordOf(value, null, offset)
  })
}

/** The chunks of such records, by the rules alone. */
function expected(records: readonly KafkaRecord[], next: bigint, keepsRecords: boolean): string[][] {
  const chunks: string[][] = []
  for (let from = 0; from === 0 || from < records.length; from += 500) {
    const chunk = records.slice(from, from + 500).flatMap(({ value, offset }, index) => {
      const told = index > 0 && index % 100 === 0 ? [`go on at ${offset}`] : []
      if (value === null) return told
      if (value.at(-1) === 0x7d) told.push(`${offset} {"keys":["id"],"id":${offset}}`)
      else told.push(...(keepsRecords ? [] : [`go on at ${offset}`]), `rejected ${offset}`)
      return told
    })
    chunks.push([...chunk, `go on at ${records[from + 500]?.offset ?? next}`])
  }
  return chunks
}

describe('a batch', () => {
  it('has all its records in order, a place to go on behind every 100, and before each that may end the run', () => {
    const anyBatch = record({
      plan: array(constantFrom<Planned>('row', 'row', 'row', 'broken', 'tombstone'), { maxLength: 1600, size: 'max' }),
      gaps: array(nat(3), { maxLength: 1600, size: 'max' }),
      markers: bigInt({ min: 0n, max: 5n }),
      keepsRecords: boolean(),
    })
    const rowsAlone = (
      count: number,
    ): [{ plan: Planned[]; gaps: number[]; markers: bigint; keepsRecords: boolean }] => [
      { plan: Array<Planned>(count).fill('row'), gaps: [], markers: 5n, keepsRecords: false },
    ]
    assert(
      property(anyBatch, ({ plan, gaps, markers, keepsRecords }) => {
        const records = planned(plan, gaps)
        const next = (records.at(-1)?.offset ?? -1n) + 1n + markers
        const batch = batchOf(0, records, next)
        const { rest, partition, counts } = opened({}, keepsRecords, batch)
        expect(rest()).toEqual({ chunks: expected(records, next, keepsRecords) })
        expect(counts).toEqual({ records: records.length, written: 0, rejected: 0 })
        partition.dropTaken()
        expect(partition.batches).toEqual([])
      }),
      { numRuns: 40, endOnFailure: true, examples: [0, 1, 499, 500, 501, 999, 1000, 1001].map(rowsAlone) },
    )
  })

  it('takes fewer at once where schemas make much of little', () => {
    const decoder: ValueDecoder = {
      type: 'AVRO',
      decode: (bytes) => ({ json: Buffer.from(`{"id":${bytes[5]},"x":"${'x'.repeat(2 ** 20)}"}`) }),
    }
    const records = Array.from({ length: 10 }, (_, at) => recordOf(Buffer.from([0, 0, 0, 0, 1, at]), null, BigInt(at)))
    const batch: ReadBatch = { ...batchOf(0, records), schemas: new Map<SchemaId, ValueDecoder>([[1, decoder]]) }
    const { rest, partition, counts } = opened({ valueEncoding: 'registry' }, true, batch)
    const { chunks } = rest()
    expect(chunks.map((chunk) => [chunk.length - 1, chunk.at(-1)])).toEqual([
      [4, 'go on at 4'],
      [4, 'go on at 8'],
      [2, 'go on at 10'],
    ])
    expect(counts.records).toBe(10)
    partition.dropTaken()
    expect(partition.batches).toEqual([])
  })

  it.each(['read', 'not read'])('takes no more time than 25 ms at once, its values being %s', (how) => {
    let now = 0
    const decoder: ValueDecoder = {
      type: 'AVRO',
      decode: (bytes) => {
        now += 10
        return how === 'read' ? { json: Buffer.from(`{"id":${bytes[5]}}`) } : { problem: 'is none' }
      },
    }
    const records = Array.from({ length: 8 }, (_, at) => recordOf(Buffer.from([0, 0, 0, 0, 1, at]), null, BigInt(at)))
    const batch: ReadBatch = { ...batchOf(0, records), schemas: new Map<SchemaId, ValueDecoder>([[1, decoder]]) }
    const { rest, counts } = openedAt({ now: () => now }, { valueEncoding: 'registry' }, true, batch)
    expect(rest().chunks.map((chunk) => chunk.at(-1))).toEqual(['go on at 3', 'go on at 6', 'go on at 8'])
    expect(counts.records).toBe(8)
  })

  it('looks at the time after some records, and after a large one', () => {
    let now = 0
    const clock = { now: () => (now += 20) }
    const large = `{"id":1,"x":"${'x'.repeat(70_000)}"}`
    const records = Array.from({ length: 64 }, (_, at) => recordOf(at < 6 ? large : '{"id":1}', null, BigInt(at)))
    const { rest } = openedAt(clock, {}, false, batchOf(0, records))
    expect(rest().chunks.map((chunk) => chunk.at(-1))).toEqual([
      'go on at 2',
      'go on at 4',
      'go on at 6',
      'go on at 38',
      'go on at 64',
    ])
  })

  it('that is left in between goes on where it was, records counted once', () => {
    const records = planned(Array<Planned>(1200).fill('row'))
    const { items, partition, counts, told, rest } = opened({}, false, batchOf(0, records))
    const first: string[][] = []
    for (const chunk of items.of(partition)) {
      first.push(told(chunk))
      break
    }
    partition.dropTaken()
    expect([partition.taken, partition.batches.length, counts.records]).toEqual([500, 1, 500])
    expect([...first, ...rest().chunks]).toEqual(expected(records, 1200n, false))
    expect(counts.records).toBe(1200)
  })

  it('fills the same slots and the same space for every chunk', () => {
    const batches = [0, 1000, 2000].map((from) => batchOf(0, rows(from, from + 1000)))
    const { items, space, partition } = opened({ keys: { from: 'offset', epoch: 0 } }, false, ...batches)
    // for the heads of one chunk, not of two
    space.reserve(100_000)
    const { bytes } = space
    const firsts: unknown[] = []
    while (partition.batches.length > 0) {
      for (const chunk of items.of(partition)) firsts.push(chunk[0])
      partition.dropTaken()
    }
    expect(firsts).toHaveLength(6)
    expect(new Set(firsts).size).toBe(1)
    expect([space.bytes === bytes, space.at > 0]).toEqual([true, true])
  })
})

describe('a stop by policy', () => {
  it.each([0, 1, 250, 499, 500, 501, 700, 999])('at record %i: all before it, and right before it the place', (at) => {
    const plan = Array<Planned>(1000).fill('row')
    plan[3] = 'broken'
    plan[at] = 'tombstone'
    const records = planned(plan, [2, 1])
    const { offset } = records[at]!
    const { rest, partition, counts } = opened({ tombstones: 'fail' }, false, batchOf(0, records))
    const { chunks, thrown } = rest()
    const before = expected(records.slice(0, at), offset, false)
    // a chunk of its own where it is the first
    const whole = at > 0 && at % 500 === 0 ? [...before, [`go on at ${offset}`]] : before
    expect(chunks).toEqual(whole)
    expect(thrown).toBeInstanceOf(ConnectorError)
    expect((thrown as ConnectorError).message).toContain(`partition 0, offset ${offset}: `)
    partition.dropTaken()
    expect([partition.taken, partition.batches.length, counts.records]).toEqual([at, 1, at])
    expect(rest()).toEqual({ chunks: [[`go on at ${offset}`]], thrown })
  })

  it('behind the batch: all of it, the place to go on, then the error', () => {
    const error = new ConnectorError('config', 'program.fault', 'a batch no one can read')
    const records = planned(Array<Planned>(501).fill('row'))
    const { rest, partition } = opened({}, false, { ...batchOf(0, records, 510n), error })
    expect(rest()).toEqual({ chunks: expected(records, 510n, false), thrown: error })
    expect(partition.taken).toBe(502)
    const empty = opened({}, false, { ...batchOf(0, [], 4n), error })
    expect(empty.rest()).toEqual({ chunks: [['go on at 4']], thrown: error })
  })
})

describe('encoded records', () => {
  const by = (id: number, text: string): Buffer => Buffer.from([0, 0, 0, 0, id, ...Buffer.from(text)])
  const making = (json: string): ValueDecoder => ({ type: 'AVRO', decode: () => ({ json: Buffer.from(json) }) })
  const encoded: Partial<TopicConfig> = { valueEncoding: 'registry' }
  const record = recordOf(by(1, '…'), null, 0n)

  it('are read by the schemas of their own batch', () => {
    const one: ReadBatch = { ...batchOf(0, [record]), schemas: new Map([[1, making('{"id":1}')]]) }
    const two: ReadBatch = { ...batchOf(0, [record]), schemas: new Map([[1, making('{"id":2}')]]) }
    const { rest, partition } = opened(encoded, false, one, two)
    expect(rest().chunks).toEqual([['0 {"keys":["id"],"id":1}', 'go on at 1']])
    partition.dropTaken()
    expect(rest().chunks).toEqual([['0 {"keys":["id"],"id":2}', 'go on at 1']])
  })

  it('that cannot be read are rejected as they are, and counted', () => {
    const schemas = new Map<SchemaId, ValueDecoder | { problem: string }>([
      [1, making('{"id":1}')],
      [2, { problem: 'is not known' }],
    ])
    const records = [record, recordOf(by(2, 'secret'), 'k', 1n), recordOf('{"id":3}', null, 2n)]
    const { items, partition, counts } = opened(encoded, true, { ...batchOf(0, records), schemas })
    const rejected = Array.from(items.of(partition), (chunk) => chunk.filter((item) => item.kind === 'rejected')).flat()
    expect(rejected.map(({ reason }) => reason)).toEqual([
      'the schema 2 of its value is not known',
      expect.stringMatching(/^its value begins with 0x7b/),
    ])
    expect(rejected.map(({ table }) => table!.name)).toEqual(['orders', 'orders'])
    expect(rejected.map(({ origin }) => recordOfKept(origin as KeptRecord))).toEqual(records.slice(1))
    expect(counts.records).toBe(3)
  })
})

it('a dead letter is a record of where it was first read, in the partition it is read from', () => {
  const from = { topic: TOPIC, partition: 4 }
  const letter: ReadRecord = { ...recordOf('{"id":1}', null, 90n), from }
  const letters = { ...batchOf(0, []), records: [letter], next: 8n }
  const { items, partition } = opened({ keys: { from: 'offset', epoch: 2 } }, true, letters)
  const [chunk] = Array.from(items.of(partition), (items) => [...items])
  const [item, last] = chunk!
  if (item?.kind !== 'record' || last?.kind !== 'checkpoint') throw new Error('a record and where to go on')
  expect(item.track).toBe(partition.track)
  expect(item.origin).toMatchObject({ offset: 90n, from })
  expect(JSON.parse(pointIn(item).point)).toMatchObject({
    _kafka_partition: 4,
    _kafka_offset: 90,
    _kafka_epoch: 2,
    id: 1,
  })
  expect(last.checkpoint.next).toBe(8n)
})

it('dead letters have their places to go on where they lie, not where their records were first', () => {
  const from = { topic: TOPIC, partition: 4 }
  const letter = (at: number): ReadRecord => ({
    ...recordOf('{"id":1}', null, BigInt(9000 - at)),
    from,
    letterOffset: BigInt(at),
  })
  const letters = { ...batchOf(0, []), records: Array.from({ length: 250 }, (_, at) => letter(at)), next: 250n }
  const { items, partition } = opened({}, true, letters)
  const places = [...items.of(partition)].flatMap((chunk) =>
    chunk.flatMap((item) => (item.kind === 'checkpoint' ? item.checkpoint.next : [])),
  )
  expect(places).toEqual([100n, 200n, 250n])
})
