// Reads dead letters back: what was fetched of their topic becomes the records as they were first read, up to where the topic ended when
// the run began. Letters that are added later are left for the next run, those of this run's own records among them, so that it ends.

import { ConnectorError } from '../../core/errors.ts'
import type { ReadRecord } from '../source/types.ts'
import type { ReadUpTo } from '../source/kafka-source.ts'
import type { SettledCounts } from '../source/stream-topics.ts'
import type { FetchedBatch, KafkaRecord, OffsetRange, TopicPartition } from '../types.ts'
import { fromMessage, type DeadLetter } from './dead-letter.ts'

/** The records of some dead letters, in the letters' order. */
export interface Replayed {
  readonly records: readonly ReadRecord[]
  /** The offset of the letter behind them, which is committed once all of them are settled. */
  readonly next: bigint
  /** The error to throw once the records are yielded: what comes next is no dead letter. `undefined` when there is none. */
  readonly error: ConnectorError | undefined
}

/** Makes what tells the source which records the letters hold, and where reading ends; `letters` counts what becomes of these records.
 *  @param ranges of the topic's partitions when the run began */
export function replayTopic(ranges: ReadonlyMap<number, OffsetRange>): ReadUpTo & { readonly letters: SettledCounts } {
  const ends = new Map(Array.from(ranges, ([partition, { high }]) => [partition, high]))
  // nothing is read of a partition that was added since
  const endOf = ({ partition }: TopicPartition): bigint => ends.get(partition) ?? 0n
  return {
    letters: { written: 0, rejected: 0 },
    endOf,
    read: (batch) => {
      // reading moves to another offset because the topic was created again: its letters of now are replayed
      if (batch.isMove) ends.set(batch.partition, batch.highWatermark)
      return { ...batch, ...readLetters(batch, endOf(batch)) }
    },
  }
}

/** @param end the first offset that is left for the next run */
function readLetters(batch: FetchedBatch, end: bigint): Replayed {
  const records: ReadRecord[] = []
  for (const record of batch.records) {
    if (record.offset >= end) break
    const letter = letterOf(record)
    if ('problem' in letter) return { records, next: record.offset, error: notALetter(batch, record, letter.problem) }
    records.push(firstRead(letter, record.offset))
  }
  return { records, next: batch.next < end ? batch.next : end, error: undefined }
}

/** The letter's record, as it was first read.
 *  @param letterOffset the letter's own offset in its topic, or its place in bytes of its file */
export function firstRead({ topic, partition, record }: DeadLetter, letterOffset: bigint): ReadRecord {
  const { offset, timestamp, key, value, headers } = record
  return { offset, timestamp, key, value, headers, from: { topic, partition }, letterOffset }
}

/** Reads a record of the topic as a letter. A letter has headers of its own besides those of its record, so it may have more than any other
 *  record: they are in `unread.letterHeaders` where they are too many to be in `headers`. */
function letterOf(record: KafkaRecord): ReturnType<typeof fromMessage> {
  const { unread, key, value } = record
  if (!unread) return fromMessage(record)
  return unread.letterHeaders ? fromMessage({ key, value, headers: unread.letterHeaders }) : { problem: unread.why }
}

/** The path of the file that says how far a file of dead letters is replayed. */
export function placePath(file: string): string {
  return `${file}.replayed`
}

/** The name of the consumer group that reads the topic of dead letters of a group. */
export function replayGroup(group: string): string {
  return `${group}.dead-letters`
}

/** @param problem what keeps the record from being a letter, as `fromMessage` says it */
function notALetter({ topic, partition }: FetchedBatch, { offset }: KafkaRecord, problem: string): ConnectorError {
  const message =
    `The topic "${topic}" holds a record that is not a dead letter, partition ${partition}, offset ${offset}: ${problem}. ` +
    'Give dead letters a topic of their own. To leave that record out, move the group that replays them past it: ' +
    `kafka-consumer-groups --reset-offsets --topic ${topic}:${partition} --to-offset ${offset + 1n} --execute, with the name of the group behind --group.`
  return new ConnectorError('config', 'dead-letters.not-a-letter', message, { track: { name: topic } })
}
