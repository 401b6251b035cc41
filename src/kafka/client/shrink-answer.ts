// Takes the batches out of a fetch answer: each is kept as it is, and a small batch replaces it. Checks the order of batches and
// filters aborted transactions; it reads no records except transaction markers.

import { ID_BYTES } from './stand-ins.ts'
import { fetchedLogs, RESPONSES_AT } from '../log/fetch-answer.ts'
import type { FetchedLog } from '../log/fetch-answer.ts'
import {
  APPEND_TIME,
  BATCH,
  CODEC_MASK,
  CONTROL,
  MAGIC,
  NOWHERE,
  TRANSACTIONAL,
  UNCOUNTED,
} from '../log/record-batch.ts'
import { UnpackError } from '../log/unreadable-batch.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import { VarintReader } from '../log/varint-reader.ts'
import type { TopicPartition } from '../types.ts'

const OLD_MAGIC = 1
/** The smallest possible `length` of a batch. */
const LEAST = BATCH.records - UNCOUNTED
/** Kafka's error codes: CORRUPT_MESSAGE and UNKNOWN_TOPIC_OR_PARTITION. */
const CORRUPT = 2
const UNKNOWN = 3
/** The type in a control record's key, after the version. */
const KEY_TYPE = 2
const ABORT = 0
const NOTHING = Buffer.alloc(0)
/** The number 1 in four bytes. */
const ONE = Buffer.from([0, 0, 0, 1])
/** The log of a partition is copied out of an answer that is more than this many times as large. */
const MOST_HELD = 2

const SIZE_BYTES = 4
/** A record of a key that is null and a value of ID_BYTES: length, attributes, timestamp, offset, key and value with their lengths,
 *  number of headers. */
const RECORD = Buffer.from([28, 0, 0, 0, 1, 2 * ID_BYTES, 0, 0, 0, 0, 0, 0, 0, 0, 0])
const VALUE_AT = 6
const STAND_IN_BYTES = BATCH.records + RECORD.length
/** Takes each batch that kafkajs would decode. @returns its id */
export type Keep = (batch: PackedBatch) => number

/** Never throws.
 *  @param frame a whole answer of FETCH_VERSION, in memory of its own; error codes in it may be changed
 *  @param onUnknown called with each partition that the broker does not know. Of one that was read it means that its topic was
 *  deleted. kafkajs only asks again: it would not notice that the topic was created again, and go on in the middle of it.
 *  @returns an answer in its place, or itself, where it holds no batches */
export function shrinkAnswer(frame: Buffer, keep: Keep, onUnknown?: (partition: TopicPartition) => void): Buffer {
  const parts: Buffer[] = []
  let copied = 0
  try {
    for (const log of fetchedLogs(frame)) {
      const { from, to, errorAt } = log
      if (frame.readInt16BE(errorAt) === UNKNOWN) onUnknown?.(partitionOf(frame, log))
      // kafkajs would pass over it, and ask for it again for ever
      if (to > frame.length) frame.writeInt16BE(CORRUPT, errorAt)
      else if (to > from) {
        const stands = standIns(batchesOf(frame, log), keep)
        parts.push(frame.subarray(copied, from - SIZE_BYTES), sizeOf(stands), stands)
        copied = to
      }
    }
  } catch (error) {
    // it ends too early: kafkajs throws too, and the client is replaced
    if (!(error instanceof RangeError)) throw error
  }
  return copied === 0 ? frame : framed([...parts, frame.subarray(copied)])
}

function partitionOf(frame: Buffer, { topicAt, partitionAt }: FetchedLog): TopicPartition {
  const nameAt = topicAt + 2
  const topic = frame.toString('utf8', nameAt, nameAt + frame.readInt16BE(topicAt))
  return { topic, partition: frame.readInt32BE(partitionAt) }
}

/** @param head the beginning of an answer that is too large to read, because of one batch
 *  @returns an answer with that batch alone @throws RangeError if no such batch is found */
