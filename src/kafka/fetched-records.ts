// The records that messages of kafkajs are or stand for. Knows no partition.

import type { Batch, KafkaMessage } from 'kafkajs'
import { KafkajsRecord } from './kafkajs-record.ts'
import { readBatchOf } from './log/marked-batches.ts'
import type { KafkaRecord } from './types.ts'
import { unreadableBatch } from './log/unreadable-batch.ts'
import type { UnreadableBatch } from './log/unreadable-batch.ts'

/** What a record costs beside its key and value: its object, and what is made of it while it waits. */
const RECORD_BYTES = 200
/** One of kafkajs: objects and texts, about so much. */
const KAFKAJS_BYTES = 400

/** With the offset it was fetched for, which kafkajs's types leave out. */
export type KafkajsBatch = Batch & { readonly fetchedOffset?: string }

export interface FetchedRecords {
  readonly records: readonly KafkaRecord[]
  /** What holding them costs, roughly. */
  readonly bytes: number
  /** Of the last message that is read; undefined: none is. */
  readonly last: string | undefined
  /** Behind them comes what cannot be read. */
  readonly bad: UnreadableBatch | undefined
}

/** @param messages in order, as kafkajs gives them
 *  @param from records before it are left out: a batch is fetched whole
 *  @returns those before the first that cannot be read */
export function fetchedRecords(messages: readonly KafkaMessage[], from: bigint): FetchedRecords {
  const records: KafkaRecord[] = []
  let bytes = 0
  let last: string | undefined
  for (const message of messages) {
    const bad = unreadableBatch(message)
    if (bad) return { records, bytes, last, bad }
    const batch = readBatchOf(message)
    if (batch) {
      append(records, batch.records, from)
      bytes += batch.bytes + batch.records.length * RECORD_BYTES
    } else {
      records.push(new KafkajsRecord(message))
      bytes += KAFKAJS_BYTES + (message.key?.length ?? 0) + (message.value?.length ?? 0)
    }
    last = message.offset
  }
  return { records, bytes, last, bad: undefined }
}

function append(records: KafkaRecord[], more: readonly KafkaRecord[], from: bigint): void {
  const first = more[0]
  // of the first batch only are there such as were read before
  const isBefore = first !== undefined && first.offset < from
  for (const record of more) if (!isBefore || record.offset >= from) records.push(record)
}
