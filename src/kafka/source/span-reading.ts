// Prepares the reading of given spans of partitions, for a dry run or `stream --check`. A dry run begins where the group of a run would go on,
// and ends where the partitions end at that time. A group of its own reads, because the Kafka client reads in no other way; it is deleted at
// the end. The group of a run is asked for its offsets, and never joined.

import { randomUUID } from 'node:crypto'
import type { StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { entryFor } from '../../config/stream/topic-choice.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { ReadSecret } from '../../core/secret.ts'
import type { DrySpan } from '../../run/open-input.ts'
import { askCluster, forgetGroup, whyUnanswered, type KafkaAdmin } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import type { GroupMemberOptions, TopicFinder } from '../client/group-member.ts'
import { outOfRange } from '../client/out-of-range.ts'
import { askPositions } from '../client/positions.ts'
import type { TopicPartition } from '../types.ts'
import { partitionName } from './kafka-origin.ts'
import type { ReadUpTo } from './kafka-source.ts'

/** Disposing of it deletes its group, which its member must have left before. */
export interface SpanReading extends ReadUpTo, AsyncDisposable {
  /** The spans that are read: none of them is empty. */
  readonly spans: readonly DrySpan[]
  /** The options in which the member that reads differs from that of a run. */
  readonly member: Pick<GroupMemberOptions, 'group' | 'topics' | 'startOf'>
  /** How many partitions the topic has, read or not. */
  partitionsOf(topic: string): number
}

/** Prepares the reading of a dry run, from where the group of a run would go on. Once `signal` aborts it waits no longer, and nothing is read.
 *  @param mostRecords of all partitions together; `undefined` when all that are there are read
 *  @throws ConnectorError when a run would not begin, or the brokers cannot be asked */
export async function openDryReading(
  { kafka, topics: entries }: Pick<StreamConfig<ReadSecret>, 'kafka' | 'topics'>,
  topics: TopicFinder,
  mostRecords: number | undefined,
  signal: AbortSignal,
): Promise<SpanReading> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(kafka.brokerDeadlineMs)])
  const asked = await askCluster({ connection: kafka, group: kafka.group, end }, async (admin) => {
    const names = await topics.find(end)
    return await spansOf(names, entries, kafka.group, admin)
  })
  const prefix = `${kafka.group}-dry-run-`
  if (asked.kind === 'unanswered') {
    // the run is being stopped: it must not count as one that found nothing to read
    if (signal.aborted) return { ...prepareReading(kafka, prefix, []), isEmpty: false }
    const { problem, error } = asked
    if (error instanceof ConnectorError) throw error
    if (problem && problem.kind !== 'passing') throw problem.error
    const { code, text } = whyUnanswered(asked, 'The brokers could not be asked where the group goes on')
    throw new ConnectorError('transient', code, text, { cause: error })
  }
  return prepareReading(kafka, prefix, asked.answer, mostRecords)
}

/** Prepares the reading of spans.
 *  @param prefix of the group's name
 *  @param all the spans of all partitions of the topics, empty ones too
 *  @param mostRecords of all partitions together; `undefined` when all of the spans are read */
export function prepareReading(
  connection: KafkaConnection,
  prefix: string,
  all: readonly DrySpan[],
  mostRecords?: number,
): SpanReading {
  const group = `${prefix}${randomUUID()}`
  const filled = all.filter(({ from, to }) => from < to)
  const spans = mostRecords === undefined ? filled : shortened(filled, mostRecords)
  const ends = new Map(spans.map((span) => [partitionName(span), span.to]))
  // a partition with nothing to read ends at once
  const endOf = (partition: TopicPartition): bigint => ends.get(partitionName(partition)) ?? 0n
  const byTopic = Map.groupBy(all, ({ topic }) => topic)
  const names = [...byTopic.keys()]
  return {
    spans,
    isDry: true,
    isEmpty: spans.length === 0,
    endOf,
    read(batch) {
      const end = endOf(batch)
      if (batch.next <= end) return batch
      return { ...batch, records: batch.records.filter(({ offset }) => offset < end), next: end }
    },
    member: {
      group,
      topics: { find: () => Promise.resolve(names), refreshMs: Infinity, mayChange: false },
      startOf: (topic) => ({ offsets: new Map(byTopic.get(topic)!.map(({ partition, from }) => [partition, from])) }),
    },
    partitionsOf: (topic) => byTopic.get(topic)?.length ?? 0,
    [Symbol.asyncDispose]: () => forgetGroup(connection, group),
  }
}

/** The spans of all partitions of these topics, from where the group would go on to the end. */
async function spansOf(
  names: readonly string[],
  entries: readonly TopicConfig[],
  group: string,
  admin: KafkaAdmin,
): Promise<DrySpan[]> {
  const spans: DrySpan[] = []
  for (const topic of names) {
    const positions = await askPositions(admin, topic, entryFor(topic, entries)!, group)
    for (const { partition, range, committed, found } of positions) {
      // the option `out_of_range` says stop; otherwise there is an offset to begin at
      if (found.from === 'out of range' && found.offset === undefined)
        throw outOfRange({ topic, partition }, committed!, range, found.side)
      spans.push({ topic, partition, from: found.offset!, to: range.high, begins: found.from })
    }
  }
  return spans
}

/** Shortens spans to `mostRecords` in all. Each gets an equal share, the shortest first: what they do not need is shared among the others. */
function shortened(spans: readonly DrySpan[], mostRecords: number): DrySpan[] {
  let left = BigInt(mostRecords)
  const shortestFirst = spans.toSorted((a, b) => Number(a.to - a.from - (b.to - b.from)))
  return shortestFirst.flatMap((span, index) => {
    const share = left / BigInt(shortestFirst.length - index)
    const filled = span.to - span.from
    const length = filled < share ? filled : share
    left -= length
    return length === 0n ? [] : [{ ...span, to: span.from + length }]
  })
}
