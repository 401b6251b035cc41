// What two snapshots tell that one does not, and that everything is where it belongs.

import { beforeEach, describe, expect, it } from 'vitest'
import { FixedPermits } from '../../core/concurrency/fixed-permits.ts'
import { Tally } from '../../core/tally.ts'
import type { Outcome } from '../../core/types.ts'
import { StreamTopics, type SettledCounts } from './stream-topics.ts'
import { FetchedAhead } from './fetched-ahead.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import { rows } from './testing/delivery.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'
import { plainPattern } from '../../config/stream/testing/plain-pattern.ts'
import { recordOf, TOPIC, topicConfig } from './testing/topics.ts'
import { topicShared } from '../../kafka/topics/topic-tables.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import { emptySlot } from '../../mapping/stream-mapping.ts'
import { OutageWatch } from '../../telemetry/outage-watch.ts'
import { RejectCounts } from '../../rejects/reject-counts.ts'
import type { BrokerDown } from '../../run/run-facts.ts'
import { WatchedTransport } from '../../telemetry/watched-transport.ts'
import { progressEntry } from '../../telemetry/run-entries.ts'
import { RunFactsSource } from '../../run/facts-source.ts'
import { StreamGroup } from './stream-group.ts'
import { CountedTopics } from './counted-topics.ts'

const ENGINE = {
  outstanding: 3,
  settled: 10,
  bufferedBytes: 700,
  heldCheckpoints: 1,
  inFlight: 2,
  retrying: 1,
  guarded: 4,
}
const FAILED: Outcome = {
  status: 'retry',
  cause: 'server',
  ambiguous: false,
  congestion: true,
  reason: 'it answered 503',
  why: { words: '503 Service Unavailable' },
}

function outageOf(clock: { now(): number }): OutageWatch {
  return new OutageWatch({ who: 'It', place: 'a:1', patience: '', clock, log: async () => {} })
}

function opened() {
  const now = { ms: 1000 }
  const clock = { now: () => now.ms, wait: () => Promise.resolve(), random: () => 0 }
  const group = { generation: undefined as string | undefined, member: false, end: undefined as bigint | undefined }
  const membership = {
    get generation() {
      return group.generation
    },
    isMember: () => group.member,
    end: () => group.end,
    run: () => Promise.resolve(),
    halt: () => {},
    hasLeft: false,
  }
  const { source } = sourceOf()
  const entries = ['b', 'a', 'c'].map((name) =>
    topicConfig({ topic: { name }, table: name === 'c' ? 'alone' : 'shared', sharedTable: true }),
  )
  const own = topicConfig({ topic: { name: 'events' }, table: undefined })
  const any = { matching: plainPattern('made'), most: 1 }
  const route = { by: { field: ['type'] }, tables: new Map([['order', own]]), any, others: 'ignore' } as const
  const topics = new StreamTopics([...entries, { ...own, route }], topicShared('', new MapperSpace()))
  const tally = new Tally()
  const transport = new WatchedTransport({
    transport: { send: () => Promise.resolve(FAILED) },
    clock,
    outage: outageOf(clock),
    mayBegin: () => true,
  })
  const outages = { registry: outageOf(clock), brokers: { down: [] as BrokerDown[] } }
  const counts = new RejectCounts()
  const policy = { counts, failures: 0 }
  const permits = new FixedPermits({ limit: 5 })
  const ahead = new FetchedAhead()
  const times = { leftMs: 0, commitEveryMs: 1000, stallDeadlineMs: 1000 }
  const member = new StreamGroup({ ...outages, ...times, clock, source, membership, policy, ahead })
  const of = (rows: CountedTopics): RunFactsSource =>
    new RunFactsSource(
      {
        input: { rows, group: member, rejectCounts: counts, rejectsPlace: undefined },
        outages: [],
        tally,
        permits,
        transport,
      },
      now.ms,
    )
  const replayed = (letters: SettledCounts): RunFactsSource => of(new CountedTopics({ topics, policy, ahead, letters }))
  const rows = new CountedTopics({ topics, policy, ahead })
  const facts = of(rows)
  const take = () => {
    const all = facts.take(now.ms)
    return { ...all, group: all.group!, stopping: false, failed: undefined }
  }
  return { now, outages, group, policy, source, topics, tally, transport, counts, rows, facts: { take }, replayed }
}

let given: ReturnType<typeof opened>
beforeEach(() => {
  given = opened()
})

