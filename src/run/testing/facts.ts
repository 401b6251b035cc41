// Facts of streams for tests: one that runs, and any there can be.

import * as fc from 'fast-check'
import { emptyTally } from '../../core/tally.ts'
import { tableCounts, totalOf, withTableCounts, type RunCounts, type RunRow, type TableFacts } from '../counts.ts'
import { REQUEST_RESULTS, RequestDurations } from '../request-durations.ts'
import { RunFactsSource, type FactsParts } from '../facts-source.ts'
import { HELD_REASONS } from '../run-facts.ts'
import { TrackRows, type CountedStream } from '../track-rows.ts'
import type { DeliveryFacts, GroupFacts, PartitionFacts, RejectFacts, RowFacts, RunFacts } from '../run-facts.ts'

export const NO_REJECTS: RejectFacts = { all: [], stop: undefined, recordsOf: () => 0 }
const APART = { rejects: NO_REJECTS, rejectsPlace: undefined, outages: [] }

/** Facts of a group's member. */
type GroupedFacts = RunFacts & { readonly group: GroupFacts }

/** What is not as in facts of a member that does nothing. */
export type Changes = Omit<Partial<GroupedFacts>, 'group' | 'delivery' | 'rows'> & {
  topics?: readonly RowFacts[]
  group?: Partial<GroupFacts>
  delivery?: Partial<DeliveryFacts>
}

/** Joined at 0 with one partition, nothing to do. */
export function facts({ group, delivery, topics = [], ...more }: Changes = {}): GroupedFacts {
  return {
    at: 0,
    startedAt: 0,
    noun: 'topic',
    tables: [],
    ...APART,
    stopping: false,
    failed: undefined,
    ...runRows(topics, more.tables ?? [], topics.length === 0 ? { ignored: 0 } : {}),
    ...more,
    group: {
      joined: true,
      since: 0,
      generation: '1',
      rebalances: 0,
      commits: { taken: 0, failed: 0 },
      partitions: [partition({})],
      oldestAt: undefined,
      deadLetterFailures: 0,
      schemasSince: undefined,
      ...group,
    },
    delivery: {
      outstanding: 0,
      heldCheckpoints: 0,
      settledAt: 0,
      bufferedBytes: 0,
      inFlight: 0,
      permits: undefined,
      durations: [],
      retrying: 0,
      guarded: 0,
      pausedUntil: undefined,
      failingSince: undefined,
      throttledSince: undefined,
      ...delivery,
    },
  }
}

export function partition(more: Partial<PartitionFacts>): PartitionFacts {
  return { topic: 'orders', partition: 0, lag: 0n, committedAt: undefined, held: undefined, ...more }
}

type TopicChanges = Partial<Omit<RowFacts, 'name' | 'counts'>> & RunCounts & { topic?: string }

export function topic({
  topic = 'orders',
  table = 'orders',
  deadLetters,
  pauses: paused,
  ...counts
}: TopicChanges): RowFacts {
  return {
    name: topic,
    table,
    counts: { records: 0, written: 0, rejected: 0, ignored: 0, ...counts },
    deadLetters: deadLetters ?? { rejected: 0, refused: 0 },
    pauses: paused ?? pauses({}),
  }
}

export function pauses(more: Partial<RowFacts['pauses']>): RowFacts['pauses'] {
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
    oldestAt: maybe(time),
    deadLetterFailures: count,
    schemasSince: maybe(time),
  }),
  delivery: fc.record({
    outstanding: count,
    heldCheckpoints: count,
    settledAt: time,
    bufferedBytes: count,
    inFlight: count,
    permits: maybe(count),
    durations,
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

export const anyFacts: fc.Arbitrary<GroupedFacts> = anyParts.map(({ topics, ...more }) =>
  Object.assign(more, runRows(topics.map(topic), []), APART, { tables: [] }),
)

/** Adds to each row the counts of its table. If several rows share a table, the first of them gets its counts.
 *  @param more replaces sums in the total */
export function runRows<Row extends RunRow>(
  parts: readonly Row[],
  tables: readonly TableFacts[],
  more: RunCounts = {},
): { rows: Row[]; total: RunRow } {
  const byName = new Map(tables.map((one) => [one.table, one]))
  const sharing = Map.groupBy(parts, ({ table }) => table)
  const rows = parts.map((row): Row => {
    const together = sharing.get(row.table)!
    const tally = byName.get(row.table ?? '') ?? emptyTally()
    const counts =
      together.length === 1
        ? withTableCounts(row.counts, tally)
        : { ...row.counts, ...(together[0] === row ? tableCounts(tally) : {}) }
    return { ...row, counts }
  })
  const total = totalOf(rows, { rows: tables.reduce((sum, { rows }) => sum + rows, 0) })
  return { rows, total: { ...total, counts: { ...total.counts, ...more } } }
}

/** Of streams that are tracks from the beginning to the end, of a run that goes on. */
export class StreamFacts {
  readonly #source: RunFactsSource

  constructor(
    { streams, ...parts }: Omit<FactsParts, 'input' | 'outages'> & { streams: readonly CountedStream[] },
    now: number,
  ) {
    const rows = new TrackRows(streams, { takeTracks: () => parts.tally.takeTracks() })
    const input = { rows, rejectCounts: NO_REJECTS, rejectsPlace: undefined }
    this.#source = new RunFactsSource({ ...parts, input, outages: [] }, now)
  }

  take(now: number): RunFacts {
    return { ...this.#source.take(now), stopping: false, failed: undefined }
  }
}
