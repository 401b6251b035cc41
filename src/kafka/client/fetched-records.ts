// What messages of kafkajs are or stand for: batches that are still packed, or records. Knows no partition.

import type { Batch, KafkaMessage } from 'kafkajs'
import { KafkajsRecord } from './kafkajs-record.ts'
import { packedBatchOf } from '../log/packed-batch.ts'
import type { PackedBatch } from '../log/packed-batch.ts'
import { readParts, readWhole, unreadableOf } from '../log/read-packed.ts'
import type { ReadRecords } from '../log/read-packed.ts'
import type { KafkaRecord } from '../types.ts'
import { unreadableBatch } from '../log/unreadable-batch.ts'
import type { UnreadableBatch } from '../log/unreadable-batch.ts'

/** What a record costs beside its key and value: its object, and what is made of it while it waits. */
export const RECORD_BYTES = 200
/** One of kafkajs: objects and texts, about so much. */
const KAFKAJS_BYTES = 400

/** With the offset it was fetched for, which kafkajs's types leave out. */
export type KafkajsBatch = Batch & { readonly fetchedOffset?: string }

/** `last`: its last offset, markers and the like included. */
export type Fetched =
  | { readonly kind: 'packed'; readonly batch: PackedBatch; readonly last: bigint }
  | { readonly kind: 'records'; readonly records: KafkaRecord[]; bytes: number; last: bigint }
  | { readonly kind: 'bad'; readonly bad: UnreadableBatch }

/** @param messages in order, as kafkajs gives them
 *  @returns what they are, in order, up to what cannot be read */
export function fetchedOf(messages: readonly KafkaMessage[]): Fetched[] {
  const found: Fetched[] = []
  for (const message of messages) {
    const bad = unreadableBatch(message)
    if (bad) return [...found, { kind: 'bad', bad }]
    const last = BigInt(message.offset)
    const batch = packedBatchOf(message)
    if (batch) {
      found.push({ kind: 'packed', batch, last })
      continue
    }
    let records = found.at(-1)
    if (records?.kind !== 'records') found.push((records = { kind: 'records', records: [], bytes: 0, last }))
    records.records.push(new KafkajsRecord(message))
    records.bytes += KAFKAJS_BYTES + (message.key?.length ?? 0) + (message.value?.length ?? 0)
    records.last = last
  }
  return found
}

/** Those of a batch that are not before `from`. */
export function recordsFrom({ records }: ReadRecords, from: bigint): KafkaRecord[] {
  const first = records[0]
  // of the first batch only are there such as were read before
  return first !== undefined && first.offset < from ? records.filter(({ offset }) => offset >= from) : records
}

/** Reads all of it, part by part. @returns what cannot be read, after what comes before it */
export async function* readFetched(
  fetched: readonly Fetched[],
): AsyncGenerator<readonly KafkaRecord[], UnreadableBatch | undefined> {
  for (const one of fetched) {
    if (one.kind === 'bad') return one.bad
    if (one.kind === 'records') {
      yield one.records
      continue
    }
    try {
      const read = await readWhole(one.batch)
      if (read !== 'large') yield read.records
      else for await (const { records } of readParts(one.batch)) yield records
    } catch (error) {
      return unreadableOf(one.batch, error)
    }
  }
  return undefined
}
