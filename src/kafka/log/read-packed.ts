// Reads the records of a fetched batch. Call `readWhole` first; only a batch of which it says `large` is read in parts (`readParts`).

import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { LogBatch, LogRecord } from './log-record.ts'
import { checkCount, readLogRecords, RecordWalk } from './read-records.ts'
import { NO_OFFSET, type PackedBatch } from './record-batch.ts'
import { damaged, tooLarge, UnpackError, type Codec, type UnreadableBatch } from './unreadable-batch.ts'
import { CODECS, unpack, unpackParts } from './unpack.ts'
import { wholeRecords, type Chunks } from './packed-parts.ts'

/** Most bytes that a batch may unpack to. */
export const UNPACKED_LIMIT = 128 * 1024 * 1024
/** A batch with more unpacked bytes or records is read in parts. */
const WHOLE_BYTES = 16 * 1024 * 1024
const WHOLE_RECORDS = 100_000
/** Kafka's number of the codec for records that are not compressed. */
const PLAIN = 0

export interface ReadRecords {
  /** Records by offset. */
  readonly records: LogRecord[]
  /** Their unpacked size. */
  readonly bytes: number
}

/** Reads all records of a batch at once. @returns `large` if it has to be read in parts @throws UnpackError, or rejects with it */
export function readWhole(batch: PackedBatch): ReadRecords | 'large' | Promise<ReadRecords | 'large'> {
  const { readAs, codec, count, packed } = batch
  if (readAs === 'tooLarge') throw tooLarge(UNPACKED_LIMIT)
  if (readAs === 'old') throw new UnpackError('old', 'the format of Kafka before 0.11 (message format 0 or 1)')
  if (readAs === 'damaged') throw damaged('it is not a batch, or only a part of one')
  // compaction may leave a batch header without records
  if (readAs === 'nothing' || (count === 0 && packed.length === 0)) return { records: [], bytes: 0 }
  if (packed.length > WHOLE_BYTES || count > WHOLE_RECORDS) return 'large'
  if (codec === PLAIN) return readUnpacked(batch, packed)
  try {
    const unpacked = unpack(codecOf(codec), packed, WHOLE_BYTES)
    if (unpacked instanceof Promise) return unpacked.then((bytes) => readUnpacked(batch, bytes), largeOrThrow)
    return readUnpacked(batch, unpacked)
  } catch (error) {
    return largeOrThrow(error)
  }
}

/** Reads a large batch part by part. It is unpacked twice: no record is yielded before the whole batch was checked. @throws UnpackError */
export async function* readParts(batch: PackedBatch): AsyncGenerator<ReadRecords> {
  const { count, packed } = batch
  if (packed.length > UNPACKED_LIMIT) throw tooLarge(UNPACKED_LIMIT)
  checkCount(count, UNPACKED_LIMIT)
  for await (const _ of walkedParts(batch, 'check')) await letOthersRun()
  for await (const part of walkedParts(batch, 'read')) {
    yield part
    await letOthersRun()
  }
}

/** Unpacks the batch and checks its records, part by part. @param mode `check`: the parts are yielded without records */
async function* walkedParts(batch: PackedBatch, mode: 'check' | 'read'): AsyncGenerator<ReadRecords> {
  const { count, first, last } = batch
  const lastOffsetDelta = Number(last - first)
  const walk = new RecordWalk(count, lastOffsetDelta)
  for await (const bytes of wholeRecords(chunksOf(batch), UNPACKED_LIMIT, mode === 'read')) {
    const records: LogRecord[] = []
    walk.read(logBatch(batch, bytes), mode === 'read' ? records : undefined)
    yield { records, bytes: bytes.length }
  }
  walk.end()
}

function chunksOf({ codec, packed }: PackedBatch): Chunks {
  return codec === PLAIN ? [packed] : unpackParts(codecOf(codec), packed, UNPACKED_LIMIT)
}

function readUnpacked(batch: PackedBatch, bytes: Buffer): ReadRecords {
  const { count, first, last } = batch
  return { records: readLogRecords(logBatch(batch, bytes), count, Number(last - first)), bytes: bytes.length }
}

function logBatch({ first, firstTimestamp, appendTime }: PackedBatch, bytes: Buffer): LogBatch {
  return { bytes, firstOffset: first, firstTimestamp, appendTime }
}

function largeOrThrow(error: unknown): 'large' {
  if (error instanceof UnpackError && error.reason === 'tooLarge') return 'large'
  throw error
}

function codecOf(codec: number): Codec {
  const name = CODECS[codec]
  if (name === undefined) throw damaged('Kafka has no such codec')
  return name
}

/** Describes a batch that could not be read because of an UnpackError. @throws `error` if it is another one */
export function unreadableOf({ codec, first, last }: PackedBatch, error: unknown): UnreadableBatch {
  if (!(error instanceof UnpackError)) throw error
  const name = codec === PLAIN ? 'none' : (CODECS[codec] ?? (`codec ${codec}` as const))
  return { codec: name, error, offsets: first === NO_OFFSET ? undefined : { first, last } }
}
