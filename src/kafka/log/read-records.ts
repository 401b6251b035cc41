// Reads the records of an unpacked batch (record format v2). All positions are checked here, so that nothing can fail when a
// record is used.

import { LogRecord, NULL_SIZE, fitsLetter, tooManyHeaders, HeavyRecord } from './log-record.ts'
import type { LogBatch } from './log-record.ts'
import { damaged, UnpackError } from './unreadable-batch.ts'
import { VarintReader } from './varint-reader.ts'

/** The smallest record: length, attributes, timestamp, offset, key, value, headers. */
const LEAST_BYTES = 7
/** The smallest header: two lengths. */
const LEAST_HEADER = 2
/** Most records of a batch: a few bytes may unpack to millions of equal records. */
const MOST_RECORDS = 2_000_000

/** @param count, lastOffsetDelta from the batch header
 *  @throws UnpackError if there are fewer or more records, or one is malformed */
export function readLogRecords(batch: LogBatch, count: number, lastOffsetDelta: number): LogRecord[] {
  checkCount(count, batch.bytes.length)
  const records: LogRecord[] = []
  const walk = new RecordWalk(count, lastOffsetDelta)
  walk.read(batch, records)
  walk.end()
  return records
}

/** @param bytes an upper limit of their total size @throws UnpackError if so many are impossible or too many */
export function checkCount(count: number, bytes: number): void {
  if (count < 0 || count > bytes / LEAST_BYTES) throw damaged('it holds fewer records than it says')
  if (count > MOST_RECORDS)
    throw new UnpackError('tooLarge', `it holds ${count} records, and ${MOST_RECORDS} are the most`)
}

/** Reads the records of a batch part by part. Throws UnpackError if one is malformed. */
export class RecordWalk {
  #left: number
  #before = -1
  readonly #lastOffsetDelta: number

  /** @param count, lastOffsetDelta from the batch header */
  constructor(count: number, lastOffsetDelta: number) {
    this.#left = count
    this.#lastOffsetDelta = lastOffsetDelta
  }

  /** @param batch the next whole records @param into where to put them; without it they are only checked */
  read(batch: LogBatch, into?: LogRecord[]): void {
    const { bytes } = batch
    const reader = new VarintReader(bytes, 0)
    for (; reader.at < bytes.length && this.#left > 0; this.#left--) {
      const length = reader.int()
      const end = reader.at + length
      if (length <= 0 || end > bytes.length) throw damaged('it holds fewer records than it says')
      const place = placeOf(reader, end)
      if (reader.at !== end) throw damaged('a record does not end where it says')
      if (place.offsetDelta <= this.#before) throw damaged('its offsets do not ascend')
      this.#before = place.offsetDelta
      into?.push(recordAt(batch, place))
    }
    if (reader.at < bytes.length) throw damaged('it holds more records than it says')
  }

  /** Checks that the batch is complete. */
  end(): void {
    if (this.#left > 0) throw damaged('it holds fewer records than it says')
    if (this.#before > this.#lastOffsetDelta) throw damaged('its offsets reach beyond its last')
  }
}

/** Positions of a record's fields. */
class RecordBounds {
  offsetDelta = 0
  timestampAt = 0
  keyFrom = 0
  keySize = 0
  valueFrom = 0
  valueSize = 0
  headers = 0
  /** Size of the headers, without their number. */
  headerBytes = 0
}

/** Shared by all records, to save an object per record. */
const found = new RecordBounds()

/** @param end of the record, within the bytes */
function placeOf(reader: VarintReader, end: number): RecordBounds {
  found.timestampAt = ++reader.at
  reader.skipLong()
  found.offsetDelta = reader.int()
  found.keySize = reader.int()
  found.keyFrom = reader.at
  if (found.keySize !== NULL_SIZE) reader.skip(found.keySize)
  found.valueSize = reader.int()
  found.valueFrom = reader.at
  if (found.valueSize !== NULL_SIZE) reader.skip(found.valueSize)
  found.headers = reader.int()
  found.headerBytes = end - reader.at
  if (found.headers !== 0) skipHeaders(reader, found, end)
  return found
}

function skipHeaders(reader: VarintReader, { headers, headerBytes }: RecordBounds, end: number): void {
  if (headers < 0 || headers * LEAST_HEADER > headerBytes) throw damaged('a record has no possible number of headers')
  if (!fitsLetter(headers, headerBytes)) {
    reader.at = end
    return
  }
  for (let left = headers; left > 0; left--) {
    reader.skip(reader.int())
    const size = reader.int()
    if (size !== NULL_SIZE) reader.skip(size)
  }
}

function recordAt(batch: LogBatch, place: RecordBounds): LogRecord {
  const { offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize, headers, headerBytes } = place
  const why = headers === 0 ? undefined : tooManyHeaders(headers, headerBytes)
  if (why === undefined) return new LogRecord(batch, offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize)
  const isLetters = fitsLetter(headers, headerBytes)
  return new HeavyRecord(why, isLetters, batch, offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize)
}
