// Which batches of a fetch answer are marked, and as what. Knows the order of batches and of transactions; reads no record but
// a marker's.

import { fetchedLogs } from './fetch-answer.ts'
import type { FetchedLog } from './fetch-answer.ts'
import { BATCH, CODEC_MASK, CONTROL, MAGIC, TRANSACTIONAL, UNCOUNTED } from './log-batch.ts'
import { mark, markNowhere, NOWHERE } from './marked-batches.ts'
import { UnpackError } from './unpack-error.ts'
import { VarintReader } from './varint-reader.ts'

const OLD_MAGIC = 1
/** What `length` counts at least. */
const LEAST = BATCH.records - UNCOUNTED
const MOST = 0x7fff_ffff
/** Kafka's code for "corrupt". */
const CORRUPT = 2
/** A control record's key: version, then the type. */
const KEY_TYPE = 2
const ABORT = 0

/** Marks all batches that kafkajs would take apart, but those of Kafka before 0.11. Never throws.
 *  @param frame a whole answer of FETCH_VERSION, in memory of its own */
export function markAnswer(frame: Buffer): void {
  try {
    for (const log of fetchedLogs(frame)) {
      // kafkajs would pass over it, and ask for it again, for ever
      if (log.to > frame.length) frame.writeInt16BE(CORRUPT, log.errorAt)
      else if (log.to > log.from) markLog(frame, log)
    }
  } catch (error) {
    // kafkajs throws too, and asks again: the client is made anew
    if (!(error instanceof RangeError)) throw error
  }
}

function markLog(frame: Buffer, log: FetchedLog): void {
  const { from, to } = log
  if (from + BATCH.magic < to && isOld(frame, from)) return
  const transactions = new Transactions(log.aborted)
  let [at, next] = [from, 0n]
  for (; at + BATCH.records <= to;) {
    const end = endOf(frame, at)
    if (end === undefined || end > to) break
    const first = frame.readBigInt64BE(at + BATCH.firstOffset)
    const delta = frame.readInt32BE(at + BATCH.lastOffsetDelta)
    if (first < next || delta < 0 || first + BigInt(delta) >= NOWHERE) markNowhere(frame, at, end)
    else {
      mark(frame, at, transactions.meet(frame, at, end))
      next = first + BigInt(delta) + 1n
    }
    at = end
  }
  if (at === from) markNone(frame, log)
  // what is no batch is met again as the first of an answer
  else if (at + BATCH.records <= to) frame.writeInt32BE(MOST, at + BATCH.length)
}

/** Brokers send at least one whole batch, or nothing. */
function markNone(frame: Buffer, { errorAt, from, to }: FetchedLog): void {
  if (to - from >= BATCH.records) markNowhere(frame, from, to)
  else frame.writeInt16BE(CORRUPT, errorAt)
}

function isOld(frame: Buffer, at: number): boolean {
  const magic = frame.readInt8(at + BATCH.magic)
  return magic >= 0 && magic <= OLD_MAGIC
}

/** @returns undefined: it is no batch */
function endOf(frame: Buffer, at: number): number | undefined {
  const length = frame.readInt32BE(at + BATCH.length)
  return frame.readInt8(at + BATCH.magic) === MAGIC && length >= LEAST ? at + UNCOUNTED + length : undefined
}

/** Those that were rolled back, from batch to batch. */
class Transactions {
  readonly #ahead: FetchedLog['aborted'][number][]
  /** Producers. */
  readonly #open = new Set<bigint>()

  constructor(aborted: FetchedLog['aborted']) {
    // brokers list them as they ended
    this.#ahead = aborted.toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1)).reverse()
  }

  /** @returns what is to be made of the batch: its records, nothing (rolled back, or a marker), or it cannot be understood */
  meet(frame: Buffer, at: number, end: number): 'records' | 'nothing' | 'damaged' {
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

/** @returns undefined: it is none */
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
