// What is fetched, as the source keeps it. Types only.

import type { ConnectorError } from '../../core/errors.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import type { FetchedBatch, KafkaRecord, TopicPartition } from '../types.ts'

/** A record; of a dead letter the one it was first, with the offset it had there. */
export interface ReadRecord extends KafkaRecord {
  /** The place where it was first read; absent when it is this one. */
  readonly from?: TopicPartition
  /** The dead letter's own offset in what is read: what checkpoints go by. */
  readonly at?: bigint
}

export interface ReadBatch extends FetchedBatch {
  readonly records: readonly ReadRecord[]
  /** Schemas that its records name; awaited: not yet to be read; refused: never. `undefined` when they name none. */
  schemas?: KnownSchemas | 'awaited' | 'refused' | undefined
  /** Thrown after the records: what follows them cannot be read. */
  readonly error?: ConnectorError | undefined
}
