// Decompresses batches. A small batch is unpacked at once (`unpack`), up to a limit. A large one is unpacked in parts (`unpackParts`), of
// which only one is in memory; their reader counts the bytes, and asks for no more beyond its own limit.

import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { createUnzip, createZstdDecompress, unzip, zstdDecompress } from 'node:zlib'
import { codeOf } from '../../core/errors.ts'
import { lz4Parts, unpackLz4 } from './lz4.ts'
import { snappyParts, unpackSnappy } from './snappy.ts'
import { damaged, tooLarge, UnpackError, type Codec } from './unreadable-batch.ts'
import { zstdFrames } from './zstd-frames.ts'

/** Codecs by Kafka's numbers. 0 means not compressed; 5 to 7 are not used. */
export const CODECS: Readonly<Record<number, Codec | undefined>> = { 1: 'gzip', 2: 'snappy', 3: 'lz4', 4: 'zstd' }

/** Bytes of the chunks that Node's zlib yields. */
const CHUNK_BYTES = 256 * 1024

/** @param limit of the unpacked bytes @returns a promise for gzip and zstd, which Node unpacks @throws UnpackError, or rejects with it */
export function unpack(codec: Codec, source: Buffer, limit: number): Buffer | Promise<Buffer> {
  if (codec === 'snappy') return unpackSnappy(source, limit)
  if (codec === 'lz4') return unpackLz4(source, limit)
  const unpacked = codec === 'gzip' ? promisify(unzip)(source, { maxOutputLength: limit }) : unpackZstd(source, limit)
  return unpacked.catch((error: unknown) => {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : asUnpackError(error)
  })
}

/** Unpacks in parts, on demand. Use each part before you request the next one.
 *  @param limit of the bytes of a part. Only Snappy needs it, for parts of the other codecs are small @throws UnpackError */
export async function* unpackParts(codec: Codec, source: Buffer, limit: number): AsyncGenerator<Buffer> {
  if (codec === 'snappy') yield* snappyParts(source, limit)
  else if (codec === 'lz4') yield* lz4Parts(source)
  else if (codec === 'gzip') yield* streamed(createUnzip({ chunkSize: CHUNK_BYTES }), source)
  // frame by frame, because Node unpacks only the first one of zstd, while it unpacks all of gzip
  else for (const frame of zstdFrames(source)) yield* streamed(createZstdDecompress({ chunkSize: CHUNK_BYTES }), frame)
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

async function* streamed(stream: Duplex, source: Buffer): AsyncGenerator<Buffer> {
  stream.end(source)
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    throw asUnpackError(error)
  } finally {
    stream.destroy()
  }
}

function asUnpackError(error: unknown): UnpackError {
  if (error instanceof UnpackError) return error
  return damaged(error instanceof Error ? error.message : String(error))
}
