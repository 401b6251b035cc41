// Batches for tests, and the messages in which kafkajs hands them on.

import { zstdCompressSync } from 'node:zlib'
import type { KafkaMessage } from 'kafkajs'
import { ID_BYTES, KeptBatches } from '../stand-ins.ts'
import type { FetchBudget } from '../../log/fetch-budget.ts'
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
  return { ...place, codec: 0, count, as: 'records', packed, isAlone: false, ...over }
}

function idBytes(id: number): Buffer {
  const bytes = Buffer.alloc(ID_BYTES)
  bytes.writeDoubleBE(id)
  return bytes
}

/** What becomes of those that nobody claims is not counted any more when `kept` is disposed. */
export function messagesOf(
  budget: FetchBudget,
  batches: readonly PackedBatch[],
): { readonly messages: KafkaMessage[]; readonly kept: Disposable } {
  const kept = new KeptBatches(budget)
  const messages = batches.map((batch): KafkaMessage => {
    const value = idBytes(kept.keep(batch))
    return { offset: `${batch.last}`, value, key: null, timestamp: '0', attributes: 0, headers: {} }
  })
  return { messages, kept }
}
