// Unpacks LZ4 frames, as all Kafka clients write them. Checksums are skipped: old Java clients wrote wrong ones, and brokers check
// whole batches.

import { Unpacked } from './unpacked.ts'
import { damaged, UnpackError } from './unreadable-batch.ts'

const FRAME_MAGIC = 0x184d2204
/** The first of 16 magic numbers of skippable frames. */
const SKIPPED_FRAME = 0x184d2a50
const HEAD_BYTES = 7
/** The bit of a block's size that says its bytes are not compressed. */
const STORED = 0x80000000
const LONGEST_BLOCK = 4 * 1024 * 1024

/** How far back a copy may reach. */
const WINDOW = 64 * 1024
/** The minimum size of a part, except the last one. */
const PART_BYTES = 1024 * 1024

/** @param limit bytes @returns memory of its own @throws UnpackError */
export function unpackLz4(source: Buffer, limit: number): Buffer {
  const out = new Unpacked(source.length * 4, limit)
  for (const _ of blocks(source, out)) continue
  return out.bytes
}

/** The same in parts. @throws UnpackError, also for a block that unpacks to too much */
export function* lz4Parts(source: Buffer): Generator<Buffer> {
  const out = new Unpacked(PART_BYTES, PART_BYTES + WINDOW + LONGEST_BLOCK)
  try {
    for (const place of blocks(source, out)) {
      if (out.length < PART_BYTES) continue
      const { bytes, shift } = out.cut(WINDOW)
      place.start = Math.max(0, place.start - shift)
      yield bytes
    }
  } catch (error) {
    if (error instanceof UnpackError && error.reason === 'tooLarge') throw damaged('a block is longer than any may be')
    throw error
  }
  yield out.cut(0).bytes
}

/** The place where the output begins that blocks may copy from. */
interface BlockPlace {
  start: number
}

/** Yields after each block. */
function* blocks(source: Buffer, out: Unpacked): Generator<BlockPlace> {
  let at = 0
  do at = yield* frame(source, at, out)
  while (at < source.length)
}

/** @returns the end of the frame */
function* frame(source: Buffer, from: number, out: Unpacked): Generator<BlockPlace, number> {
  need(source, from, HEAD_BYTES)
  const magic = source.readUInt32LE(from)
  if (magic >= SKIPPED_FRAME && magic < SKIPPED_FRAME + 16) return skipped(source, from)
  if (magic !== FRAME_MAGIC) throw damaged('it is not an LZ4 frame')
  const flags = source[from + 4]!
  if (flags >> 6 !== 1) throw damaged('its version is not known')
  const [isAlone, isSummed, hasLength, isSummedAll, hasDictionary] = [0x20, 0x10, 8, 4, 1].map((bit) => flags & bit)
  if (hasDictionary) throw damaged('it needs a dictionary')
  const place = { start: out.length }
  let at = from + HEAD_BYTES + (hasLength ? 8 : 0)
  for (;;) {
    need(source, at, 4)
    const word = source.readUInt32LE(at)
    at += 4
    if (word === 0) break
    const size = word & ~STORED
    if (size > LONGEST_BLOCK) throw damaged('a block is longer than any may be')
    need(source, at, size)
    if (word >= STORED) out.literals(source, at, at + size)
    else block(source, at, at + size, out, isAlone ? out.length : place.start)
    at += size + (isSummed ? 4 : 0)
    yield place
  }
  at += isSummedAll ? 4 : 0
  if (at > source.length) throw damaged('it ends in a checksum')
  return at
}

function skipped(source: Buffer, from: number): number {
  need(source, from, 8)
  const length = source.readUInt32LE(from + 4)
  need(source, from + 8, length)
  return from + 8 + length
}

function need(source: Buffer, at: number, bytes: number): void {
  if (bytes > source.length - at) throw damaged('it ends too early')
}

/** @param start of the output that may be copied from */
function block(source: Buffer, from: number, end: number, out: Unpacked, start: number): void {
  let at = from
  while (at < end) {
    const token = source[at++]!
    let literals = token >> 4
    if (literals === 15)
      for (let more = 255; more === 255; literals += more) {
        if (at >= end) throw damaged('a block ends in a length')
        more = source[at++]!
      }
    if (literals > end - at) throw damaged('a block ends in a literal')
    out.literals(source, at, at + literals)
    at += literals
    if (at === end) return
    if (end - at < 2) throw damaged('a block ends in a copy')
    const back = source[at]! | (source[at + 1]! << 8)
    at += 2
    let length = (token & 15) + 4
    if (length === 19)
      for (let more = 255; more === 255; length += more) {
        if (at >= end) throw damaged('a block ends in a length')
        more = source[at++]!
      }
    out.copy(back, length, start)
  }
}