describe('the group', () => {
  it('is told with brokers and a registry that do not answer', () => {
    const { outages, facts } = given
    expect(facts.take().group).toMatchObject({ brokersDown: [], schemasCause: undefined })
    outages.brokers.down.push({ place: 'b:1', since: 7, cause: 'timeout' })
    outages.registry.failed({ words: 'connection refused' })
    expect(facts.take().group).toMatchObject({
      brokersDown: [{ place: 'b:1', since: 7, cause: 'timeout' }],
      schemasCause: 'connection refused',
    })
  })

  it('is joined with a generation that counts on this member, and since when that changed', () => {
    const { now, group, facts } = given
    const joinedAt = (ms: number): [boolean, number] => {
      now.ms = ms
      const { joined, since } = facts.take().group
      return [joined, since]
    }
    expect(joinedAt(1100)).toEqual([false, 1000])
    group.member = true
    expect(joinedAt(1200)).toEqual([false, 1000])
    group.generation = '7'
    expect(joinedAt(1300)).toEqual([true, 1300])
    group.generation = '8'
    expect(joinedAt(1400)).toEqual([true, 1300])
    expect(facts.take().group.generation).toBe('8')
    group.member = false
    expect(joinedAt(1500)).toEqual([false, 1500])
    expect(joinedAt(1600)).toEqual([false, 1500])
  })

  it('has the partitions of now: how far behind, what is not settled, whether they are held', () => {
    const { group, source, facts } = given
    source.assigned([position(0, 5n), position(1, 0n), position(2, 0n)])
    source.batch(batchOf(0, rows(5, 9), 12n))
    const [first, second, third] = source.partitions
    first!.settle(7n, 2, 0, 2)
    second!.isHeld = true
    third!.pauseReason = 'schemas'
    third!.fetched({ ...batchOf(2, rows(0, 1), 1n), schemas: 'awaited' }, 1000)
    const told = { topic: TOPIC, lag: undefined, committedAt: undefined, held: undefined }
    expect(facts.take().group).toMatchObject({ rebalances: 1, schemasSince: undefined })
    expect(facts.take().group.partitions).toEqual([
      { ...told, partition: 0 },
      { ...told, partition: 1, held: 'fetched_ahead' },
      { ...told, partition: 2, held: 'schemas' },
    ])
    group.end = 33n
    expect(facts.take().group.partitions.map(({ lag }) => lag)).toEqual([26n, 33n, 33n])
    // what is settled may be beyond the end that was last seen
    group.end = 6n
    expect(facts.take().group.partitions.map(({ lag }) => lag)).toEqual([0n, 6n, 6n])
    source.lost()
    source.assigned([position(1, 4n)])
    source.partitions[0]!.committed(4n, 1_700_000_000_000)
    source.commits.taken = 3
    source.commits.failed = 1
    expect(facts.take().group).toMatchObject({
      commits: { taken: 3, failed: 1 },
      rebalances: 2,
      partitions: [{ ...told, partition: 1, lag: 2n, committedAt: 1_700_000_000_000 }],
    })
  })
})

describe('the delivery', () => {
  it('is that of the engine, the transport and what was fetched first', async () => {
    const { now, source, tally, transport, policy, facts } = given
    tally.engine = () => ENGINE
    policy.failures = 6
    now.ms = 2000
    await transport.send({ table: 'a', body: Buffer.from('[]'), points: 1 }, new AbortController().signal)
    transport.pausedUntil = 4000
    transport.throttledSince = 3000
    source.assigned([position(0, 0n)])
    source.batch(batchOf(0, rows(0, 1)))
    expect(facts.take().delivery).toMatchObject({
      outstanding: 3,
      heldCheckpoints: 1,
      bufferedBytes: 700,
      inFlight: 2,
      permits: 5,
      retrying: 1,
      guarded: 4,
      pausedUntil: 4000,
      failingSince: 2000,
      failingCause: '503 Service Unavailable',
      throttledSince: 3000,
    })
    expect(facts.take().group).toMatchObject({ oldestAt: 0, deadLetterFailures: 6 })
    const [, , failed] = facts.take().delivery.durations
    expect([failed!.result, failed!.counts[0]]).toEqual(['failed', 1])
  })

  it('last settled something when that grew, or when there was nothing to settle', () => {
    const { now, tally, facts } = given
    const settledAt = (ms: number, outstanding: number, settled: number): number => {
      now.ms = ms
      tally.engine = () => ({ ...ENGINE, outstanding, settled })
      return facts.take().delivery.settledAt
    }
    expect(settledAt(1100, 3, 0)).toBe(1000)
    expect(settledAt(1200, 3, 1)).toBe(1200)
    expect(settledAt(1300, 9, 1)).toBe(1200)
    expect(settledAt(1400, 0, 1)).toBe(1400)
    expect(settledAt(1500, 0, 1)).toBe(1500)
    expect(settledAt(1600, 1, 1)).toBe(1500)
    expect(settledAt(1700, 5, 8)).toBe(1700)
  })
})

