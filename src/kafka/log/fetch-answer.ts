// Where a fetch answer holds what lies in the log, partition by partition (Kafka protocol: Fetch, version 11), and which partitions
// its broker does not know.

import type { TopicPartition } from '../types.ts'

/** The version that is understood: the newest that the client asks for. */
export const FETCH_VERSION = 11

/** A transaction that was rolled back: its producer's batches from there on, up to that producer's abort marker. */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

export interface FetchedLog {
  /** Of the topic's name with its length, in the answer. */
  readonly topicAt: number
  /** Of the partition's number, in the answer. */
  readonly partitionAt: number
  /** Of the partition's error code, in the answer. */
  readonly errorAt: number
  /** By their first offset. */
  readonly aborted: readonly AbortedTransaction[]
  /** Of the batches, in the answer. The last one may be cut. */
  readonly from: number
  /** Beyond the answer's end where that comes too early: nothing behind it is understood then. */
  readonly to: number
}

/** Of the number of topics, in the answer. */
export const RESPONSES_AT = 4 + 4 + 4 + 2 + 4

/** @param frame a whole answer with its size and correlation id
 *  @throws RangeError where it ends too early */
export function* fetchedLogs(frame: Buffer): Generator<FetchedLog> {
  const cursor = { at: RESPONSES_AT }
  for (let topics = int32(frame, cursor); topics > 0; topics--) {
    const topicAt = cursor.at
    cursor.at += 2 + Math.max(0, frame.readInt16BE(cursor.at))
    for (let partitions = int32(frame, cursor); partitions > 0; partitions--) yield logOf(frame, cursor, topicAt)
  }
}

function logOf(frame: Buffer, cursor: { at: number }, topicAt: number): FetchedLog {
  const partitionAt = cursor.at
  const errorAt = partitionAt + 4
  // partition, error, high watermark, last stable offset, start of the log
  cursor.at += 4 + 2 + 8 + 8 + 8
  const aborted: AbortedTransaction[] = []
  for (let left = int32(frame, cursor); left > 0; left--) {
    aborted.push({ producerId: frame.readBigInt64BE(cursor.at), firstOffset: frame.readBigInt64BE(cursor.at + 8) })
    cursor.at += 16
  }
  // preferred replica
  cursor.at += 4
  const size = Math.max(0, int32(frame, cursor))
  const from = cursor.at
  cursor.at += size
  return { topicAt, partitionAt, errorAt, aborted, from, to: cursor.at }
}

function int32(frame: Buffer, cursor: { at: number }): number {
  const value = frame.readInt32BE(cursor.at)
  cursor.at += 4
  return value
}

/** Kafka's code for "unknown topic or partition". */
const UNKNOWN = 3

/** Of one that was read it means that its topic was deleted. the client only asks again: it would not notice a topic that was made
 *  anew meanwhile, and go on in the middle of it. Never throws.
 *  @param frame a whole answer of FETCH_VERSION, before it is marked */
export function unknownPartitions(frame: Buffer): readonly TopicPartition[] {
  const found: TopicPartition[] = []
  try {
    for (const { topicAt, partitionAt, errorAt } of fetchedLogs(frame)) {
      if (frame.readInt16BE(errorAt) !== UNKNOWN) continue
      const topic = frame.toString('utf8', topicAt + 2, topicAt + 2 + frame.readInt16BE(topicAt))
      found.push({ topic, partition: frame.readInt32BE(partitionAt) })
    }
  } catch (error) {
    // an answer that ends too early: the client throws too
    if (!(error instanceof RangeError)) throw error
  }
  return found
}
