// Finds the log of each partition in a fetch answer (Kafka protocol: Fetch, version 11). Batches are not looked into (split-log.ts).

import type { TopicPartition } from '../types.ts'

/** The only version of Fetch whose answers are read: the newest that the Kafka library sends. */
export const FETCH_VERSION = 11

/** A transaction that was rolled back: the producer's batches from `firstOffset` to its next abort marker do not count. */
interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

/** A partition's part of an answer. Places are byte positions in the answer. */
export interface FetchedLog extends TopicPartition {
  /** The high watermark: one after the partition's last record. */
  readonly high: bigint
  /** The place of the partition's error code. */
  readonly errorAt: number
  /** Aborted transactions of these batches, in the order in which the broker lists them. */
  readonly aborted: readonly AbortedTransaction[]
  /** The place where the batches begin. The last batch may be cut off. */
  readonly from: number
  /** The place where the batches end: beyond the end of the answer if that was cut off. */
  readonly to: number
}

/** The place of the number of topics: behind size, correlation id, throttle time, error and session. */
export const RESPONSES_AT = 4 + 4 + 4 + 2 + 4

/** Reads a fetch answer. @param frame all of it, with size and correlation id @throws RangeError if it ends too early */
export function* fetchedLogs(frame: Buffer): Generator<FetchedLog> {
  const cursor = { at: RESPONSES_AT }
  for (let topics = int32(frame, cursor); topics > 0; topics--) {
    const nameAt = cursor.at + 2
    cursor.at = nameAt + Math.max(0, frame.readInt16BE(cursor.at))
    const topic = frame.toString('utf8', nameAt, cursor.at)
    for (let partitions = int32(frame, cursor); partitions > 0; partitions--) yield logOf(frame, cursor, topic)
  }
}

function logOf(frame: Buffer, cursor: { at: number }, topic: string): FetchedLog {
  const partition = int32(frame, cursor)
  const errorAt = cursor.at
  const high = frame.readBigInt64BE(errorAt + 2)
  // error code (2 bytes), high watermark, last stable offset, start of the log
  cursor.at += 2 + 8 + 8 + 8
  const aborted: AbortedTransaction[] = []
  for (let left = int32(frame, cursor); left > 0; left--) {
    aborted.push({ producerId: frame.readBigInt64BE(cursor.at), firstOffset: frame.readBigInt64BE(cursor.at + 8) })
    cursor.at += 8 + 8
  }
  // preferred replica
  cursor.at += 4
  const size = Math.max(0, int32(frame, cursor))
  const from = cursor.at
  cursor.at += size
  return { topic, partition, high, errorAt, aborted, from, to: cursor.at }
}

/** Reads a number of 32 bits, and moves the cursor behind it. */
function int32(frame: Buffer, cursor: { at: number }): number {
  const value = frame.readInt32BE(cursor.at)
  cursor.at += 4
  return value
}
