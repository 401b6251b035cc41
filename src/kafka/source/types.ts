// Fetched records and batches, as the source keeps them until they are taken. Types only.

import type { ConnectorError } from '../../core/errors.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import type { FetchedBatch, KafkaRecord, TopicPartition } from '../types.ts'

/** A record to be stored. Of a dead letter it is the record as it was first read, with the offset it had there. */
export interface ReadRecord extends KafkaRecord {
  /** The partition where the record of a dead letter was first read. Absent when it is no dead letter. */
  readonly from?: TopicPartition
  /** The dead letter's own offset in what is read, which checkpoints go by. Absent when it is no dead letter. */
  readonly letterOffset?: bigint
}

export interface ReadBatch extends FetchedBatch {
  readonly records: readonly ReadRecord[]
  /** Schemas that its records name. `awaited` while not all are there: the batch cannot be taken; `refused` when they never will be.
   *  `undefined` when its topic needs none. */
  schemas?: KnownSchemas | 'awaited' | 'refused' | undefined
  /** The error to throw after the records, since what follows them cannot be read. */
  readonly error?: ConnectorError | undefined
}
