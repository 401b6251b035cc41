// Reads the records of an unpacked batch (record format v2). All positions are checked here, so that nothing can fail when a
// record is used. A batch that is unpacked in parts is read by one `RecordWalk`, part by part.

import { LogRecord, HeavyRecord, RecordBounds, type LogBatch } from './log-record.ts'
import { skipHeaders, tooManyHeaders } from './record-headers.ts'
import { damaged, UnpackError } from './unreadable-batch.ts'
import { NULL_SIZE, VarintReader } from './varint-reader.ts'

/** The smallest record, a byte each: length, attributes, timestamp, offset, key, value, headers. */
const LEAST_BYTES = 7
/** Most records of a batch: a few bytes may unpack to millions of equal records. */
const MOST_RECORDS = 2_000_000

/** Reads all records of a batch. @param count, lastOffsetDelta from the batch header
 *  @throws UnpackError if there are fewer or more records, or one is malformed */
export function readLogRecords(batch: LogBatch, count: number, lastOffsetDelta: number): LogRecord[] {
  checkCount(count, batch.bytes.length)
  const records: LogRecord[] = []
  const walk = new RecordWalk(count, lastOffsetDelta)
  walk.read(batch, records)
  walk.end()
  return records
}

/** Checks a number of records. @param bytes an upper limit of their total size
 *  @throws UnpackError if so many cannot be in these bytes, or are too many */
export function checkCount(count: number, bytes: number): void {
  if (count < 0 || count > bytes / LEAST_BYTES) throw damaged('it holds fewer records than it says')
  if (count > MOST_RECORDS)
    throw new UnpackError('tooLarge', `it holds ${count} records, and ${MOST_RECORDS} are the most`)
}

/** Reads the records of a batch part by part: `read` for each part, then `end`. Both throw UnpackError if something is malformed. */
export class RecordWalk {
  #recordsLeft: number
  /** Offset of the record before, counted from the first offset of the batch; -1 before the first record. */
  #lastDelta = -1
  readonly #bounds = new RecordBounds()
  readonly #lastOffsetDelta: number

  /** @param count, lastOffsetDelta from the batch header */
  constructor(count: number, lastOffsetDelta: number) {
    this.#recordsLeft = count
    this.#lastOffsetDelta = lastOffsetDelta
  }

  /** @param batch the next whole records @param into where to put them; without it they are only checked */
  read(batch: LogBatch, into?: LogRecord[]): void {
    const { bytes } = batch
    const bounds = this.#bounds
    const reader = new VarintReader(bytes, 0)
    for (; reader.at < bytes.length && this.#recordsLeft > 0; this.#recordsLeft--) {
      const length = reader.int()
      const end = reader.at + length
      if (length <= 0 || end > bytes.length) throw damaged('it holds fewer records than it says')
      locate(bounds, reader, end)
      if (reader.at !== end) throw damaged('a record does not end where it says')
      if (bounds.offsetDelta <= this.#lastDelta) throw damaged('its offsets do not ascend')
      this.#lastDelta = bounds.offsetDelta
      into?.push(recordAt(batch, bounds))
    }
    if (reader.at < bytes.length) throw damaged('it holds more records than it says')
  }

  /** Checks that the batch is complete. */
  end(): void {
    if (this.#recordsLeft > 0) throw damaged('it holds fewer records than it says')
    if (this.#lastDelta > this.#lastOffsetDelta) throw damaged('its offsets reach beyond its last')
  }
}

/** Fills the bounds of the record whose length the reader has just read. @param end of the record, within the bytes */
function locate(bounds: RecordBounds, reader: VarintReader, end: number): void {
  // one byte of attributes stands before the timestamp
  bounds.timestampAt = ++reader.at
  reader.skipLong()
  bounds.offsetDelta = reader.int()
  bounds.keySize = reader.int()
  bounds.keyFrom = reader.at
  if (bounds.keySize !== NULL_SIZE) reader.skip(bounds.keySize)
  bounds.valueSize = reader.int()
  bounds.valueFrom = reader.at
  if (bounds.valueSize !== NULL_SIZE) reader.skip(bounds.valueSize)
  bounds.headerCount = reader.int()
  bounds.headerBytes = end - reader.at
  if (bounds.headerCount !== 0) skipHeaders(reader, bounds.headerCount, bounds.headerBytes)
}

function recordAt(batch: LogBatch, bounds: RecordBounds): LogRecord {
  const whyUnread = bounds.headerCount === 0 ? undefined : tooManyHeaders(bounds.headerCount, bounds.headerBytes)
  return whyUnread === undefined ? new LogRecord(batch, bounds) : new HeavyRecord(batch, bounds, whyUnread)
}
