// The interface between the Kafka client and the rest of the connector: small enough for another client to implement. Types only.

import type { LogFields } from '../process/io.ts'
import type { ConnectorError } from '../core/errors.ts'

export interface TopicPartition {
  readonly topic: string
  readonly partition: number
}

/** A record as it is stored in the log. Its buffers are views of the memory it was fetched in: copy what you keep. */
export interface KafkaRecord {
  readonly offset: bigint
  /** Milliseconds since 1970, set by the broker or the producer. */
  readonly timestamp: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  /** Headers in the record's order. Names may repeat, and values may be null. */
  readonly headers: readonly KafkaHeader[]
  /** The name of its value's schema, where one made it JSON. */
  readonly schema?: string | undefined
  /** Set if the record cannot be read: it has more headers than we read (`headers` is then empty), or no schema makes it JSON. */
  readonly unread?: Unread | undefined
}

export interface Unread {
  /** A message without data. */
  readonly why: string
  /** Headers of a dead letter, if it has too many for a record and may have that many. `undefined` otherwise. */
  readonly ofLetter?: readonly KafkaHeader[] | undefined
}

export type KafkaHeader = readonly [name: string, value: Buffer | null]

/** Records of one partition. `records` may be empty: aborted transactions, markers and compaction use up offsets. */
export interface FetchedBatch extends TopicPartition {
  readonly records: readonly KafkaRecord[]
  /** Approximate memory in bytes: keys, values and the overhead of each record. */
  readonly bytes: number
  /** The offset to commit once all records are settled: one after the last offset, markers included. */
  readonly next: bigint
  /** The high watermark of the partition when the records were fetched. */
  readonly highWatermark: bigint
  /** A batch that has no records, because what was read was to go on at another offset. Reading goes on at `next`,
   *  which may be lower, and until the batches before this one are settled nothing is to be committed. */
  readonly isMove?: boolean
}

export interface PartitionPosition extends TopicPartition {
  readonly offset: bigint
}

/** Offsets of a partition: of its first record, and one after the last that can be read. */
export interface OffsetRange {
  readonly low: bigint
  readonly high: bigint
}

/** An offset as it is committed. */
export interface CommittedPosition extends PartitionPosition {
  /** The id of the topic that it was read of. `undefined` when that is not known. */
  readonly topicId?: string | undefined
}

/** Events that a group member reports. Calls never overlap, and none comes while `revoked` is pending. */
export interface MemberEvents {
  /** A new generation assigned these partitions, and reading starts at `offset`. It replaces all earlier assignments:
   *  `revoked` or `lost` came before, except for the first.
   *  @param partitions empty if there are more members than partitions */
  assigned(partitions: readonly PartitionPosition[]): void
  /** A rebalance is about to begin. The group waits, and no batch comes, until the promise resolves. By then requests in flight
   *  and the records before them are settled and committed (commits are still accepted); the rest is dropped.
   *  @param signal aborts when the group stops waiting */
  revoked(signal: AbortSignal): Promise<void>
  /** The membership ended without warning (evicted, connection lost): commits are no longer accepted, nothing new may be sent. */
  lost(reason: string): void
  batch(batch: FetchedBatch): void
  /** The member cannot go on: wrong password, offset out of range, brokers unreachable for too long. Called once. While
   *  `isMember()` holds, the group still accepts commits: settle, commit, then abort `run`'s signal. */
  failed(error: ConnectorError): void
  /** Logs rejoins, restarts of the client, a coordinator that moved. May come at any time. */
  log(level: 'info' | 'warn', message: string, fields?: LogFields): void
}
