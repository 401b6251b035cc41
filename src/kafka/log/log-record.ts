// A record as it is stored in the log. Its fields are decoded only when they are used: hundreds of thousands of records pass per
// second. The number of headers is limited, because a few compressed bytes can hold millions of them.

import { damaged } from './unreadable-batch.ts'
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

/** Where the fields of a record lie within its batch. Filled again for each record, to save an object per record. */
export class RecordBounds {
  /** Counted from the first offset of the batch. */
  offsetDelta = 0
  timestampAt = 0
  keyFrom = 0
  /** NULL_SIZE for null. */
  keySize = 0
  valueFrom = 0
  /** NULL_SIZE for null. The headers follow the value. */
  valueSize = 0
  /** The number of headers. */
  headers = 0
  /** Size of the headers, without their number. */
  headerBytes = 0
}

/** Each getter decodes again: call it once. All positions were checked before. */
export class LogRecord implements KafkaRecord {
  readonly #batch: LogBatch
  readonly #offsetDelta: number
  readonly #timestampAt: number
  readonly #keyFrom: number
  readonly #keySize: number
  readonly #valueFrom: number
  readonly #valueSize: number

  /** @param bounds are copied */
  constructor(batch: LogBatch, bounds: RecordBounds) {
    this.#batch = batch
    this.#offsetDelta = bounds.offsetDelta
    this.#timestampAt = bounds.timestampAt
    this.#keyFrom = bounds.keyFrom
    this.#keySize = bounds.keySize
    this.#valueFrom = bounds.valueFrom
    this.#valueSize = bounds.valueSize
  }

  get offset(): bigint {
    return this.#batch.firstOffset + BigInt(this.#offsetDelta)
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

  /** @param why its headers are not read, as `tooManyHeaders` says */
  constructor(batch: LogBatch, bounds: RecordBounds, why: string) {
    super(batch, bounds)
    this.#why = why
    this.#fitsLetter = fitsLetter(bounds.headers, bounds.headerBytes)
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

/** Reads headers in order; values are views. @throws UnpackError if they are malformed */
export function readHeaders(reader: VarintReader): readonly KafkaHeader[] {
  const count = reader.int()
  if (count === 0) return NO_HEADERS
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

/** Says why headers are not read, to follow a colon; `undefined` when they are.
 *  @param bytes total size of the headers */
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
