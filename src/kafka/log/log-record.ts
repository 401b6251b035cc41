// A record as it is stored in the log. Its fields are decoded only when they are used: hundreds of thousands of records pass per
// second. The number of headers is limited, because a few compressed bytes can hold millions of them.

import { damaged, UnpackError } from './record-batch.ts'
import { VarintReader } from './varint-reader.ts'
import type { KafkaHeader, KafkaRecord, UnreadHeaders } from '../types.ts'

/** Facts that the records of a batch share. */
export interface LogBatch {
  /** Unpacked records, one after another. */
  readonly bytes: Buffer
  readonly firstOffset: bigint
  readonly firstTimestamp: bigint
  /** The timestamp of all records, if the broker sets it. */
  readonly appendTime: bigint | undefined
}

/** Each getter decodes again: call it once. All positions were checked before. */
export class LogRecord implements KafkaRecord {
  readonly #batch: LogBatch
  /** From the first offset of its batch. */
  readonly offsetDelta: number
  readonly #timestampAt: number
  readonly #keyFrom: number
  readonly #keySize: number
  readonly #valueFrom: number
  readonly #valueSize: number

  /** @param keySize, valueSize NULL_SIZE for null; the headers follow the value */
  // oxlint-disable-next-line max-params -- an options object would be garbage for each record (bench/kafka)
  constructor(
    batch: LogBatch,
    offsetDelta: number,
    timestampAt: number,
    keyFrom: number,
    keySize: number,
    valueFrom: number,
    valueSize: number,
  ) {
    this.#batch = batch
    this.offsetDelta = offsetDelta
    this.#timestampAt = timestampAt
    this.#keyFrom = keyFrom
    this.#keySize = keySize
    this.#valueFrom = valueFrom
    this.#valueSize = valueSize
  }

  get offset(): bigint {
    return this.#batch.firstOffset + BigInt(this.offsetDelta)
  }

  get timestamp(): bigint {
    const { appendTime, firstTimestamp, bytes } = this.#batch
    return appendTime ?? firstTimestamp + new VarintReader(bytes, this.#timestampAt).long()
  }

  get key(): Buffer | null {
    return this.#view(this.#keyFrom, this.#keySize)
  }

  get value(): Buffer | null {
    return this.#view(this.#valueFrom, this.#valueSize)
  }

  get headers(): readonly KafkaHeader[] {
    return readHeaders(new VarintReader(this.#batch.bytes, this.#valueFrom + Math.max(0, this.#valueSize)))
  }

  #view(from: number, size: number): Buffer | null {
    return size === NULL_SIZE ? null : this.#batch.bytes.subarray(from, from + size)
  }
}

const NO_HEADERS: readonly KafkaHeader[] = []

/** A record with more headers than we read. */
export class HeavyRecord extends LogRecord {
  readonly #why: string
  readonly #fitsLetter: boolean

  /** @param why the message @param fitsLetter whether a dead letter may have these headers */
  constructor(why: string, fitsLetter: boolean, ...record: ConstructorParameters<typeof LogRecord>) {
    super(...record)
    this.#why = why
    this.#fitsLetter = fitsLetter
  }

  override get headers(): readonly KafkaHeader[] {
    return NO_HEADERS
  }

  get unread(): UnreadHeaders {
    return { why: this.#why, ofLetter: this.#fitsLetter ? super.headers : undefined }
  }
}

/** A length that stands for null. */
export const NULL_SIZE = -1
const NONE: readonly KafkaHeader[] = []

/** Reads headers in order; values are views. @throws UnpackError if they are malformed */
export function readHeaders(reader: VarintReader): readonly KafkaHeader[] {
  const count = reader.int()
  if (count === 0) return NONE
  if (count < 0) throw damaged('a record has no possible number of headers')
  const headers: KafkaHeader[] = []
  for (let left = count; left > 0; left--) {
    const name = reader.bytesOf(reader.int())
    const size = reader.int()
    headers.push([name.toString('utf8'), size === NULL_SIZE ? null : reader.bytesOf(size)])
  }
  return headers
}

const MOST_HEADERS = 1000
/** Most bytes of headers as stored, names and lengths included. */
const HEADER_BYTES = 256 * 1024
/** A dead letter adds its own headers to those of its record (dead-letters/dead-letter.ts). */
const LETTER_MOST = MOST_HEADERS + 16
const LETTER_BYTES = HEADER_BYTES + 16 * 1024

/** @param bytes total size of the headers @returns why they are not read, to follow a colon; undefined if they are */
export function tooManyHeaders(count: number, bytes: number): string | undefined {
  if (count > MOST_HEADERS) return `it has ${count} headers, and ${MOST_HEADERS} are the most: they are left out`
  if (bytes > HEADER_BYTES)
    return `its headers have ${bytes} bytes, and ${HEADER_BYTES} are the most: they are left out`
  return undefined
}

/** Whether a dead letter may have these headers: the most that a record may have, and its own. */
export function fitsLetter(count: number, bytes: number): boolean {
  return count <= LETTER_MOST && bytes <= LETTER_BYTES
}

// Reads the records of an unpacked batch (record format v2). All positions are checked here, so that nothing can fail when a
// record is used.

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