describe('topics and tables', () => {
  it('are those met so far: topics by name, and a table once that some of them share', () => {
    const { topics, facts } = given
    expect([facts.take().rows, facts.take().tables]).toEqual([[], []])
    for (const name of ['c', 'b', 'a']) topics.find(name)
    const { rows: told, tables } = facts.take()
    expect(told.map(({ name, table }) => [name, table])).toEqual([
      ['a', 'shared'],
      ['b', 'shared'],
      ['c', 'alone'],
    ])
    expect(tables.map(({ table }) => table)).toEqual(['shared', 'alone'])
  })

  it('have their counts, what was ignored of any kind together, and dead letters by whose rule', () => {
    const { topics, tally, counts, facts } = given
    const { mapper, counts: own } = topics.find('a')
    topics.find('b')
    Object.assign(own, { records: 9, written: 5, rejected: 2 })
    const slot = emptySlot<KafkaOrigin>(0n)
    for (const offset of [0n, 1n]) mapper.map(recordOf(null, null, offset), { name: 'a' }, 0, offset, 0, slot)
    mapper.ignored.set('messages of another kind', 5)
    const request = { table: 'shared', points: 4, body: Buffer.from('[1234]') }
    tally.attempted({ table: mapper.table!, request }, { status: 'delivered' })
    const letter = { track: { name: 'a' }, reason: 'no', origin: 0n, superseded: 1, supersededAt: [] }
    for (const one of [letter, ...Array.from({ length: 3 }, () => ({ ...letter, key: 1 }))])
      counts.kept(one, { name: 'a', place: '', reason: 'no' })
    const { rows: told, tables } = facts.take()
    const pauses = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }
    const none = { records: 0, written: 0, rejected: 0, ignored: 0 }
    const ofTable = { rows: 4, bytes: 6, retries: 0 }
    expect(told).toEqual([
      {
        name: 'a',
        table: 'shared',
        scope: 'a',
        counts: { records: 9, written: 5, rejected: 2, ignored: 7, ...ofTable },
        deadLetters: { rejected: 1, refused: 3 },
        pauses,
      },
      { name: 'b', table: 'shared', scope: 'b', counts: none, deadLetters: { rejected: 0, refused: 0 }, pauses },
    ])
    const retries = { throttled: 0, server: 0, network: 0, timeout: 0 }
    expect(tables).toEqual([{ table: 'shared', requests: 1, rows: 4, bytes: 6, attempts: 1, retries }])
  })

  it('has a row for each table of a topic with several, and one for records without a table', () => {
    const { facts, rows, topics } = given
    const { mapper, counts } = topics.find('events')
    const told = () =>
      facts
        .take()
        .rows.map(({ table, isPart, counts }) => [
          table,
          isPart ?? false,
          counts.records,
          counts.written,
          counts.rejected,
          counts.ignored,
        ])
    expect(told()).toEqual([
      [undefined, false, 0, 0, 0, 0],
      ['order', true, 0, 0, 0, undefined],
    ])
    for (const type of ['order', 'made', 'other', 'order']) {
      mapper.map(recordOf(`{"id":1,"type":"${type}"}`), { name: 'events' }, 0, 0n, 0, emptySlot(0n))
      counts.records++
    }
    const [order, made] = mapper.route!.counts.values()
    Object.assign(order!, { written: 1, rejected: 1 })
    made!.written = 1
    rows.counted('events')
    expect(told()).toEqual([
      [undefined, false, 1, 0, 0, 1],
      ['order', true, 2, 1, 1, undefined],
      ['made', true, 1, 1, 0, undefined],
    ])
    expect(facts.take().total.counts).toMatchObject({ records: 4, written: 2, rejected: 1, ignored: 1 })
  })

  it('are looked at again when something of them was counted: there may be thousands', () => {
    const { topics, tally, rows, facts } = given
    const { mapper, counts } = topics.find('c')
    topics.find('a')
    const before = facts.take()
    expect(facts.take().rows).toBe(before.rows)
    counts.records = 10
    rows.counted('c')
    const after = facts.take()
    expect(after.rows.map(({ counts }) => counts.records)).toEqual([0, 10])
    expect([after.rows[0], before.rows[1]!.counts.records]).toEqual([before.rows[0], 0])
    const request = { table: 'alone', points: 4, body: Buffer.from('[1234]') }
    tally.attempted({ table: mapper.table!, request }, { status: 'delivered' })
    expect(facts.take().rows[1]!.counts).toMatchObject({ records: 10, rows: 4 })
  })
})

it('of dead letters that are replayed it counts what became of all, also of those rejected again', () => {
  const { replayed, now, topics } = given
  topics.find('a').counts.records = 3
  const letters = { records: 3, written: 1, rejected: 2 }
  const facts = { ...replayed(letters).take(now.ms), stopping: false, failed: undefined }
  expect(facts.total.counts).toMatchObject({ records: 3, written: 1, rejected: 2 })
  expect(facts.rows[0]?.counts).toMatchObject({ written: 1, rejected: 2 })
  topics.find('b')
  const several = replayed(letters).take(now.ms)
  expect(several.rows[0]?.counts).not.toHaveProperty('rejected')
  expect(progressEntry(facts, undefined).message).toContain(', 2 rejected, ')
})

it('of dead letters of a routed topic it says for no table what became of all', () => {
  const { replayed, now, topics } = given
  const { mapper, counts } = topics.find('events')
  for (const type of ['order', 'made', 'other']) {
    mapper.map(recordOf(`{"id":1,"type":"${type}"}`), { name: 'events' }, 0, 0n, 0, emptySlot(0n))
    counts.records++
  }
  const { rows, total } = replayed({ written: 1, rejected: 1 }).take(now.ms)
  expect(rows.map(({ counts: { records, written, rejected } }) => [records, written, rejected])).toEqual(
    [1, 1, 1].map((records) => [records, undefined, undefined]),
  )
  expect(total.counts).toMatchObject({ records: 3, written: 1, rejected: 1 })
})
