// Dead letters read back: what was fetched of their topic becomes the records as they were first read, up to where the topic
// ended when the run began.

import { ConnectorError } from '../../core/errors.ts'
import { fromMessage } from './dead-letter.ts'
import type { DeadLetter } from './dead-letter.ts'
import type { FetchedBatch, KafkaRecord, TopicPartition } from '../types.ts'
import type { OffsetRange } from '../client/positions.ts'
import type { Replaying } from '../source/kafka-source.ts'

/** Records that were first read from one partition. */
export interface ReplayedRun extends TopicPartition {
  readonly records: readonly KafkaRecord[]
}

/** Some dead letters, in their order. */
export interface Replayed {
  /** Neighbours from one partition share a run; a partition may come again. */
  readonly runs: readonly ReplayedRun[]
  /** Where to go on once all of them are settled: what is to be committed. */
  readonly next: bigint
  /** To be thrown once they are yielded: what comes then is no dead letter. */
  readonly error: ConnectorError | undefined
}

/** @param until the partition's end when the run began: letters behind it are left for the next run, those of this run's
 *  own records among them, so that it comes to an end */
export function replayed(batch: FetchedBatch, until: bigint): Replayed {
  const letters: DeadLetter[] = []
  for (const record of batch.records) {
    if (record.offset >= until) break
    const letter = letterOf(record)
    if ('problem' in letter)
      return { runs: runsOf(letters), next: record.offset, error: noLetter(batch, record, letter.problem) }
    letters.push(letter)
  }
  return { runs: runsOf(letters), next: batch.next < until ? batch.next : until, error: undefined }
}

/** A record of as many headers as are read has more as a letter. */
function letterOf(record: KafkaRecord): ReturnType<typeof fromMessage> {
  const { unread, key, value } = record
  if (!unread) return fromMessage(record)
  return unread.ofLetter ? fromMessage({ key, value, headers: unread.ofLetter }) : { problem: unread.why }
}

export function runsOf(letters: readonly DeadLetter[]): ReplayedRun[] {
  const runs: (TopicPartition & { readonly records: KafkaRecord[] })[] = []
  for (const { topic, partition, record } of letters) {
    const last = runs.at(-1)
    if (last?.topic === topic && last.partition === partition) last.records.push(record)
    else runs.push({ topic, partition, records: [record] })
  }
  return runs
}

/** The consumer group that reads the dead letters of a group. */
export function replayGroup(group: string): string {
  return `${group}.dead-letters`
}

function noLetter({ topic, partition }: FetchedBatch, { offset }: KafkaRecord, problem: string): ConnectorError {
  const message =
    `The topic "${topic}" holds a record that is no dead letter, partition ${partition}, offset ${offset}: ${problem}. ` +
    'Give dead letters a topic of their own. To leave that record out, move the group that replays them past it: ' +
    `kafka-consumer-groups --reset-offsets --topic ${topic}:${partition} --to-offset ${offset + 1n} --execute, with the name of the group behind --group.`
  return new ConnectorError('config', message, { track: { name: topic } })
}

/** @param ranges of the topic's partitions when the run began */
export function replayTopic(ranges: ReadonlyMap<number, OffsetRange>): Replaying {
  const endOf: Replaying['endOf'] = ({ partition }) => ranges.get(partition)?.high ?? 0n
  return {
    counts: { records: 0, written: 0, rejected: 0 },
    endOf,
    read(batch) {
      const { runs, next, error } = replayed(batch, endOf(batch))
      const records = runs.flatMap(({ topic, partition, records }) =>
        records.map(({ offset, timestamp, key, value, headers }) => {
          return { offset, timestamp, key, value, headers, from: { topic, partition } }
        }),
      )
      return { ...batch, records, next, error }
    },
  }
}