export function refusedAnswer(head: Buffer, keep: Keep): Buffer {
  for (const { topicAt, partitionAt, from, to } of fetchedLogs(head)) {
    if (to === from) continue
    const end = endOf(head, from)
    if (end === undefined || end <= head.length) break
    const topic = head.subarray(topicAt, topicAt + 2 + head.readInt16BE(topicAt))
    const stand = standIns([packedBatch(head, from, from + BATCH.records, 'tooLarge')], keep)
    const start = head.subarray(0, RESPONSES_AT)
    return framed([start, ONE, topic, ONE, head.subarray(partitionAt, from - SIZE_BYTES), sizeOf(stand), stand])
  }
  throw new RangeError('it announces a fetch of more bytes than were asked for')
}

/** An answer that has no partitions, after which kafkajs asks again. */
export function emptyAnswer(correlationId: number): Buffer {
  const frame = framed([Buffer.alloc(RESPONSES_AT + SIZE_BYTES)])
  frame.writeInt32BE(correlationId, SIZE_BYTES)
  return frame
}

/** @param parts of an answer; the first one begins with room for the size */
function framed(parts: readonly Buffer[]): Buffer {
  const frame = Buffer.concat(parts)
  frame.writeInt32BE(frame.length - SIZE_BYTES, 0)
  return frame
}

function sizeOf({ length }: Buffer): Buffer {
  const size = Buffer.alloc(SIZE_BYTES)
  size.writeInt32BE(length)
  return size
}

/** @returns its batches; empty if they are not understood, and the answer then has the error code CORRUPT */
function batchesOf(frame: Buffer, log: FetchedLog): PackedBatch[] {
  const bytes = ownBytes(frame, log)
  if (isOld(bytes)) return [nowhere('old')]
  const batches: PackedBatch[] = []
  const transactions = new Transactions(log.aborted)
  let [at, next] = [0, 0n]
  for (; at + BATCH.records <= bytes.length;) {
    const end = endOf(bytes, at)
    // not a whole batch: it will be the first one of the next answer
    if (end === undefined || end > bytes.length) break
    const first = bytes.readBigInt64BE(at + BATCH.firstOffset)
    const delta = bytes.readInt32BE(at + BATCH.lastOffsetDelta)
    if (first < next || delta < 0 || first + BigInt(delta) >= NOWHERE) batches.push(nowhere())
    else {
      batches.push(packedBatch(bytes, at, end, transactions.next(bytes, at, end)))
      next = first + BigInt(delta) + 1n
    }
    at = end
  }
  if (at > 0) return batches
  // brokers send at least one whole batch, or nothing at all
  if (bytes.length >= BATCH.records) return [nowhere()]
  frame.writeInt16BE(CORRUPT, log.errorAt)
  return batches
}

/** The log of one partition: a view if it is most of the answer, otherwise a copy. A waiting record keeps all of that memory alive. */
function ownBytes(frame: Buffer, { from, to }: FetchedLog): Buffer {
  const view = frame.subarray(from, to)
  if (frame.length <= MOST_HELD * view.length) return view
  const own = Buffer.allocUnsafeSlow(view.length)
  view.copy(own)
  return own
}

function packedBatch(bytes: Buffer, at: number, end: number, as: PackedBatch['as']): PackedBatch {
  const attributes = bytes.readInt16BE(at + BATCH.attributes)
  const first = bytes.readBigInt64BE(at + BATCH.firstOffset)
  return {
    codec: as === 'damaged' ? 0 : attributes & CODEC_MASK,
    count: bytes.readInt32BE(at + BATCH.count),
    as,
    first,
    last: first + BigInt(bytes.readInt32BE(at + BATCH.lastOffsetDelta)),
    firstTimestamp: bytes.readBigInt64BE(at + BATCH.firstTimestamp),
    appendTime: (attributes & APPEND_TIME) === 0 ? undefined : bytes.readBigInt64BE(at + BATCH.maxTimestamp),
    packed: as === 'records' ? bytes.subarray(at + BATCH.records, end) : NOTHING,
    isAlone: at === 0 && end === bytes.length,
  }
}

/** An unreadable batch without valid offsets. It gets the highest offset, because kafkajs drops records before the offset that it
 *  asked for. */
