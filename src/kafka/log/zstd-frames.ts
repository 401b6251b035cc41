// Splits Zstandard data into its frames: Node unpacks only the first of several, and a batch may have any number.

import { damaged } from './unreadable-batch.ts'

const FRAME_MAGIC = 0xfd2fb528
/** The first of 16 magic numbers of skippable frames, which hold no data of the batch. */
const SKIPPED_FRAME = 0x184d2a50
/** Bytes of the dictionary's id by the two lowest bits of the flags, and of the frame's length by the two highest. */
const DICTIONARY_BYTES = [0, 1, 2, 4]
const LENGTH_BYTES = [0, 2, 4, 8]
/** Flags: the frame's head has no byte for its window; a checksum of 4 bytes follows the blocks. */
const SINGLE_SEGMENT = 0x20
const HAS_CHECKSUM = 0x04
/** The type of a block that is one byte, repeated. */
const RLE = 1

/** @returns views of the frames in order, without skippable ones @throws UnpackError */
export function zstdFrames(source: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = 0; at < source.length;) {
    need(source, at, 4 + 4)
    const magic = source.readUInt32LE(at)
    const isSkipped = magic >= SKIPPED_FRAME && magic < SKIPPED_FRAME + 16
    if (!isSkipped && magic !== FRAME_MAGIC) throw damaged('it is not a Zstandard frame')
    const end = isSkipped ? at + 8 + source.readUInt32LE(at + 4) : frameEnd(source, at)
    if (end > source.length) throw damaged('it ends too early')
    if (!isSkipped) frames.push(source.subarray(at, end))
    at = end
  }
  return frames
}

/** The end of a frame: magic number (4 bytes), flags (1), window, id of the dictionary, length, blocks, checksum. */
function frameEnd(source: Buffer, from: number): number {
  const flags = source[from + 4]!
  const isSingle = (flags & SINGLE_SEGMENT) !== 0
  const lengthBytes = flags >> 6 === 0 && isSingle ? 1 : LENGTH_BYTES[flags >> 6]!
  let at = from + 4 + 1 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[flags & 3]! + lengthBytes
  for (let isLast = false; !isLast;) {
    need(source, at, 3)
    // of a block: one bit says that it is the last one, two are its type, the others its size
    const head = source.readUIntLE(at, 3)
    isLast = (head & 1) === 1
    at += 3 + (((head >> 1) & 3) === RLE ? 1 : head >> 3)
  }
  return at + ((flags & HAS_CHECKSUM) === 0 ? 0 : 4)
}

function need(source: Buffer, at: number, bytes: number): void {
  if (bytes > source.length - at) throw damaged('it ends too early')
}
