// Splits the log of one partition, as a fetch answer brings it, into its batches. Checks their order and their places, and finds which
// belong to aborted transactions; it unpacks nothing and reads no records except transaction markers.

import type { FetchedLog } from './fetch-answer.ts'
import { APPEND_TIME, BATCH, CODEC_MASK, CONTROL, MAGIC, NOWHERE, TRANSACTIONAL, UNCOUNTED } from './record-batch.ts'
import type { PackedBatch } from './record-batch.ts'
import { UnpackError } from './unreadable-batch.ts'
import { VarintReader } from './varint-reader.ts'

/** Batches of up to this version of the format are not read. */
const OLD_MAGIC = 1
/** The smallest possible `length` of a batch. */
const LEAST_LENGTH = BATCH.records - UNCOUNTED
/** The type in a control record's key, after the version. */
const KEY_TYPE = 2
const ABORT = 0
const NOTHING = Buffer.alloc(0)

/** @param bytes the log: whole batches, of which the last may be cut off
 *  @returns its batches in order, views of `bytes`, up to the first that has no valid place; empty when there is no whole header */
export function splitLog(bytes: Buffer, aborted: FetchedLog['aborted']): readonly PackedBatch[] {
  if (isOld(bytes)) return [nowhere('old')]
  const batches: PackedBatch[] = []
  const transactions = new Transactions(aborted)
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
  // brokers send at least one whole batch, or nothing at all
  return at === 0 && bytes.length >= BATCH.records ? [nowhere()] : batches
}

/** The batch that a log begins with, where it reaches beyond the bytes that are there: it is too large to be read.
 *  @returns `undefined` when the log begins with no batch, or with one that is there whole */
export function batchTooLarge(bytes: Buffer): PackedBatch | undefined {
  const end = bytes.length < BATCH.records ? undefined : endOf(bytes, 0)
  return end === undefined || end <= bytes.length ? undefined : packedBatch(bytes, 0, BATCH.records, 'tooLarge')
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

/** An unreadable batch without valid offsets. It gets the highest offset, so that no fetch leaves it out as an earlier one. */
function nowhere(as: PackedBatch['as'] = 'damaged'): PackedBatch {
  const place = { first: NOWHERE, last: NOWHERE, firstTimestamp: 0n, appendTime: undefined }
  return { ...place, codec: 0, count: 1, as, packed: NOTHING, isAlone: false }
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
  return frame.readInt8(at + BATCH.magic) === MAGIC && length >= LEAST_LENGTH ? at + UNCOUNTED + length : undefined
}

/** Tracks aborted transactions from batch to batch. */
class Transactions {
  /** Those that begin further on, the next one last. */
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