function nowhere(as: PackedBatch['as'] = 'damaged'): PackedBatch {
  const place = { first: NOWHERE, last: NOWHERE, firstTimestamp: 0n, appendTime: undefined }
  return { ...place, codec: 0, count: 1, as, packed: NOTHING, isAlone: false }
}

/** Makes a batch for each, of one record, uncompressed, with the last offset of what it stands for. It is of no transaction: kafkajs filters
 *  records of aborted transactions itself, but not by all markers. */
function standIns(batches: readonly PackedBatch[], keep: Keep): Buffer {
  const bytes = Buffer.alloc(batches.length * STAND_IN_BYTES)
  let at = 0
  for (const batch of batches) {
    bytes.writeBigInt64BE(batch.last, at + BATCH.firstOffset)
    bytes.writeInt32BE(STAND_IN_BYTES - UNCOUNTED, at + BATCH.length)
    bytes.writeInt8(MAGIC, at + BATCH.magic)
    bytes.writeInt32BE(1, at + BATCH.count)
    RECORD.copy(bytes, at + BATCH.records)
    bytes.writeDoubleBE(keep(batch), at + BATCH.records + VALUE_AT)
    at += STAND_IN_BYTES
  }
  return bytes
}

/** Whether it is in the format of Kafka before 0.11, which brokers may still have on disk. */
function isOld(bytes: Buffer): boolean {
  if (bytes.length <= BATCH.magic) return false
  const magic = bytes.readInt8(BATCH.magic)
  return magic >= 0 && magic <= OLD_MAGIC
}

/** The end of the batch at `at`; `undefined` when there is no batch. */
function endOf(frame: Buffer, at: number): number | undefined {
  const length = frame.readInt32BE(at + BATCH.length)
  return frame.readInt8(at + BATCH.magic) === MAGIC && length >= LEAST ? at + UNCOUNTED + length : undefined
}

/** Tracks aborted transactions from batch to batch. */
class Transactions {
  readonly #ahead: FetchedLog['aborted'][number][]
  /** Producers inside an aborted transaction. */
  readonly #open = new Set<bigint>()

  constructor(aborted: FetchedLog['aborted']) {
    // brokers list them in the order in which they ended
    this.#ahead = aborted.toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1)).reverse()
  }

  /** @returns how to read the batch: its records, nothing (aborted, or a marker), or damaged */
  next(frame: Buffer, at: number, end: number): 'records' | 'nothing' | 'damaged' {
    const attributes = frame.readInt16BE(at + BATCH.attributes)
    const producer = frame.readBigInt64BE(at + BATCH.producerId)
    const last = frame.readBigInt64BE(at + BATCH.firstOffset) + BigInt(frame.readInt32BE(at + BATCH.lastOffsetDelta))
    while (this.#ahead.length > 0 && this.#ahead.at(-1)!.firstOffset <= last)
      this.#open.add(this.#ahead.pop()!.producerId)
    if ((attributes & CONTROL) === 0)
      return (attributes & TRANSACTIONAL) !== 0 && this.#open.has(producer) ? 'nothing' : 'records'
    const type = markerType(frame, at, end)
    if (type === ABORT) this.#open.delete(producer)
    return type === undefined ? 'damaged' : 'nothing'
  }
}

/** The type of a transaction marker; `undefined` when the batch is no marker. */
function markerType(frame: Buffer, at: number, end: number): number | undefined {
  const count = frame.readInt32BE(at + BATCH.count)
  // compaction may leave an empty one
  if (count === 0 && end === at + BATCH.records) return -1
  if (count !== 1 || (frame.readInt16BE(at + BATCH.attributes) & CODEC_MASK) !== 0) return undefined
  try {
    const reader = new VarintReader(frame.subarray(0, end), at + BATCH.records)
    reader.int()
    reader.skip(1)
    reader.skipLong()
    reader.int()
    const key = reader.bytesOf(reader.int())
    return key.length < KEY_TYPE + 2 ? undefined : key.readInt16BE(KEY_TYPE)
  } catch (error) {
    if (error instanceof UnpackError) return undefined
    throw error
  }
}
