// Protobuf's wire format: tags, numbers, lengths, and how to skip unknown fields.
// Nothing is read beyond `end`, whatever the bytes are.

import { ValueError } from '../unreadable.ts'

/** Of groups nobody knows. */
const DEEPEST_GROUP = 256

export class ProtobufWire {
  bytes: Buffer = NONE
  at = 0
  end = 0
  /** The halves of the last 64-bit number; `low` is that of a 32-bit one. Signs mean nothing. */
  high = 0
  low = 0

  load(bytes: Buffer, from: number): void {
    this.bytes = bytes
    this.at = from
    this.end = bytes.length
  }

  unload(): void {
    this.bytes = NONE
  }

  /** To what was passed before, and lies within the bytes. */
  back(at: number): void {
    this.at = at
    this.end = this.bytes.length
  }

  /** A field's number and wire type. */
  tag(): number {
    const tag = this.#short()
    if (tag < 8) throw new ValueError('holds a field of the number 0')
    return tag
  }

  /** Reads a length.
   *  @returns where what has it ends; it begins at `at` */
  sized(): number {
    const to = this.#short() + this.at
    if (to > this.end) throw new ValueError('ends')
    return to
  }

  /** A number of at most 64 bits, to `high` and `low`. */
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
    throw new ValueError('holds a number of more than 64 bits')
  }

  fixed32(): void {
    const at = this.#take(4)
    this.low = this.bytes.readInt32LE(at)
  }

  fixed64(): void {
    const at = this.#take(8)
    this.low = this.bytes.readInt32LE(at)
    this.high = this.bytes.readInt32LE(at + 4)
  }

  float(): number {
    return this.bytes.readFloatLE(this.#take(4))
  }

  double(): number {
    return this.bytes.readDoubleLE(this.#take(8))
  }

  /** Past a value that is no group. */
  pass(wireType: number): void {
    if (wireType === 0) this.varint()
    else if (wireType === 1) this.#take(8)
    else if (wireType === 2) this.at = this.sized()
    else if (wireType === 5) this.#take(4)
    else throw new ValueError(`holds a field of the wire type ${wireType}, which does not exist`)
  }

  /** Past what follows a tag, a group with all it holds. */
  skip(tag: number): void {
    const open: number[] = []
    for (let next = tag; ; next = this.tag()) {
      const wireType = next & 7
      if (wireType === 3) {
        open.push(next + 1)
        if (open.length > DEEPEST_GROUP) throw new ValueError(`holds groups more than ${DEEPEST_GROUP} deep`)
      } else if (wireType !== 4) this.pass(wireType)
      else if (open.pop() !== next) throw new ValueError('ends a group that is not the last it began')
      if (open.length === 0) return
    }
  }

  /** A number of at most 32 bits. */
  #short(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.at >= this.end) throw new ValueError('ends')
      const byte = this.bytes[this.at++]!
      if (shift === 28 && byte > 15) break
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
    throw new ValueError('holds a tag or a length of more than 32 bits')
  }

  #take(length: number): number {
    const at = this.at
    if (at + length > this.end) throw new ValueError('ends')
    this.at = at + length
    return at
  }
}

const NONE: Buffer = Buffer.alloc(0)
