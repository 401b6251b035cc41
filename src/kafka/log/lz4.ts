// Unpacks LZ4 frames, as all Kafka clients write them. Checksums are skipped: old Java clients wrote wrong ones, and brokers check batches.

import { Unpacked } from './unpacked.ts'
import { damaged, UnpackError } from './unreadable-batch.ts'

const FRAME_MAGIC = 0x184d2204
/** The first of 16 magic numbers of skippable frames. */
const SKIPPED_FRAME = 0x184d2a50
/** Bytes of a frame's head without optional fields: magic number (4), flags, block size, checksum. */
const HEAD_BYTES = 7
/** Bytes of the size before a block, and of a checksum behind a block or a frame. */
const WORD_BYTES = 4
/** Flags of a frame. The two highest bits are the version, which is 1. `contentSize` adds a size of 8 bytes to the head. */
const FLAG = { independentBlocks: 0x20, blockChecksums: 0x10, contentSize: 8, contentChecksum: 4, dictionary: 1 }
/** The bit of a block's size that says its bytes are not compressed. */
const STORED = 0x80000000
const LONGEST_BLOCK = 4 * 1024 * 1024
/** How far back a copy may reach. */
const WINDOW = 64 * 1024
/** The minimum size of a part, except the last one. */
const PART_BYTES = 1024 * 1024

/** Unpacks at once, mostly to less than 4 times as much. @param limit of the unpacked bytes @returns its own memory @throws UnpackError */
export function unpackLz4(source: Buffer, limit: number): Buffer {
  const out = new Unpacked(source.length * 4, limit)
  for (const _ of blocks(source, out)) continue
  return out.bytes
}

/** Unpacks in parts. @throws UnpackError, also for a block that unpacks to too much */
export function* lz4Parts(source: Buffer): Generator<Buffer> {
  const out = new Unpacked(PART_BYTES, PART_BYTES + WINDOW + LONGEST_BLOCK)
  try {
    for (const frame of blocks(source, out)) {
      if (out.length < PART_BYTES) continue
      const { bytes, shift } = out.cut(WINDOW)
      frame.start = Math.max(0, frame.start - shift)
      yield bytes
    }
  } catch (error) {
    if (error instanceof UnpackError && error.reason === 'tooLarge') throw damaged('a block is longer than any may be')
    throw error
  }
  yield out.cut(0).bytes
}

/** The place where the output of a frame begins: copies reach no further back. `lz4Parts` moves it when it cuts the output. */
interface FrameOutput {
  start: number
}

/** Unpacks all frames, and yields after each block. */
function* blocks(source: Buffer, out: Unpacked): Generator<FrameOutput> {
  let at = 0
  do at = yield* frameBlocks(source, at, out)
  while (at < source.length)
}

/** @returns the end of the frame in the source */
function* frameBlocks(source: Buffer, from: number, out: Unpacked): Generator<FrameOutput, number> {
  need(source, from, HEAD_BYTES)
  const magic = source.readUInt32LE(from)
  if (magic >= SKIPPED_FRAME && magic < SKIPPED_FRAME + 16) return skippedEnd(source, from)
  if (magic !== FRAME_MAGIC) throw damaged('it is not an LZ4 frame')
  const flags = source[from + 4]!
  if (flags >> 6 !== 1) throw damaged('its version is not known')
  if (flags & FLAG.dictionary) throw damaged('it needs a dictionary')
  const frame = { start: out.length }
  let at = from + HEAD_BYTES + (flags & FLAG.contentSize ? 8 : 0)
  for (;;) {
    need(source, at, WORD_BYTES)
    const word = source.readUInt32LE(at)
    at += WORD_BYTES
    // a block of size 0 ends the frame
    if (word === 0) break
    const size = word & ~STORED
    if (size > LONGEST_BLOCK) throw damaged('a block is longer than any may be')
    need(source, at, size)
    if (word >= STORED) out.literals(source, at, at + size)
    else unpackBlock(source, at, at + size, out, flags & FLAG.independentBlocks ? out.length : frame.start)
    at += size + (flags & FLAG.blockChecksums ? WORD_BYTES : 0)
    yield frame
  }
  at += flags & FLAG.contentChecksum ? WORD_BYTES : 0
  if (at > source.length) throw damaged('it ends in a checksum')
  return at
}

function skippedEnd(source: Buffer, from: number): number {
  need(source, from, 8)
  const length = source.readUInt32LE(from + 4)
  need(source, from + 8, length)
  return from + 8 + length
}

function need(source: Buffer, at: number, bytes: number): void {
  if (bytes > source.length - at) throw damaged('it ends too early')
}

/** Unpacks a block: literals and copies in turn, each pair behind a token byte with 4 bits for either length. Where these are 15, further
 *  bytes add to the length, the last of which is below 255. @param start of the output that may be copied from */
function unpackBlock(source: Buffer, from: number, end: number, out: Unpacked, start: number): void {
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
    if (length === 15 + 4)
      for (let more = 255; more === 255; length += more) {
        if (at >= end) throw damaged('a block ends in a length')
        more = source[at++]!
      }
    out.copy(back, length, start)
  }
}
