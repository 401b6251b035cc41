// Protobuf's wire format: tags, numbers, lengths, and how to skip unknown fields. A tag is a field's number times 8 plus the wire type of
// what follows: 0 a varint, 1 eight bytes, 2 a length and as many bytes, 3 a group, up to the tag of type 4 that ends it, 5 four bytes.

import { ByteInput } from '../byte-input.ts'
import { ValueError } from '../unreadable.ts'

/** Wire types of what may follow a tag. A group ends with a tag of the next higher one. */
export const WIRE = { varint: 0, eightBytes: 1, sized: 2, group: 3, fourBytes: 5 } as const
const DEEPEST_GROUP = 256

export class ProtobufWire extends ByteInput {
  constructor() {
    super('number')
  }

  /** Moves back to a place that was passed before, and lets reading go on to the end of the bytes. */
  back(at: number): void {
    this.at = at
    this.end = this.bytes.length
  }

  tag(): number {
    const tag = this.#short()
    if (tag < 8) throw new ValueError('holds a field of the number 0')
    return tag
  }

  /** Reads a length.
   *  @returns where the bytes of that length end; they begin at `at` */
  sized(): number {
    const to = this.#short() + this.at
    if (to > this.end) throw new ValueError('ends')
    return to
  }

  fixed32(): number {
    return this.bytes.readInt32LE(this.take(4))
  }

  /** Reads eight bytes into `high` and `low`. */
  fixed64(): void {
    const at = this.take(8)
    this.low = this.bytes.readInt32LE(at)
    this.high = this.bytes.readInt32LE(at + 4)
  }

  /** Skips a value of any wire type but that of groups. */
  pass(wireType: number): void {
    if (wireType === 0) this.varint()
    else if (wireType === 1) this.take(8)
    else if (wireType === 2) this.at = this.sized()
    else if (wireType === 5) this.take(4)
    else throw new ValueError(`holds a field of the wire type ${wireType}, which does not exist`)
  }

  /** Skips what follows a tag: a value, or a group with everything in it.
   *  @returns of a group, where the tag begins that ends it */
  skip(tag: number): number {
    // the tags that will end the groups which are open, the innermost last: each is that of the beginning plus 1
    const openEnds: number[] = []
    let tagFrom = this.at
    for (let next = tag; ; next = this.tag()) {
      const wireType = next & 7
      if (wireType === 3) {
        openEnds.push(next + 1)
        if (openEnds.length > DEEPEST_GROUP) throw new ValueError(`holds groups more than ${DEEPEST_GROUP} deep`)
      } else if (wireType !== 4) this.pass(wireType)
      else if (openEnds.pop() !== next) throw new ValueError('ends a group that is not the last it began')
      if (openEnds.length === 0) return tagFrom
      tagFrom = this.at
    }
  }

  /** Reads a varint of at most 32 bits: a tag or a length. */
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
}
