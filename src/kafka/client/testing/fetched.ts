// Batches for tests.

import { zstdCompressSync } from 'node:zlib'
import type { PackedBatch } from '../../log/record-batch.ts'
import { recordBytes } from '../../log/testing/log.ts'

export const ZSTD = 4

/** @param size of each value */
export function packedBatch(first: bigint, count: number, size: number, over: Partial<PackedBatch> = {}): PackedBatch {
  const value = Buffer.alloc(size, 1)
  const records = Array.from({ length: count }, (_, offsetDelta) =>
    recordBytes({ timestampDelta: 0n, offsetDelta, key: null, value, headers: [] }),
  )
  const bytes = Buffer.concat(records)
  const packed = over.codec === ZSTD ? zstdCompressSync(bytes) : bytes
  const place = { first, last: first + BigInt(count - 1), firstTimestamp: 0n, appendTime: undefined }
  return { ...place, codec: 0, count, readAs: 'records', packed, ownsMemory: false, ...over }
}
