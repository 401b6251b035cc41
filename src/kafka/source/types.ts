// Fetched records and batches, as sources keep them until items are made of them. Types only.

import type { ConnectorError } from '../../core/errors.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import type { FetchedBatch, KafkaRecord, TopicPartition } from '../types.ts'

/** A record to be stored. Where a dead letter is replayed, it is the letter's record as it was first read, with the offset it had there. */
export interface ReadRecord extends KafkaRecord {
  /** The partition where the record of a dead letter was first read. Absent when none is replayed. */
  readonly from?: TopicPartition
  /** The offset of the dead letter itself, by which checkpoints go. Absent when none is replayed. */
  readonly letterOffset?: bigint
}

export interface ReadBatch extends FetchedBatch {
  readonly records: readonly ReadRecord[]
  /** The schemas that its records name. No items can be made of it while they are `awaited`, or when they are `refused`: those never come.
   *  `AwaitedSchemas` sets them. `undefined` when its topic needs none. */
  schemas?: KnownSchemas | 'awaited' | 'refused' | undefined
  /** The error to throw behind the items of its records. `undefined` when what follows them can be read. */
  readonly error?: ConnectorError | undefined
}
