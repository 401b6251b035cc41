// Facts of streams for tests: one that runs, and any there can be.

import * as fc from 'fast-check'
import { runRows } from '../counts.ts'
import type { RunCounts, TableFacts } from '../counts.ts'
import { REQUEST_RESULTS, RequestDurations } from '../watched-transport.ts'
import { HELD_REASONS } from '../run-facts.ts'
import type { DeliveryFacts, GroupFacts, PartitionFacts, StreamFacts, TopicFacts } from '../run-facts.ts'

type Changes = Omit<Partial<StreamFacts>, 'group' | 'delivery' | 'rows'> & {
  topics?: readonly TopicFacts[]
  group?: Partial<GroupFacts>
  delivery?: Partial<DeliveryFacts>
}

/** Nothing has happened yet. */
function startingFacts(now: number): StreamFacts {
  return {
    ...runRows([], [], { ignored: 0 }),
    at: now,
    startedAt: now,
    noun: 'topic',
    group: {
      joined: false,
      since: now,
      generation: undefined,
      rebalances: 0,
      commits: { taken: 0, failed: 0 },
      partitions: [],
      schemasSince: undefined,
    },
    delivery: {
      outstanding: 0,
      heldCheckpoints: 0,
      settledAt: now,
      oldestAt: undefined,
      bufferedBytes: 0,
      inFlight: 0,
      permits: undefined,
      durations: [],
      deadLetterFailures: 0,
      retrying: 0,
      guarded: 0,
      pausedUntil: undefined,
      failingSince: undefined,
      throttledSince: undefined,
    },
    tables: [],
    stopping: false,
    failed: undefined,
  }
}

/** Joined at 0 with one partition, nothing to do. */
export function facts({ group, delivery, topics = [], ...more }: Changes = {}): StreamFacts {
  const start = startingFacts(0)
  return {
    ...start,
    ...runRows(topics, more.tables ?? [], topics.length === 0 ? { ignored: 0 } : {}),
    ...more,
    group: { ...start.group, joined: true, generation: '1', partitions: [partition({})], ...group },
    delivery: { ...start.delivery, ...delivery },
  }
}

export function partition(more: Partial<PartitionFacts>): PartitionFacts {
  return { topic: 'orders', partition: 0, lag: 0n, committedAt: undefined, held: undefined, ...more }
}

type TopicChanges = Partial<Omit<TopicFacts, 'name' | 'counts'>> & RunCounts & { topic?: string }

export function topic({
  topic = 'orders',
  table = 'orders',
  deadLetters,
  pauses: paused,
  ...counts
}: TopicChanges): TopicFacts {
  return {
    name: topic,
    table,
    counts: { records: 0, written: 0, rejected: 0, ignored: 0, ...counts },
    deadLetters: deadLetters ?? { rejected: 0, refused: 0 },
    pauses: paused ?? pauses({}),
  }
}

export function pauses(more: Partial<TopicFacts['pauses']>): TopicFacts['pauses'] {
  return { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0, ...more }
}

export function table(more: Partial<TableFacts>): TableFacts {
  const retries = { throttled: 0, server: 0, network: 0, timeout: 0 }
  return { table: 'orders', requests: 0, rows: 0, bytes: 0, attempts: 0, retries, ...more }
}

const names = fc.string({ unit: 'grapheme', maxLength: 30 })
const time = fc.nat(1e9)
const count = fc.oneof(fc.nat(20), fc.nat(Number.MAX_SAFE_INTEGER))
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })

const durations = fc.array(fc.tuple(fc.constantFrom(...REQUEST_RESULTS), fc.nat(100_000))).map((requests) => {
  const counted = new RequestDurations()
  for (const [result, ms] of requests) counted.add(result, ms)
  return counted.all
})

const anyParts = fc.record({
  at: time,
  startedAt: time,
  noun: fc.constant('topic' as const),
  group: fc.record({
    joined: fc.boolean(),
    since: time,
    generation: maybe(fc.string()),
    rebalances: count,
    commits: fc.record({ taken: count, failed: count }),
    partitions: fc.array(
      fc.record({
        topic: names,
        partition: fc.nat(),
        lag: maybe(fc.bigInt(0n, 1n << 63n)),
        committedAt: maybe(fc.nat(2e12)),
        held: maybe(fc.constantFrom(...HELD_REASONS)),
      }),
      { maxLength: 6 },
    ),
    schemasSince: maybe(time),
  }),
  delivery: fc.record({
    outstanding: count,
    heldCheckpoints: count,
    settledAt: time,
    oldestAt: maybe(time),
    bufferedBytes: count,
    inFlight: count,
    permits: maybe(count),
    durations,
    deadLetterFailures: count,
    retrying: count,
    guarded: count,
    pausedUntil: maybe(time),
    failingSince: maybe(time),
    throttledSince: maybe(time),
  }),
  topics: fc.uniqueArray(
    fc.record({
      topic: names,
      table: names,
      records: count,
      written: count,
      rejected: count,
      deadLetters: fc.record({ rejected: count, refused: count }),
      ignored: count,
      pauses: fc.nat().map((outage) => pauses({ outage })),
    }),
    { maxLength: 30, selector: (it) => it.topic },
  ),

  stopping: fc.boolean(),
  failed: maybe(fc.constantFrom('config' as const, 'transient' as const, 'system' as const)),
})

export const anyFacts: fc.Arbitrary<StreamFacts> = anyParts.map(({ topics, ...more }) =>
  Object.assign(more, runRows(topics.map(topic), []), { tables: [] }),
)
