// The records of one batch, unpacked, as they lie one after another (record format v2). Every place is checked here, so that
// nothing goes wrong when a record is looked at.

import { fitsLetter, HeavyRecord, LogRecord, NULL_SIZE, tooManyHeaders } from './log-record.ts'
import type { LogBatch } from './log-record.ts'
import { damaged, UnpackError } from './unreadable-batch.ts'
import { VarintReader } from './varint-reader.ts'

/** The least that a record takes: length, attributes, time, offset, key, value, headers. */
const LEAST_BYTES = 7
/** Two lengths. */
const LEAST_HEADER = 2
/** Of a batch: few bytes may unpack to millions that are alike. */
const MOST = 2_000_000

/** @param count, lastOffsetDelta as its head says
 *  @throws UnpackError where there are fewer or more, or one is not what it must be */
export function readLogRecords(batch: LogBatch, count: number, lastOffsetDelta: number): LogRecord[] {
  checkCount(count, batch.bytes.length)
  const records: LogRecord[] = []
  const walk = new RecordWalk(count, lastOffsetDelta)
  walk.read(batch, records)
  walk.end()
  return records
}

/** @param bytes that all of them have, or at least so many @throws UnpackError where there cannot be as many, or may not */
export function checkCount(count: number, bytes: number): void {
  if (count < 0 || count > bytes / LEAST_BYTES) throw damaged('it holds fewer records than it says')
  if (count > MOST) throw new UnpackError('tooLarge', `it holds ${count} records, and ${MOST} are the most`)
}

/** A batch's records, part by part. Throws UnpackError where one is not what it must be. */
export class RecordWalk {
  #left: number
  #before = -1
  readonly #lastOffsetDelta: number

  /** @param count, lastOffsetDelta as its head says */
  constructor(count: number, lastOffsetDelta: number) {
    this.#left = count
    this.#lastOffsetDelta = lastOffsetDelta
  }

  /** @param batch its next whole records @param into they are put there; absent: they are only checked */
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

  /** There are no more. */
  end(): void {
    if (this.#left > 0) throw damaged('it holds fewer records than it says')
    if (this.#before > this.#lastOffsetDelta) throw damaged('its offsets reach beyond its last')
  }
}

/** Where a record's parts stand. */
class Place {
  offsetDelta = 0
  timestampAt = 0
  keyFrom = 0
  keySize = 0
  valueFrom = 0
  valueSize = 0
  headers = 0
  /** That its headers take, behind their number. */
  headerBytes = 0
}

/** One for all, as each is used before the next is found. */
const found = new Place()

/** @param end of the record, which the bytes have */
function placeOf(reader: VarintReader, end: number): Place {
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

function skipHeaders(reader: VarintReader, { headers, headerBytes }: Place, end: number): void {
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

function recordAt(batch: LogBatch, place: Place): LogRecord {
  const { offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize, headers, headerBytes } = place
  const why = headers === 0 ? undefined : tooManyHeaders(headers, headerBytes)
  if (why === undefined) return new LogRecord(batch, offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize)
  const isLetters = fitsLetter(headers, headerBytes)
  return new HeavyRecord(why, isLetters, batch, offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize)
}
