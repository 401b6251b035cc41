// A record as it lies in the log, read only where it is asked for: hundreds of thousands pass a second.

import { NULL_SIZE, readHeaders } from './record-header-reader.ts'
import type { KafkaHeader, KafkaRecord, UnreadHeaders } from '../types.ts'
import { VarintReader } from './varint-reader.ts'

/** What a batch's records have in common. */
export interface LogBatch {
  /** Unpacked records, one after another. */
  readonly bytes: Buffer
  readonly firstOffset: bigint
  readonly firstTimestamp: bigint
  /** Of all its records, where the broker stamps them. */
  readonly appendTime: bigint | undefined
}

/** Nothing is kept of what was read: ask once. Its places were checked when they were found. */
export class LogRecord implements KafkaRecord {
  readonly #batch: LogBatch
  /** From its batch's first. */
  readonly offsetDelta: number
  readonly #timestampAt: number
  readonly #keyFrom: number
  readonly #keySize: number
  readonly #valueFrom: number
  readonly #valueSize: number

  /** @param keySize, valueSize NULL_SIZE for none; the headers stand behind the value */
  // oxlint-disable-next-line max-params -- one a record: an object of them would be its garbage (bench/kafka)
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

/** A record of more headers than are read (header-limits.ts). */
export class HeavyRecord extends LogRecord {
  readonly #why: string
  readonly #fitsLetter: boolean

  /** @param why in words @param fitsLetter whether they may be those of a dead letter */
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
