// The bytes of one value, read from front to end: what Avro and Protobuf have in common. Nothing is read beyond `end`, whatever
// the bytes are.

import { ValueError } from './unreadable.ts'

export class ByteInput {
  bytes: Buffer = NONE
  at = 0
  end = 0
  /** The halves of the last 64-bit number. Their signs have no meaning. */
  high = 0
  low = 0
  readonly #number: string

  /** @param number the format's word for one, for messages */
  constructor(number: 'long' | 'number') {
    this.#number = number
  }

  load(bytes: Buffer, from: number): void {
    this.bytes = bytes
    this.at = from
    this.end = bytes.length
  }

  /** Releases the bytes. */
  unload(): void {
    this.bytes = NONE
    this.end = 0
  }

  /** Consumes `length` bytes. @returns where they begin */
  take(length: number): number {
    const from = this.at
    if (length > this.end - from) throw new ValueError('ends')
    this.at = from + length
    return from
  }

  /** Reads a varint of at most 64 bits into `high` and `low`: seven bits a byte, the lowest first.
   *  The fifth byte belongs to both halves, and of the tenth only one bit counts. */
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
    throw new ValueError(`holds a ${this.#number} of more than 64 bits`)
  }

  float(): number {
    return this.bytes.readFloatLE(this.take(4))
  }

  double(): number {
    return this.bytes.readDoubleLE(this.take(8))
  }
}

const NONE: Buffer = Buffer.alloc(0)
