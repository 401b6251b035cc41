// Decompresses batches, with a limit on the result.

import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { createUnzip, createZstdDecompress, unzip, zstdDecompress } from 'node:zlib'
import { lz4Parts, unpackLz4 } from './lz4.ts'
import { snappyParts, unpackSnappy } from './snappy.ts'
import { damaged, tooLarge, UnpackError } from './unreadable-batch.ts'
import type { Codec } from './unreadable-batch.ts'

/** Codecs by Kafka's numbers. 0 means not compressed; 5 to 7 are not used. */
export const CODECS: Readonly<Record<number, Codec | undefined>> = { 1: 'gzip', 2: 'snappy', 3: 'lz4', 4: 'zstd' }

/** Bytes of the chunks that Node's zlib yields. */
const CHUNK_BYTES = 256 * 1024

/** @param limit bytes @returns a promise for the codecs of Node's zlib @throws UnpackError, or rejects with it */
export function unpack(codec: Codec, source: Buffer, limit: number): Buffer | Promise<Buffer> {
  if (codec === 'snappy') return unpackSnappy(source, limit)
  if (codec === 'lz4') return unpackLz4(source, limit)
  return (codec === 'gzip' ? unpackGzip(source, limit) : unpackZstd(source, limit)).catch((error: unknown) => {
    throw known(error, limit)
  })
}

/** The same in parts, unpacked on demand. Use each part before you request the next one.
 *  @throws UnpackError */
export async function* unpackParts(codec: Codec, source: Buffer, limit: number): AsyncGenerator<Buffer> {
  if (codec === 'snappy') yield* snappyParts(source, limit)
  else if (codec === 'lz4') yield* lz4Parts(source)
  else if (codec === 'gzip') yield* streamed(createUnzip({ chunkSize: CHUNK_BYTES }), source, limit)
  else
    for (const frame of zstdFrames(source))
      yield* streamed(createZstdDecompress({ chunkSize: CHUNK_BYTES }), frame, limit)
}

function unpackGzip(source: Buffer, limit: number): Promise<Buffer> {
  return promisify(unzip)(source, { maxOutputLength: limit })
}

async function unpackZstd(source: Buffer, limit: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let left = limit
  for (const frame of zstdFrames(source)) {
    // Node does not accept a limit of 0
    const part = await promisify(zstdDecompress)(frame, { maxOutputLength: Math.max(1, left) })
    left -= part.length
    if (left < 0) throw tooLarge(limit)
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

async function* streamed(stream: Duplex, source: Buffer, limit: number): AsyncGenerator<Buffer> {
  stream.end(source)
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    throw known(error, limit)
  } finally {
    stream.destroy()
  }
}

function known(error: unknown, limit: number): UnpackError {
  if (error instanceof UnpackError) return error
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limit)
  return damaged(error instanceof Error ? error.message : String(error))
}

const FRAME = 0xfd2fb528
/** The first of 16 magic numbers of skippable frames. */
const SKIPPED_FRAME = 0x184d2a50
/** Bytes of the dictionary's id by the two bits of the flag. */
const DICTIONARY_BYTES = [0, 1, 2, 4]
const LENGTH_BYTES = [0, 2, 4, 8]
const RLE = 1

/** Splits concatenated frames. @returns views, without skippable frames @throws UnpackError */
export function zstdFrames(source: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = 0; at < source.length;) {
    need(source, at, 8)
    const magic = source.readUInt32LE(at)
    const isSkipped = magic >= SKIPPED_FRAME && magic < SKIPPED_FRAME + 16
    if (!isSkipped && magic !== FRAME) throw damaged('it is not a Zstandard frame')
    const end = isSkipped ? at + 8 + source.readUInt32LE(at + 4) : frameEnd(source, at)
    if (end > source.length) throw damaged('it ends too early')
    if (!isSkipped) frames.push(source.subarray(at, end))
    at = end
  }
  return frames
}

function frameEnd(source: Buffer, from: number): number {
  const flags = source[from + 4]!
  const isSingle = (flags & 0x20) !== 0
  const lengthBytes = flags >> 6 === 0 && isSingle ? 1 : LENGTH_BYTES[flags >> 6]!
  let at = from + 5 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[flags & 3]! + lengthBytes
  for (let isLast = false; !isLast;) {
    need(source, at, 3)
    const head = source.readUIntLE(at, 3)
    isLast = (head & 1) === 1
    at += 3 + (((head >> 1) & 3) === RLE ? 1 : head >> 3)
  }
  return at + ((flags & 4) === 0 ? 0 : 4)
}

function need(source: Buffer, at: number, bytes: number): void {
  if (bytes > source.length - at) throw damaged('it ends too early')
}
