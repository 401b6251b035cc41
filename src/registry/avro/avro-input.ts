// The bytes of one value, read from front to end: Avro's variable-length integers, lengths and fixed widths.
// Never reads beyond the end.

import { ValueError } from '../unreadable.ts'

export class AvroInput {
  bytes: Buffer = NONE
  at = 0
  end = 0
  /** Records, arrays and maps open: see `enter`. */
  depth = 0
  /** Items so far that took no byte, at least. */
  #empty = 0
  /** What readLong read, when that was beyond ±(2^53 - 1). */
  big = 0n

  load(bytes: Buffer, from: number): void {
    this.bytes = bytes
    this.at = from
    this.end = bytes.length
    this.depth = 0
    this.#empty = 0
  }

  /** Lets go of the bytes. */
  unload(): void {
    this.bytes = NONE
    this.end = 0
  }

  /** One level deeper: the stack is not endless, and a schema may hold itself without taking a byte. */
  enter(): void {
    if (++this.depth > DEEPEST) throw new ValueError(`nests deeper than ${DEEPEST} levels`)
  }

  /** Where `length` bytes begin, which are now read. */
  take(length: number): number {
    const from = this.at
    if (length > this.end - from) throw new ValueError('ends')
    this.at = from + length
    return from
  }

  /** A long's value, or NaN: then it is beyond what a number holds exactly, and in `big`. */
  readLong(): number {
    const { bytes, end } = this
    let at = this.at
    let low = 0
    for (let shift = 0; shift < 28; shift += 7) {
      if (at >= end) throw new ValueError('ends')
      const byte = bytes[at++]!
      low |= (byte & 127) << shift
      if (byte < 128) {
        this.at = at
        return (low >>> 1) ^ -(low & 1)
      }
    }
    this.at = at
    return this.#wide(low)
  }

  readInt(): number {
    const from = this.at
    const value = this.readLong()
    if (value !== (value | 0) || this.at - from > 5) throw new ValueError('holds an int of more than 32 bits')
    return value
  }

  /** Where a string or bytes begin, which are now read: they end at `at`. */
  readSized(): number {
    const length = this.readLong()
    if (length < 0 || (length !== length && this.big < 0n)) throw new ValueError('holds a negative length')
    // NaN is a length beyond every buffer
    return this.take(length === length ? length : Infinity)
  }

  /** How many items or entries the next block holds; 0: no more blocks. Its size in bytes, if given, says nothing new. */
  readBlock(): number {
    const count = this.readLong()
    if (count === count && count >= 0) return count
    if (count === count || this.big < 0n) {
      const size = this.readLong()
      if (size < 0 || (size !== size && this.big < 0n)) throw new ValueError('holds a block of negative size')
    }
    return count === count ? -count : Infinity
  }

  /** So many items of an array come: there must be a byte for each, but for some. */
  demandRoom(count: number): void {
    if (this.#empty + count - (this.end - this.at) > MOST_EMPTY) throw tooManyEmpty()
  }

  /** So many items of an array were read, the first of which began at `from`. */
  tookBytes(count: number, from: number): void {
    const empty = count - (this.at - from)
    if (empty > 0) this.#empty += empty
    if (this.#empty > MOST_EMPTY) throw tooManyEmpty()
  }

  /** The bytes from the fifth on, of at most ten, the last of which has one bit. */
  #wide(low: number): number {
    const { bytes, end } = this
    let high = 0
    let top = 0
    for (let index = 4; ; index++) {
      if (this.at >= end) throw new ValueError('ends')
      const byte = bytes[this.at++]!
      if (index === 9 && byte > 1) throw new ValueError('holds a long of more than 64 bits')
      if (index < 8) high |= (byte & 127) << (7 * (index - 4))
      else top |= (byte & 127) << (7 * (index - 8))
      if (byte < 128) break
    }
    if (top === 0 && high < 2 ** 25) {
      const folded = high * 2 ** 28 + low
      return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2
    }
    const folded = (BigInt(top) << 56n) | (BigInt(high) << 28n) | BigInt(low)
    this.big = (folded >> 1n) ^ -(folded & 1n)
    const value = Number(this.big)
    return Number.isSafeInteger(value) ? value : NaN
  }
}

function tooManyEmpty(): ValueError {
  return new ValueError(`holds more than ${MOST_EMPTY} items that take no bytes`)
}

/** Nulls, records without fields and the like, of all arrays of a value: a few bytes can announce any number. */
const MOST_EMPTY = 10_000

/** Each level takes some frames of the stack. */
const DEEPEST = 1024

const NONE = Buffer.alloc(0)
