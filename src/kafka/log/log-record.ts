// A record as it is stored in the log, a view of its batch. Its fields are decoded only when they are used: hundreds of thousands of
// records pass per second. All positions were checked before (read-records.ts), so nothing here can fail.

import { fitsLetter, NO_HEADERS, readHeaders } from './record-headers.ts'
import { NULL_SIZE, VarintReader } from './varint-reader.ts'
import type { KafkaHeader, KafkaRecord, Unread } from '../types.ts'

/** The data that the records of a batch share. */
export interface LogBatch {
  /** Unpacked records, one after another. */
  readonly bytes: Buffer
  /** Offsets and timestamps of records count from these. */
  readonly firstOffset: bigint
  readonly firstTimestamp: bigint
  /** The timestamp of all records. `undefined` when each has its own: the broker does not set it. */
  readonly appendTime: bigint | undefined
}

/** The positions of a record's fields in the bytes of its batch. One object is filled again for each record, to save the others. */
export class RecordBounds {
  /** Counted from the first offset of the batch. */
  offsetDelta = 0
  timestampAt = 0
  keyFrom = 0
  /** NULL_SIZE when the key is null. */
  keySize = 0
  valueFrom = 0
  /** NULL_SIZE when the value is null. The number of headers and the headers follow the value. */
  valueSize = 0
  headerCount = 0
  /** Size of the headers, without their number. */
  headerBytes = 0
}

/** A record of a `LogBatch`. Each getter decodes whenever it is called, so call it once. */
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

/** A record with more headers than are read: its `headers` are empty, and `unread` says why. */
export class HeavyRecord extends LogRecord {
  readonly #why: string
  /** Whether the dead letter of the record may have its headers: `unread` then has them. */
  readonly #fitsLetter: boolean

  /** @param why the headers are not read (`tooManyHeaders`) */
  constructor(batch: LogBatch, bounds: RecordBounds, why: string) {
    super(batch, bounds)
    this.#why = why
    this.#fitsLetter = fitsLetter(bounds.headerCount, bounds.headerBytes)
  }

  override get headers(): readonly KafkaHeader[] {
    return NO_HEADERS
  }

  get unread(): Unread {
    return { why: this.#why, letterHeaders: this.#fitsLetter ? super.headers : undefined }
  }
}
