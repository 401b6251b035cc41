// The records of one batch, unpacked, as they lie one after another (record format v2). Every place is checked here, so that
// nothing goes wrong when a record is looked at.

import { fitsLetter, tooManyHeaders } from './header-limits.ts'
import { ABSENT, HeavyRecord, LogRecord } from './log-record.ts'
import type { LogBatch } from './log-record.ts'
import { damaged, UnpackError } from './unpack-error.ts'
import { VarintReader } from './varint-reader.ts'

/** The least that a record takes: length, attributes, time, offset, key, value, headers. */
const LEAST_BYTES = 7
/** Two lengths. */
const LEAST_HEADER = 2
/** Each takes a hundred bytes here, also where it is one of millions that are alike, and that a codec made a few bytes of. */
const MOST = 2_000_000

/** @param count, lastOffsetDelta as its head says
 *  @throws UnpackError where they are not so many, or one is not what it must be */
export function readLogRecords(batch: LogBatch, count: number, lastOffsetDelta: number): LogRecord[] {
  const { bytes } = batch
  if (count < 0 || count > bytes.length / LEAST_BYTES) throw damaged('it holds fewer records than it says')
  if (count > MOST) throw new UnpackError('tooLarge', `it holds ${count} records, and ${MOST} are the most`)
  const records: LogRecord[] = []
  const reader = new VarintReader(bytes, 0)
  let before = -1
  for (let left = count; left > 0; left--) {
    const length = reader.at < bytes.length ? reader.int() : 0
    const end = reader.at + length
    if (length <= 0 || end > bytes.length) throw damaged('it holds fewer records than it says')
    const record = readOne(batch, reader, end)
    if (reader.at !== end) throw damaged('a record does not end where it says')
    if (record.offsetDelta <= before) throw damaged('its offsets do not ascend')
    before = record.offsetDelta
    records.push(record)
  }
  if (before > lastOffsetDelta) throw damaged('its offsets reach beyond its last')
  if (reader.at < bytes.length) throw damaged('it holds more records than it says')
  return records
}

/** @param end of the record, which the batch has */
function readOne(batch: LogBatch, reader: VarintReader, end: number): LogRecord {
  const timestampAt = ++reader.at
  reader.skipLong()
  const offsetDelta = reader.int()
  const keySize = reader.int()
  const keyFrom = reader.at
  if (keySize !== ABSENT) reader.skip(keySize)
  const valueSize = reader.int()
  const valueFrom = reader.at
  if (valueSize !== ABSENT) reader.skip(valueSize)
  const headers = reader.int()
  if (headers !== 0) {
    const bytes = end - reader.at
    if (headers < 0 || headers * LEAST_HEADER > bytes) throw damaged('a record has no possible number of headers')
    const why = tooManyHeaders(headers, bytes)
    const isLetters = why === undefined || fitsLetter(headers, bytes)
    if (isLetters) skipHeaders(reader, headers)
    else reader.at = end
    if (why !== undefined)
      return new HeavyRecord(why, isLetters, batch, offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize)
  }
  return new LogRecord(batch, offsetDelta, timestampAt, keyFrom, keySize, valueFrom, valueSize)
}

function skipHeaders(reader: VarintReader, count: number): void {
  for (let left = count; left > 0; left--) {
    reader.skip(reader.int())
    const size = reader.int()
    if (size !== ABSENT) reader.skip(size)
  }
}
