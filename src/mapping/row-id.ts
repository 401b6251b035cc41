// Makes ids for records that are rows of their own: the same for the same message in every run, and different ones for equal messages
// of one run.

import { createHash, hash } from 'node:crypto'
import { canonicalNumber } from '../json/decimal.ts'
import { numberEnd } from '../json/tokens.ts'
import type { Occurrences } from './occurrences.ts'
import type { RecordData } from '../json/record-data.ts'

const HEX = Buffer.from('0123456789abcdef')
const DASH = 0x2d
/** The time that stands for a missing one, and is before all others. Not -Infinity: `Occurrences` takes times up to that for forgotten. */
const UNKNOWN_TIME = -Number.MAX_VALUE
/** Most bytes that are read as a time. No time has more, and a number of megabytes would take long to read. */
const LONGEST_TIME = 100
/** Data of this many bytes is hashed in place, because a copy would take as much memory again. */
const LONG = 1024 * 1024
/** Most bytes that `#suffix` makes. */
const LONGEST_SUFFIX = 32
/** Characters of an id. */
export const ID_LENGTH = 36

/** Writes UUIDv8 ids of one stream's records: the first 16 bytes of SHA-256 over namespace U+0000 stream U+0000 emitted_at as sent
 *  U+0000 the bytes of data.
 *  For the n-th of equal records (n ≥ 2), U+0000 and n-1 follow. If it is no longer known how many came before, `U+0000 #` and the
 *  record's ordinal in the stream follow: then a record that is sent again may become another row, but no row is lost.
 *  Without `occurrences`, for streams whose equal records are one row, emitted_at and n are left out.
 *  See decisions.md#in-append-every-record-is-a-row. */
export class RowIds {
  readonly #occurrences: Occurrences | undefined
  readonly #space: DigestSpace
  readonly #prefix: Buffer
  #ordinal = 0

  constructor(
    namespace: string | undefined,
    stream: string,
    occurrences: Occurrences | undefined,
    space = new DigestSpace(),
  ) {
    this.#occurrences = occurrences
    this.#space = space
    this.#prefix = Buffer.from(`${namespace ?? ''}\0${stream}\0`)
  }

  /** Writes the record's id at target[at, at + ID_LENGTH). Call it once per record, in arrival order. */
  write(record: RecordData, target: Uint8Array, at: number): void {
    this.#ordinal++
    if (record.to - record.from >= LONG) {
      this.#writeLong(record, target, at)
      return
    }
    const { bytes, from, to } = record
    const headBytes = this.#fillHead(record, to - from)
    const length = headBytes + bytes.copy(this.#space.bytes, headBytes, from, to)
    const digest = this.#hash(length)
    const before = this.#occurrences ? this.#equalBefore(this.#occurrences, record, digest) : 0
    const suffixBytes = before === 0 ? 0 : this.#space.bytes.write(this.#suffix(before), length, 'latin1')
    writeId(suffixBytes === 0 ? digest : this.#hash(length + suffixBytes), target, at)
  }

  #writeLong(record: RecordData, target: Uint8Array, at: number): void {
    const { bytes, from, to } = record
    const headBytes = this.#fillHead(record, 0)
    const whole = createHash('sha256').update(this.#space.bytes.subarray(0, headBytes))
    whole.update(bytes.subarray(from, to))
    const digest = whole.copy().digest('binary')
    const before = this.#occurrences ? this.#equalBefore(this.#occurrences, record, digest) : 0
    writeId(before === 0 ? digest : whole.update(this.#suffix(before)).digest('binary'), target, at)
  }

  /** Text that follows the record when equal ones came before, or when that is not known. */
  #suffix(before: number | undefined): string {
    return before === undefined ? `\0#${this.#ordinal}` : `\0${before}`
  }

  /** How many equal records came before. `undefined` when that is no longer known. */
  #equalBefore(occurrences: Occurrences, record: RecordData, digest: string): number | undefined {
    const { bytes, emittedFrom: from, emittedTo: to } = record
    const isTime = to > from && to - from <= LONGEST_TIME && numberEnd(bytes, from) === to
    const time = isTime ? canonicalNumber(bytes, from, to) : UNKNOWN_TIME
    // 64 bits of the digest that no id has: an id is its first 16 bytes
    return occurrences.before(int32(digest, 16), int32(digest, 20), typeof time === 'number' ? time : UNKNOWN_TIME)
  }

  /** Writes what is hashed before the bytes of data: the prefix, emitted_at, U+0000.
   *  @param dataBytes how many to leave room for behind it
   *  @returns its length */
  #fillHead(record: RecordData, dataBytes: number): number {
    const { bytes, emittedFrom } = record
    const emittedTo = this.#occurrences ? record.emittedTo : emittedFrom
    const end = this.#prefix.length + emittedTo - emittedFrom
    const input = this.#space.begin(this, this.#prefix, end + 1 + dataBytes + LONGEST_SUFFIX)
    // for a dozen bytes, a loop is faster than a call
    for (let at = emittedFrom, to = this.#prefix.length; at < emittedTo; at++, to++) input[to] = bytes[at]!
    input[end] = 0
    return end + 1
  }

  /** 'binary' gives one character per byte, which takes half the time of a buffer (bench: small-append). */
  #hash(length: number): string {
    return hash('sha256', this.#space.bytes.subarray(0, length), 'binary')
  }
}

/** Space in which a digest is made: one for all streams, because they make one at a time. */
export class DigestSpace {
  bytes = Buffer.alloc(1024)
  /** The stream whose prefix it begins with. */
  #prefixOf: RowIds | undefined

  /** Prepares for an id. @returns `bytes`, which begin with the prefix, and have room for `length` in all */
  begin(ids: RowIds, prefix: Buffer, length: number): Buffer {
    if (length > this.bytes.length) {
      this.bytes = Buffer.alloc(2 * length)
      this.#prefixOf = undefined
    }
    // streams take turns, and for a dozen bytes a loop is faster than a call
    if (this.#prefixOf !== ids) for (let at = 0; at < prefix.length; at++) this.bytes[at] = prefix[at]!
    this.#prefixOf = ids
    return this.bytes
  }
}

function int32(digest: string, at: number): number {
  return (
    digest.charCodeAt(at) |
    (digest.charCodeAt(at + 1) << 8) |
    (digest.charCodeAt(at + 2) << 16) |
    (digest.charCodeAt(at + 3) << 24)
  )
}

/** Writes the first 16 bytes as a UUID: version 8, variant 10 (RFC 9562). */
function writeId(digest: string, target: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    let byte = digest.charCodeAt(i)
    if (i === 6) byte = (byte & 0x0f) | 0x80
    else if (i === 8) byte = (byte & 0x3f) | 0x80
    if (i === 4 || i === 6 || i === 8 || i === 10) target[at++] = DASH
    target[at++] = HEX[byte >> 4]!
    target[at++] = HEX[byte & 15]!
  }
}
