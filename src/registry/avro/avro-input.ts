// The bytes of one Avro value, read from front to end: its integers, lengths and counts.

import { ByteInput } from '../byte-input.ts'
import { ValueError } from '../unreadable.ts'

/** The most levels: each takes some frames of the stack. */
const DEEPEST = 1024
/** The most items that take no bytes (nulls, empty records) in all arrays of a value: a few bytes can announce any number of them. */
const MOST_EMPTY = 10_000

const TWO_32 = 4_294_967_296

export class AvroInput extends ByteInput {
  /** How many records, arrays and maps are open. */
  depth = 0
  /** How many items took no byte so far. */
  #empty = 0

  constructor() {
    super('long')
  }

  override load(bytes: Buffer, from: number): void {
    super.load(bytes, from)
    this.depth = 0
    this.#empty = 0
  }

  /** Opens a level, at whose end the caller counts `depth` down. Bounded, because a recursive schema may nest without taking a byte. */
  enter(): void {
    if (++this.depth > DEEPEST) throw new ValueError(`nests deeper than ${DEEPEST} levels`)
  }

  /** Reads a long, which is a varint in zigzag; a bigint where a number does not hold it exactly. */
  readLong(): number | bigint {
    this.varint()
    const { high, low } = this
    const sign = -(low & 1) // -1 for a negative number, else 0
    if (high === 0) return (low >>> 1) ^ sign
    const top = (high >>> 1) ^ sign
    const bottom = (((low >>> 1) | (high << 31)) ^ sign) >>> 0
    const value = top * TWO_32 + bottom
    return Number.isSafeInteger(value) ? value : (BigInt(top) << 32n) | BigInt(bottom)
  }

  readInt(): number {
    const from = this.at
    const value = Number(this.readLong())
    if (value !== (value | 0) || this.at - from > 5) throw new ValueError('holds an int of more than 32 bits')
    return value
  }

  /** Moves past a string or bytes, which have their length in front. Returns where their content begins; it ends at `at`. */
  readSized(): number {
    // a length that a number does not hold exactly is beyond every buffer
    const length = Number(this.readLong())
    if (length < 0) throw new ValueError('holds a negative length')
    return this.take(length)
  }

  /** Reads how many items (of a map: entries) the next block has; 0 at the end. Behind a negative count is the block's size in bytes. */
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
