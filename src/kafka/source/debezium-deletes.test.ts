// Deletes of Debezium, as records of their own, as tombstones, or both, in any order: what a table holds at the end against a model that
// knows only the log, over fetches, restarts and what a topic's cleaner took out.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import { Provenance, type ProvenanceColumn } from '../../mapping/provenance.ts'
import { topicShared } from '../topics/topic-tables.ts'
import { pointIn } from '../../mapping/testing/topic-rows.ts'
import type { KafkaRecord } from '../types.ts'
import { BatchItems } from './batch-items.ts'
import { offsetOf } from './kafka-origin.ts'
import { OwnedPartition } from './owned-partition.ts'
import { StreamTopics } from './stream-topics.ts'
import { batchOf, position } from './testing/partitions.ts'
import { recordOf, TOPIC, topicConfig } from './testing/topics.ts'
import type { ReadRecord } from './types.ts'

/** live: a change. delete: a record of its own. letter: the same, and nobody can read it. other: of no row. */
type Kind = 'live' | 'delete' | 'tombstone' | 'null payload' | 'letter' | 'other'

interface Logged {
  readonly kind: Kind
  readonly id: number
  readonly offset: bigint
}

interface Form {
  readonly isFlat: boolean
  /** As Connect's converter writes it, the key field a decimal in base64; or else a number without one. */
  readonly hasSchema: boolean
}

/** Of a row, as the table has it. */
const spelt = (id: number, { hasSchema }: Form): string => (hasSchema ? `"${id}.0${id}"` : `${id}`)

/** 101 is "AGU=". */
function inLog(id: number, { hasSchema }: Form): string {
  if (!hasSchema) return `${id}`
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(101 * id)
  return `"${bytes.toString('base64')}"`
}

const DECIMAL =
  '{"field":"id","type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"}}'
