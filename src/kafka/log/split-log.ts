// Splits the log of one partition, as a fetch answer brings it, into its batches. Checks their order and their sizes, and finds which
// belong to aborted transactions; it unpacks nothing and reads no records except transaction markers.

import type { FetchedLog } from './fetch-answer.ts'
import { APPEND_TIME, BATCH, CODEC_MASK, CONTROL, MAGIC, NO_OFFSET, TRANSACTIONAL, UNCOUNTED } from './record-batch.ts'
import type { PackedBatch } from './record-batch.ts'
import { UnpackError } from './unreadable-batch.ts'
import { VarintReader } from './varint-reader.ts'

/** The last version of the format of Kafka before 0.11, which is not read. */
const OLD_MAGIC = 1
/** The smallest possible `length` of a batch. */
const LEAST_LENGTH = BATCH.records - UNCOUNTED
/** Place of a marker's type in its key, behind the version. */
const MARKER_TYPE_AT = 2
/** Types of a marker: of a rolled-back transaction, and (not Kafka's) of a marker whose record compaction has removed. Others commit. */
const ABORT = 0
const REMOVED = -1
const NO_BYTES = Buffer.alloc(0)

/** @param bytes the log: whole batches, of which the last may be cut off
 *  @returns its batches in order, as views of `bytes`, up to the first whose end is not known; empty when there is no whole header */
export function splitLog(bytes: Buffer, aborted: FetchedLog['aborted']): readonly PackedBatch[] {
  if (isOld(bytes)) return [batchWithoutOffsets('old')]
  const batches: PackedBatch[] = []
  const transactions = new Transactions(aborted)
  let at = 0
  let leastOffset = 0n
  while (at + BATCH.records <= bytes.length) {
    const end = endOf(bytes, at)
    // not a whole batch: it will be the first of the next answer
    if (end === undefined || end > bytes.length) break
    const first = bytes.readBigInt64BE(at + BATCH.firstOffset)
    const delta = bytes.readInt32BE(at + BATCH.lastOffsetDelta)
    const isMisplaced = first < leastOffset || delta < 0 || first + BigInt(delta) >= NO_OFFSET
    if (isMisplaced) batches.push(batchWithoutOffsets('damaged'))
    else {
      batches.push(packedBatch(bytes, at, end, transactions.next(bytes, at, end)))
      leastOffset = first + BigInt(delta) + 1n
    }
    at = end
  }
  // brokers send at least one whole batch, or nothing at all
  return at === 0 && bytes.length >= BATCH.records ? [batchWithoutOffsets('damaged')] : batches
}

/** The batch that a log begins with, if it is too large to be read: it reaches beyond the bytes that are there.
 *  `undefined` when the log begins with no batch, or with one that is there whole. */
export function batchTooLarge(bytes: Buffer): PackedBatch | undefined {
  const end = bytes.length < BATCH.records ? undefined : endOf(bytes, 0)
  return end === undefined || end <= bytes.length ? undefined : packedBatch(bytes, 0, BATCH.records, 'tooLarge')
}

function packedBatch(bytes: Buffer, at: number, end: number, readAs: PackedBatch['readAs']): PackedBatch {
  const attributes = bytes.readInt16BE(at + BATCH.attributes)
  const first = bytes.readBigInt64BE(at + BATCH.firstOffset)
  return {
    codec: readAs === 'damaged' ? 0 : attributes & CODEC_MASK,
    count: bytes.readInt32BE(at + BATCH.count),
    readAs,
    first,
    last: first + BigInt(bytes.readInt32BE(at + BATCH.lastOffsetDelta)),
    firstTimestamp: bytes.readBigInt64BE(at + BATCH.firstTimestamp),
    appendTime: (attributes & APPEND_TIME) === 0 ? undefined : bytes.readBigInt64BE(at + BATCH.maxTimestamp),
    packed: readAs === 'records' ? bytes.subarray(at + BATCH.records, end) : NO_BYTES,
    ownsMemory: at === 0 && end === bytes.length,
  }
}

/** Stands for a batch that cannot be read and has no valid offsets. */
function batchWithoutOffsets(readAs: 'old' | 'damaged'): PackedBatch {
  const place = { first: NO_OFFSET, last: NO_OFFSET, firstTimestamp: 0n, appendTime: undefined }
  return { ...place, codec: 0, count: 1, readAs, packed: NO_BYTES, ownsMemory: false }
}

/** Whether the log begins in the format of Kafka before 0.11, which brokers may still have on disk. */
function isOld(bytes: Buffer): boolean {
  if (bytes.length <= BATCH.magic) return false
  const magic = bytes.readInt8(BATCH.magic)
  return magic >= 0 && magic <= OLD_MAGIC
}

/** The end of the batch at `at`, as its header says; `undefined` when there is no batch. */
function endOf(bytes: Buffer, at: number): number | undefined {
  const length = bytes.readInt32BE(at + BATCH.length)
  return bytes.readInt8(at + BATCH.magic) === MAGIC && length >= LEAST_LENGTH ? at + UNCOUNTED + length : undefined
}

/** Tracks aborted transactions from batch to batch. `next` must see each batch that has valid offsets, in order. */
class Transactions {
  /** Aborted transactions that begin further on, the next one last. */
  readonly #ahead: FetchedLog['aborted'][number][]
  /** Producers inside an aborted transaction. */
  readonly #open = new Set<bigint>()

  constructor(aborted: FetchedLog['aborted']) {
    // brokers list them in the order in which they ended
    this.#ahead = aborted.toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1)).reverse()
  }

  /** Takes the batch from `at` to `end`. @returns how to read it; `nothing` when it was rolled back, or is a marker */
  next(bytes: Buffer, at: number, end: number): 'records' | 'nothing' | 'damaged' {
    const attributes = bytes.readInt16BE(at + BATCH.attributes)
    const producer = bytes.readBigInt64BE(at + BATCH.producerId)
    const last = bytes.readBigInt64BE(at + BATCH.firstOffset) + BigInt(bytes.readInt32BE(at + BATCH.lastOffsetDelta))
    while (this.#ahead.length > 0 && this.#ahead.at(-1)!.firstOffset <= last)
      this.#open.add(this.#ahead.pop()!.producerId)
    if ((attributes & CONTROL) === 0)
      return (attributes & TRANSACTIONAL) !== 0 && this.#open.has(producer) ? 'nothing' : 'records'
    const type = markerType(bytes, at, end)
    if (type === ABORT) this.#open.delete(producer)
    return type === undefined ? 'damaged' : 'nothing'
  }
}

/** The type of a transaction marker, a batch of one record, whose key says it; `undefined` when the batch is damaged. */
function markerType(bytes: Buffer, at: number, end: number): number | undefined {
  const count = bytes.readInt32BE(at + BATCH.count)
  if (count === 0 && end === at + BATCH.records) return REMOVED
  if (count !== 1 || (bytes.readInt16BE(at + BATCH.attributes) & CODEC_MASK) !== 0) return undefined
  try {
    const reader = new VarintReader(bytes.subarray(0, end), at + BATCH.records)
    // length, attributes, timestamp and offset stand before the key
    reader.int()
    reader.skip(1)
    reader.skipLong()
    reader.int()
    const key = reader.bytesOf(reader.int())
    return key.length < MARKER_TYPE_AT + 2 ? undefined : key.readInt16BE(MARKER_TYPE_AT)
  } catch (error) {
    if (error instanceof UnpackError) return undefined
    throw error
  }
}
