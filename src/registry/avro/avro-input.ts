// The bytes of one value, read from front to end: Avro's variable-length integers, lengths and fixed widths.

import { ByteInput } from '../byte-input.ts'
import { ValueError } from '../unreadable.ts'

export class AvroInput extends ByteInput {
  /** Records, arrays and maps open: see `enter`. */
  depth = 0
  /** Items so far that took no byte. */
  #empty = 0

  constructor() {
    super('long')
  }

  override load(bytes: Buffer, from: number): void {
    super.load(bytes, from)
    this.depth = 0
    this.#empty = 0
  }

  /** Goes one level deeper; who calls it counts `depth` down at the end. Bounded, because a recursive schema can nest without taking a byte, and the stack overflows. */
  enter(): void {
    if (++this.depth > DEEPEST) throw new ValueError(`nests deeper than ${DEEPEST} levels`)
  }

  /** Reads a long; a bigint where a number does not hold it exactly. */
  readLong(): number | bigint {
    this.varint()
    const { high, low } = this
    const sign = -(low & 1)
    if (high === 0) return (low >>> 1) ^ sign
    const top = (high >>> 1) ^ sign
    const rest = (((low >>> 1) | (high << 31)) ^ sign) >>> 0
    const value = top * TWO_32 + rest
    return Number.isSafeInteger(value) ? value : (BigInt(top) << 32n) | BigInt(rest)
  }

  readInt(): number {
    const from = this.at
    const value = Number(this.readLong())
    if (value !== (value | 0) || this.at - from > 5) throw new ValueError('holds an int of more than 32 bits')
    return value
  }

  /** Reads a string or bytes. @returns where they begin; they end at `at` */
  readSized(): number {
    // where it is not exact it is beyond every buffer
    const length = Number(this.readLong())
    if (length < 0) throw new ValueError('holds a negative length')
    return this.take(length)
  }

  /** Reads how many items or entries the next block holds; 0 at the end. A negative count says that the block's size in bytes follows,
   *  which is not needed. */
  readBlock(): number {
    const count = Number(this.readLong())
    if (count >= 0) return count
    if (this.readLong() < 0) throw new ValueError('holds a block of negative size')
    return -count
  }

  /** To be called for each item of an array that took no byte. */
  countEmpty(): void {
    if (++this.#empty > MOST_EMPTY) throw new ValueError(`holds more than ${MOST_EMPTY} items that take no bytes`)
  }
}

/** Nulls, records without fields and the like, in all arrays of a value. A few bytes can announce any number of them. */
const MOST_EMPTY = 10_000

/** Each level takes some frames of the stack. */
const DEEPEST = 1024

const TWO_32 = 4_294_967_296
