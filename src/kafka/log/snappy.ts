// Unpacks Snappy: a single block, as most clients write it, or the chunked format of Java clients (xerial): a header, then sized blocks.

import { Unpacked } from './unpacked.ts'
import { damaged, tooLarge } from './unreadable-batch.ts'

const CHUNKED_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00])
/** The magic bytes and two versions of 4 bytes each. */
const HEADER_BYTES = 16
/** The minimum size of a part, except the last one. */
const PART_BYTES = 1024 * 1024
/** The highest compression ratio: the three bytes of a copy unpack to at most 64. */
const MOST_TIMES = 22
/** The longest literal whose length is in its tag; for longer ones the tag says how many bytes the length has. */
const LONGEST_IN_TAG = 60

/** Unpacks at once, mostly to less than 3 times as much. @param limit of the unpacked bytes @returns its own memory @throws UnpackError */
export function unpackSnappy(source: Buffer, limit: number): Buffer {
  if (!isHeader(source, 0)) return singleBlock(source, limit)
  const out = new Unpacked(source.length * 3, limit)
  for (const _ of chunks(source, out)) continue
  return out.bytes
}

/** Unpacks in parts; a single block is one part. @throws UnpackError */
export function* snappyParts(source: Buffer, limit: number): Generator<Buffer> {
  if (!isHeader(source, 0)) {
    yield singleBlock(source, limit)
    return
  }
  const out = new Unpacked(PART_BYTES, limit)
  for (const _ of chunks(source, out)) if (out.length >= PART_BYTES) yield out.cut(0).bytes
  yield out.cut(0).bytes
}

function singleBlock(source: Buffer, limit: number): Buffer {
  const [declared] = lengthOf(source)
  if (declared > source.length * MOST_TIMES) throw damaged('it is shorter than it says')
  if (declared > limit) throw tooLarge(limit)
  const out = new Unpacked(declared, limit)
  unpackBlock(source, out)
  return out.bytes
}

function isHeader(source: Buffer, at: number): boolean {
  return source.subarray(at, at + CHUNKED_MAGIC.length).equals(CHUNKED_MAGIC)
}

/** Unpacks all chunks, and yields after each. */
function* chunks(source: Buffer, out: Unpacked): Generator<void> {
  let at = 0
  while (at < source.length) {
    // several streams may be concatenated, each with its header
    while (isHeader(source, at)) at += HEADER_BYTES
    if (at === source.length) return
    if (at + 4 > source.length) throw damaged('it ends before a chunk')
    const to = at + 4 + source.readInt32BE(at)
    if (to < at + 4 || to > source.length) throw damaged('it ends in a chunk')
    unpackBlock(source.subarray(at + 4, to), out)
    yield
    at = to
  }
}

/** Unpacks a block: its unpacked length, then elements. The two lowest bits of an element's tag are its type: a literal (0), or a copy. */
function unpackBlock(source: Buffer, out: Unpacked): void {
  const [declared, elementsAt] = lengthOf(source)
  const start = out.length
  let at = elementsAt
  while (at < source.length) {
    const tag = source[at++]!
    const type = tag & 3
    if (type === 0) {
      let length = (tag >> 2) + 1
      if (length > LONGEST_IN_TAG) {
        const bytes = length - LONGEST_IN_TAG
        if (bytes > source.length - at) throw damaged('it ends in a length')
        length = source.readUIntLE(at, bytes) + 1
        at += bytes
      }
      if (length > source.length - at) throw damaged('it ends in a literal')
      out.literals(source, at, at + length)
      at += length
    } else {
      // copies of type 1, 2 and 3 have a distance of 1, 2 and 4 bytes; type 1 has three more bits of it in its tag
      const bytes = type === 3 ? 4 : type
      if (bytes > source.length - at) throw damaged('it ends in a copy')
      if (type === 1) out.copy(((tag >> 5) << 8) | source[at]!, ((tag >> 2) & 7) + 4, start)
      else if (type === 2) out.copy(source[at]! | (source[at + 1]! << 8), (tag >> 2) + 1, start)
      else out.copy(source.readUInt32LE(at), (tag >> 2) + 1, start)
      at += bytes
    }
    if (out.length - start > declared) throw damaged('it is longer than it says')
  }
  if (out.length - start !== declared) throw damaged('it is shorter than it says')
}

/** Reads the length that a block begins with: seven bits a byte, the lowest first, in up to five bytes. */
function lengthOf(source: Buffer): readonly [length: number, end: number] {
  let length = 0
  for (let at = 0; at < 5 && at < source.length; at++) {
    length += (source[at]! & 0x7f) * 2 ** (7 * at)
    if (source[at]! < 0x80) return [length, at + 1]
  }
  throw damaged('it ends in its length')
}
