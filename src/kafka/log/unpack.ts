// Unpacks what a producer compressed, within bounds. Knows no Kafka but the names of its codecs.

import { promisify } from 'node:util'
import { unzip, zstdDecompress } from 'node:zlib'
import { unpackLz4 } from './lz4.ts'
import { unpackSnappy } from './snappy.ts'
import { damaged, tooLarge, UnpackError } from './unpack-error.ts'
import type { Codec } from './unpack-error.ts'
import { zstdFrames } from './zstd-frames.ts'

/** By Kafka's numbers; it has others in three bits, but no codecs for them. 0: packed with none. */
export const CODECS: Readonly<Record<number, Codec | undefined>> = { 1: 'gzip', 2: 'snappy', 3: 'lz4', 4: 'zstd' }

/** @param limit bytes @throws UnpackError */
export async function unpack(codec: Codec, source: Buffer, limit: number): Promise<Buffer> {
  try {
    return await UNPACK[codec](source, limit)
  } catch (error) {
    if (error instanceof UnpackError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw damaged(error instanceof Error ? error.message : String(error))
  }
}

const UNPACK: Readonly<Record<Codec, (source: Buffer, limit: number) => Buffer | Promise<Buffer>>> = {
  gzip: (source, limit) => promisify(unzip)(source, { maxOutputLength: limit }),
  snappy: unpackSnappy,
  lz4: unpackLz4,
  zstd: unpackZstd,
}

async function unpackZstd(source: Buffer, limit: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let left = limit
  for (const frame of zstdFrames(source)) {
    // Node takes no limit of 0
    const part = await promisify(zstdDecompress)(frame, { maxOutputLength: Math.max(1, left) })
    left -= part.length
    if (left < 0) throw tooLarge(limit)
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}
