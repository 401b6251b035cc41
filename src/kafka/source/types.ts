// What is fetched, as the source keeps it. Types only.

import type { ConnectorError } from '../../core/errors.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import type { FetchedBatch, KafkaRecord, TopicPartition } from '../types.ts'

/** A record; of a dead letter the one it was first, with the offset it had there. */
export interface ReadRecord extends KafkaRecord {
  /** Where it was first read; absent: here. */
  readonly from?: TopicPartition
  /** Of a dead letter, its own offset in what is read: what checkpoints go by. */
  readonly at?: bigint
}

export interface ReadBatch extends FetchedBatch {
  readonly records: readonly ReadRecord[]
  /** Those its records name; awaited: not yet to be read; refused: never. Undefined: they name none. */
  schemas?: KnownSchemas | 'awaited' | 'refused' | undefined
  /** Thrown after the records: what follows them cannot be read. */
  readonly error?: ConnectorError | undefined
}
