// The bytes of one value, read from front to end: what Avro and Protobuf have in common; numbers are little-endian. Nothing is read beyond
// `end`: an attempt throws a ValueError 'ends', for "ends too early". One input serves many values: `load` each, read it, `unload` it.

import { ValueError } from './unreadable.ts'

const NONE: Buffer = Buffer.alloc(0)

export class ByteInput {
  bytes: Buffer = NONE
  /** The place of the byte that is read next. */
  at = 0
  /** Where reading ends: the end of the bytes, or of a part of them. */
  end = 0
  /** The upper and the lower 32 bits of the 64-bit number that was read last. Each is a number of whatever sign: only its bits count. */
  high = 0
  low = 0
  readonly #numberWord: string

  /** @param numberWord what the format calls an integer, for messages */
  constructor(numberWord: 'long' | 'number') {
    this.#numberWord = numberWord
  }

  /** Begins with the value that goes from `from` to the end of `bytes`. */
  load(bytes: Buffer, from: number): void {
    this.bytes = bytes
    this.at = from
    this.end = bytes.length
  }

  /** Lets go of the bytes, so that they are not kept in memory. */
  unload(): void {
    this.bytes = NONE
    this.end = 0
  }

  /** Moves past `length` bytes, and returns where they begin. */
  take(length: number): number {
    const from = this.at
    if (length > this.end - from) throw new ValueError('ends')
    this.at = from + length
    return from
  }

  /** Reads a varint of at most 64 bits into `high` and `low`. Each byte has seven bits of it, the lowest first, and its top bit says whether
   *  another byte follows. The bits of the fifth byte belong to both halves, and of the tenth only one bit counts. */
  varint(): void {
    const { bytes, end } = this
    let low = 0
    let high = 0
    let at = this.at
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= end) throw new ValueError('ends')
      const byte = bytes[at++]!
      const bits = byte & 127
      if (shift < 28) low |= bits << shift
      else if (shift > 28) high |= bits << (shift - 32)
      else {
        low |= bits << 28
        high = bits >> 4
      }
      if (byte < 128) {
        if (shift === 63 && byte > 1) break
        this.at = at
        this.low = low
        this.high = high
        return
      }
    }
    throw new ValueError(`holds a ${this.#numberWord} of more than 64 bits`)
  }

  float(): number {
    return this.bytes.readFloatLE(this.take(4))
  }

  double(): number {
    return this.bytes.readDoubleLE(this.take(8))
  }
}
