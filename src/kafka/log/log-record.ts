// A record as it lies in the log, read only where it is asked for: hundreds of thousands pass a second. How many headers of one are
// read: few bytes unpack to millions of them.

import { damaged } from './unreadable-batch.ts'
import { VarintReader } from './varint-reader.ts'
import type { KafkaHeader, KafkaRecord, UnreadHeaders } from '../types.ts'

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

/** In place of a length: no value. */
export const NULL_SIZE = -1
const NONE: readonly KafkaHeader[] = []

/** In their order, values as views. @throws UnpackError where they are not what they must be */
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

const MOST = 1000
/** As they lie in the log, names and lengths included. */
const MOST_BYTES = 256 * 1024
/** What a dead letter has beside its record's (dead-letters/dead-letter.ts), and more. */
const LETTER_MOST = MOST + 16
const LETTER_BYTES = MOST_BYTES + 16 * 1024

/** @param bytes that all of them take @returns why they are not read, in words that go on after a colon; undefined: they are */
export function tooManyHeaders(count: number, bytes: number): string | undefined {
  if (count > MOST) return `it has ${count} headers, and ${MOST} are the most: they are left out`
  if (bytes > MOST_BYTES) return `its headers have ${bytes} bytes, and ${MOST_BYTES} are the most: they are left out`
  return undefined
}

/** Whether a dead letter may have them: those of a record that had as many as are read, and its own. */
export function fitsLetter(count: number, bytes: number): boolean {
  return count <= LETTER_MOST && bytes <= LETTER_BYTES
}
