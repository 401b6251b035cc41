// Dead letters read back: what was fetched of their topic becomes the records as they were first read, up to where the topic
// ended when the run began.

import { ConnectorError } from '../../core/errors.ts'
import type { ReadRecord } from '../source/types.ts'
import type { ReadUpTo } from '../source/kafka-source.ts'
import type { SettledCounts } from '../source/stream-topics.ts'
import type { FetchedBatch, KafkaRecord, OffsetRange, TopicPartition } from '../types.ts'
import { fromMessage, type DeadLetter } from './dead-letter.ts'

/** Some dead letters, in their order. */
export interface Replayed {
  readonly records: readonly ReadRecord[]
  /** The offset to go on at once all of them are settled: what is to be committed. */
  readonly next: bigint
  /** The error to throw once they are yielded: what comes next is no dead letter. `undefined` when there is none. */
  readonly error: ConnectorError | undefined
}

/** @param ranges of the topic's partitions when the run began: letters behind them are left for the next run, those of this
 *  run's own records among them, so that it comes to an end */
export function replayTopic(ranges: ReadonlyMap<number, OffsetRange>): ReadUpTo & { readonly letters: SettledCounts } {
  const ends = new Map(Array.from(ranges, ([partition, { high }]) => [partition, high]))
  // partitions that were added since are left for the next run
  const endOf = ({ partition }: TopicPartition): bigint => ends.get(partition) ?? 0n
  return {
    letters: { written: 0, rejected: 0 },
    endOf,
    read: (batch) => {
      // the topic was created again: its letters are those to replay
      if (batch.isMove) ends.set(batch.partition, batch.highWatermark)
      return { ...batch, ...replayed(batch, endOf(batch)) }
    },
  }
}

/** @param until the first offset that is left for the next run */
function replayed(batch: FetchedBatch, until: bigint): Replayed {
  const records: ReadRecord[] = []
  for (const record of batch.records) {
    if (record.offset >= until) break
    const letter = letterOf(record)
    if ('problem' in letter) return { records, next: record.offset, error: noLetter(batch, record, letter.problem) }
    records.push(firstRead(letter, record.offset))
  }
  return { records, next: batch.next < until ? batch.next : until, error: undefined }
}

/** The record as it was first read.
 *  @param letterOffset where its letter lies in what is read */
export function firstRead({ topic, partition, record }: DeadLetter, letterOffset: bigint): ReadRecord {
  const { offset, timestamp, key, value, headers } = record
  return { offset, timestamp, key, value, headers, from: { topic, partition }, letterOffset }
}

/** Reads the letter that a record is. Its own headers come on top of those of its record: a letter may have more than any other record, and
 *  `unread.letterHeaders` has them where they are too many for one. */
function letterOf(record: KafkaRecord): ReturnType<typeof fromMessage> {
  const { unread, key, value } = record
  if (!unread) return fromMessage(record)
  return unread.letterHeaders ? fromMessage({ key, value, headers: unread.letterHeaders }) : { problem: unread.why }
}

/** Where it is kept how far a file of dead letters is replayed. */
export function placePath(file: string): string {
  return `${file}.replayed`
}

/** The consumer group that reads the dead letters of a group. */
export function replayGroup(group: string): string {
  return `${group}.dead-letters`
}

function noLetter({ topic, partition }: FetchedBatch, { offset }: KafkaRecord, problem: string): ConnectorError {
  const message =
    `The topic "${topic}" holds a record that is not a dead letter, partition ${partition}, offset ${offset}: ${problem}. ` +
    'Give dead letters a topic of their own. To leave that record out, move the group that replays them past it: ' +
    `kafka-consumer-groups --reset-offsets --topic ${topic}:${partition} --to-offset ${offset + 1n} --execute, with the name of the group behind --group.`
  return new ConnectorError('config', 'dead-letters.not-a-letter', message, { track: { name: topic } })
}
