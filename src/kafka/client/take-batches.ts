// Takes the batches out of a fetch answer before kafkajs sees it (fetches.ts calls this). kafkajs would unpack all of them at once, make a
// dozen objects per record, and spend more time on that than all the rest of a consumer takes (measured by bench/kafka).

import { fetchedLogs, RESPONSES_AT, type FetchedLog } from '../log/fetch-answer.ts'
import { BATCH, MAGIC, NO_OFFSET, UNCOUNTED, type PackedBatch } from '../log/record-batch.ts'
import { batchTooLarge, splitLog } from '../log/split-log.ts'
import type { TopicPartition } from '../types.ts'

/** A partition's part of an answer. */
export interface FetchedPartition extends TopicPartition {
  /** `outOfRange`: the partition does not have the offset that was asked for. `unknown`: the broker has no such partition; if it was read
   *  before, its topic was deleted. `failed`: any other error, which is kafkajs's to handle. */
  readonly status: 'good' | 'outOfRange' | 'unknown' | 'failed'
  /** Batches as they came, still compressed, in the order of the log. Empty unless the status is good. */
  readonly batches: readonly PackedBatch[]
  /** The high watermark. */
  readonly high: bigint
}

/** Kafka's error code for no error. */
const NO_ERROR = 0
/** What Kafka's error codes mean here; any other is `failed`. */
const STATUS = new Map<number, FetchedPartition['status']>([
  [NO_ERROR, 'good'],
  [1, 'outOfRange'],
  [3, 'unknown'],
])
/** The error code of a log that is damaged. */
const CORRUPT_MESSAGE = 2
/** The log of a partition is copied out of an answer that is more than this many times as large, which the log would keep in memory. */
const MOST_TIMES = 2
const SIZE_BYTES = 4

/** A record's fields, a byte each (zigzag): length, attributes, timestamp, offset, no key, no value, no headers. */
const EMPTY_RECORD = Buffer.from([12, 0, 0, 0, 1, 1, 0])
/** A log of one batch with an empty record, which kafkajs gets in the place of a partition's batches: only with a batch does kafkajs give
 *  us its function that sends heartbeats. The record has the highest offset (NO_OFFSET), since kafkajs leaves out those below the offset
 *  that it asked for. The checksum is 0: kafkajs checks none. */
const PLACEHOLDER = logOf(EMPTY_RECORD)

/** Takes the batches of all partitions out of an answer. Never throws because of what is in it. @param frame a whole answer of
 *  FETCH_VERSION, in memory of its own; error codes in it may be changed @returns the answer for kafkajs, and the partitions that were in
 *  it; no partitions if it ends too early. At such an answer kafkajs throws, so the client is replaced, and all is fetched again */
export function takeBatches(frame: Buffer): { answer: Buffer; partitions: readonly FetchedPartition[] } {
  let partitions: FetchedPartition[] = []
  const parts: Buffer[] = []
  let copied = 0
  try {
    for (const log of fetchedLogs(frame)) {
      const { from, to } = log
      partitions.push(partitionIn(frame, log))
      if (to === from || to > frame.length) continue
      parts.push(frame.subarray(copied, from - SIZE_BYTES), PLACEHOLDER)
      copied = to
    }
  } catch (error) {
    // a RangeError says that the answer was read beyond its end; anything else is a fault of this program
    if (!(error instanceof RangeError)) throw error
    partitions = []
  }
  return { answer: copied === 0 ? frame : framed([...parts, frame.subarray(copied)]), partitions }
}

/** Finds the batch because of which an answer is too large to read. @param head the beginning of the answer
 *  @returns the partition with that batch alone @throws RangeError if no such batch is found */
export function takeTooLarge(head: Buffer): FetchedPartition {
  for (const log of fetchedLogs(head)) {
    if (log.to === log.from) continue
    const batch = batchTooLarge(head.subarray(log.from))
    if (!batch) break
    const { topic, partition, high } = log
    return { topic, partition, status: 'good', batches: [batch], high }
  }
  throw new RangeError('it announces a fetch of more bytes than were asked for')
}

/** An answer that ends with its number of topics, which is 0, and after which kafkajs asks again. */
export function emptyAnswer(correlationId: number): Buffer {
  const frame = framed([Buffer.alloc(RESPONSES_AT + SIZE_BYTES)])
  frame.writeInt32BE(correlationId, SIZE_BYTES)
  return frame
}

/** Reads what came of one partition, and changes its error code to what kafkajs is to do: read on, or end with an error. */
function partitionIn(frame: Buffer, log: FetchedLog): FetchedPartition {
  const { topic, partition, high, from, to, errorAt, aborted } = log
  const status = STATUS.get(frame.readInt16BE(errorAt)) ?? 'failed'
  // at this error kafkajs would commit "the beginning" as the group's offset and go on there, and no later run could know what was lost
  if (status === 'outOfRange') frame.writeInt16BE(NO_ERROR, errorAt)
  const isWhole = to <= frame.length
  const hasLog = status === 'good' && to > from
  const batches = hasLog && isWhole ? splitLog(ownBytes(frame, log), aborted) : []
  // kafkajs would pass over a log that is cut off, and ask for it again for ever
  if (hasLog && batches.length === 0) frame.writeInt16BE(CORRUPT_MESSAGE, errorAt)
  return { topic, partition, status, batches, high }
}

/** The log of one partition: a view if it is most of the answer, otherwise a copy. */
function ownBytes(frame: Buffer, { from, to }: FetchedLog): Buffer {
  const view = frame.subarray(from, to)
  if (frame.length <= MOST_TIMES * view.length) return view
  const own = Buffer.allocUnsafeSlow(view.length)
  view.copy(own)
  return own
}

/** Puts an answer together, and writes its size. @param parts of it; the first begins with room for the size */
function framed(parts: readonly Buffer[]): Buffer {
  const frame = Buffer.concat(parts)
  frame.writeInt32BE(frame.length - SIZE_BYTES, 0)
  return frame
}

/** Makes a log of one batch with one record, and puts the size of the log before it. */
function logOf(record: Buffer): Buffer {
  const batch = Buffer.concat([Buffer.alloc(BATCH.records), record])
  batch.writeBigInt64BE(NO_OFFSET, BATCH.firstOffset)
  // the length counts what is behind itself
  batch.writeInt32BE(batch.length - UNCOUNTED, BATCH.length)
  batch.writeInt8(MAGIC, BATCH.magic)
  batch.writeInt32BE(1, BATCH.count)
  const size = Buffer.alloc(SIZE_BYTES)
  size.writeInt32BE(batch.length)
  return Buffer.concat([size, batch])
}
