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
  /** The name of the schema by which what `value` now holds was decoded to JSON. `undefined` when no schema was needed. */
  readonly schema?: string | undefined
  /** Set if the record cannot be used: it has more headers than we read (`headers` is then empty), or its value cannot be decoded. */
  readonly unread?: Unread | undefined
}

export interface Unread {
  /** A message for the user, with nothing of the record's data. */
  readonly why: string
  /** All headers of a record that has too many, for its dead letter (a copy of a refused record, with further headers that say why it was
   *  refused). `undefined` when they are too many even for that, or when the headers are not the problem. */
  readonly letterHeaders?: readonly KafkaHeader[] | undefined
}

export type KafkaHeader = readonly [name: string, value: Buffer | null]

/** Records of one partition. `records` may be empty: aborted transactions, transaction markers and compaction use up offsets. */
export interface FetchedBatch extends TopicPartition {
  readonly records: readonly KafkaRecord[]
  /** Approximate memory: keys, values and the overhead of each record. */
  readonly bytes: number
  /** The offset to commit once all records are settled: one after the last offset that was used up. */
  readonly next: bigint
  /** The high watermark of the partition (one after its last record) when the records were fetched. */
  readonly highWatermark: bigint
  /** Whether this stands for a jump: it has no records, and reading goes on at its `next`, which may be lower than before, since the offset
   *  to read was out of range. Until the batches before it are settled, nothing is to be committed. */
  readonly isMove?: boolean
}

export interface PartitionPosition extends TopicPartition {
  readonly offset: bigint
}

/** The offsets of a partition: of its first record, and one after the last that can be read. */
export interface OffsetRange {
  readonly low: bigint
  readonly high: bigint
}

/** An offset as it is committed: the next to read. */
export interface CommittedPosition extends PartitionPosition {
  /** The id of the topic, which tells it from a later one of the same name. `undefined` when it is not known. */
  readonly topicId?: string | undefined
}

/** Events that a group member reports. While `revoked` is pending, no `assigned`, `lost` or `batch` comes. */
export interface MemberEvents {
  /** These partitions are assigned to the member until the group's next rebalance, and reading starts at `offset`. They replace all earlier
   *  ones, for which `revoked` or `lost` came before. @param partitions empty if there are more members than partitions */
  assigned(partitions: readonly PartitionPosition[]): void
  /** A rebalance is about to begin. The group waits, and no batch comes, until the promise resolves. Before that the receiver settles the
   *  requests in flight and the records before them, commits these (which is still accepted), and drops all other records.
   *  @param signal aborts when the group stops waiting */
  revoked(signal: AbortSignal): Promise<void>
  /** The membership ended without warning (evicted, connection lost): commits are no longer accepted, nothing new may be sent. */
  lost(reason: string): void
  /** Records of an assigned partition came, in the order of its offsets. */
  batch(batch: FetchedBatch): void
  /** The member cannot go on: wrong password, offset out of range, brokers unreachable for too long. Called once. While
   *  `GroupMember.isMember()` holds, the group still accepts commits: settle, commit, then abort `run`'s signal. */
  failed(error: ConnectorError): void
  /** Something worth a line in the log: a rejoin, a restart of the client, a coordinator that moved. May come at any time. */
  log(level: 'info' | 'warn', message: string, fields?: LogFields): void
}