const ROW = `{"type":"struct","fields":[${DECIMAL}]}`
const CHANGE = `{"type":"struct","fields":[${['before', 'after'].map((name) => ROW.replace('{', `{"field":"${name}",`)).join(',')}]}`

function wrapped(payload: string, schema: string, { hasSchema }: Form): string {
  return hasSchema ? `{"schema":${schema},"payload":${payload}}` : payload
}

function recordIn({ kind, id, offset }: Logged, form: Form): KafkaRecord {
  const { isFlat } = form
  const name = `"id":${inLog(id, form)}`
  const key = kind === 'other' ? null : wrapped(`{${name}}`, ROW, form)
  const change = (op: string, before: string, after: string): string =>
    wrapped(`{"op":"${op}","before":${before},"after":${after},"source":{"table":"t"}}`, CHANGE, form)
  const value = {
    live: () =>
      isFlat ? wrapped(`{${name},"at":${offset}}`, ROW, form) : change('u', 'null', `{${name},"at":${offset}}`),
    delete: () => (isFlat ? wrapped(`{${name},"__deleted":"true"}`, ROW, form) : change('d', `{${name}}`, 'null')),
    tombstone: () => null,
    'null payload': () => '{"schema":null,"payload":null}',
    letter: () => (isFlat ? wrapped(`{${name},"__deleted":"odd"}`, ROW, form) : change('d', '5', 'null')),
    other: () => '{"status":"BEGIN","id":"1","event_count":1}',
  }[kind]()
  return recordOf(value, key, offset)
}

function copyOf(record: KafkaRecord): KafkaRecord {
  const { key, value } = record
  return { ...record, key: key && Buffer.from(key), value: value && Buffer.from(value) }
}

/** One process, from where it begins: batches as they are fetched. */
function readBy(batches: readonly (readonly KafkaRecord[])[], over: Partial<TopicConfig>, column: boolean) {
  const columns: readonly ProvenanceColumn[] = column ? ['_kafka_offset'] : []
  const space = new MapperSpace(new Provenance('run', () => 0))
  const topics = new StreamTopics([topicConfig(over)], topicShared('', space, undefined, columns))
  const items = new BatchItems({
    space,
    clock: { now: () => 0 },
    keepsRecords: false,
    topic: (name) => topics.find(name),
  })
  const partition = new OwnedPartition(position(0, 0n), topics.find(TOPIC).counts)
  const points: (readonly [offset: bigint, row: string])[] = []
  const rejected: bigint[] = []
  for (const records of batches.filter(({ length }) => length > 0)) {
    // what is fetched lies in memory that is used again
    const fetched = records.map(copyOf)
    partition.fetched(batchOf(0, fetched), 0)
    for (const chunk of items.of(partition)) {
      for (const item of chunk) {
        if (item.kind === 'rejected') rejected.push(offsetOf(item.origin))
        if (item.kind !== 'record') continue
        points.push([offsetOf(item.origin), pointIn(item).point])
      }
    }
    partition.dropTaken()
    for (const { key } of fetched) key?.fill(0)
  }
  return { points, rejected, ignored: Object.fromEntries(topics.find(TOPIC).mapper.ignored) }
}

const kinds = fc.constantFrom<Kind>(
  'live',
  'live',
  'delete',
  'tombstone',
  'tombstone',
  'null payload',
  'letter',
  'other',
)
const logs = fc
  .array(
    fc.record({
      kind: kinds,
      id: fc.integer({ min: 1, max: 3 }),
      gap: fc.nat(2),
      echo: fc.boolean(),
      cleaned: fc.nat(9),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((plan) => {
    let offset = 0n
    const all: (Logged & { readonly cleaned: number })[] = []
    for (const { kind, id, gap, echo, cleaned } of plan) {
      offset += BigInt(1 + gap)
      all.push({ kind, id, offset, cleaned })
      if (kind === 'delete' && echo) all.push({ kind: 'tombstone', id, offset: ++offset, cleaned: 0 })
    }
    // the cleaner takes what has a newer record of its key
    return all.filter(
      ({ kind, id, cleaned }, at) =>
        kind === 'other' ||
        cleaned < 5 ||
        !all.slice(at + 1).some((other) => other.kind !== 'other' && other.id === id),
    )
  })

/** Which records of one run are points: a tombstone is none only right behind the mark of the same row. */
function pointsOf(log: readonly Logged[]): Logged[] {
  const points: Logged[] = []
  log.forEach((one, at) => {
    const before = log[at - 1]
    const isTombstone = one.kind === 'tombstone' || one.kind === 'null payload'
    const isEcho = isTombstone && before?.id === one.id && before === points.at(-1) && before.kind !== 'live'
    if (one.kind === 'live' || one.kind === 'delete' || (isTombstone && !isEcho)) points.push(one)
  })
  return points
}

it('ends where the log ends, and sends nothing twice', () => {
  const forms = fc.record({ isFlat: fc.boolean(), hasSchema: fc.boolean() })
  const keys = fc.constantFrom<TopicConfig['keys']>(
    { from: 'value', paths: [['id']] },
    { from: 'key', field: undefined },
  )
  const cut = fc.array(fc.nat(40), { maxLength: 6 })
  const run = fc.record({ from: fc.nat(40), to: fc.nat(40) })
  fc.assert(
    fc.property(
      logs,
      forms,
      keys,
      fc.boolean(),
      fc.boolean(),
      cut,
      fc.array(run, { maxLength: 3 }),
      (log, form, keys, keepLast, column, cuts, runs) => {
        const over = { format: 'debezium', keys, keepLast, unavailable: 'null' } as const
        const rows = new Map<number, string>()
        // each begins at what the one before committed, or before it
        let done = 0
        for (const { from, to } of [...runs, { from: 40, to: 40 }]) {
          const begin = Math.min(from, done)
          const end = to === 40 ? log.length : Math.min(Math.max(to, done), log.length)
          done = end
          const own = log.slice(begin, end)
          const ends = [...new Set([0, ...cuts, own.length])].filter((at) => at <= own.length).toSorted((a, b) => a - b)
          const batches = ends.slice(1).map((at, index) => own.slice(ends[index], at).map((one) => recordIn(one, form)))
          const { points, rejected } = readBy(batches, over, column)
          expect(rejected).toEqual(own.filter(({ kind }) => kind === 'letter').map(({ offset }) => offset))
          const expected = pointsOf(own)
          expect(points.map(([offset]) => offset)).toEqual(expected.map(({ offset }) => offset))
          points.forEach(([offset, text], at) => {
            const { kind, id } = expected[at]!
            const place = column ? `"_kafka_offset":${offset},` : ''
            const data = `"id":${spelt(id, form)},`
            const rest = kind === 'live' ? `${place}${data}"at":${offset}` : `${place}${data}"__deleted":true`
            expect(sorted(text)).toBe(sorted(`{"keys":["id"],${rest}}`))
            rows.set(id, kind)
          })
        }
        // of each row the last record says whether it is there, unless that is a letter
        for (const [id, kind] of rows) {
          const last = log.findLast((one) => one.id === id && one.kind !== 'other' && one.kind !== 'letter')
          expect(kind === 'live').toBe(last!.kind === 'live')
        }
      },
    ),
    { numRuns: 3000 },
  )
})

it('is a delete of its own among letters, which stand side by side by chance', () => {
  const letters = ['{"id":1,"__deleted":true}', null].map((value, at): ReadRecord => {
    const from = { topic: TOPIC, partition: at }
    return Object.assign(recordOf(value, '{"id":1}', 7n), { from, letterOffset: BigInt(at) })
  })
  const { points } = readBy([letters], { format: 'debezium' }, false)
  const mark = '{"keys":["id"],"id":1,"__deleted":true}'
  expect(points).toEqual([
    [7n, mark],
    [7n, mark],
  ])
})

function sorted(json: string): string {
  return JSON.stringify(Object.entries(JSON.parse(json) as object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
