// What a Kafka client is to the connector: narrow enough for another client to stand beside the one there is. Types only.

import type { ConnectorError } from '../core/errors.ts'

export interface TopicPartition {
  readonly topic: string
  readonly partition: number
}

/** A record of a topic as it lies in the log. Its buffers are views of what was fetched with it: copy what is to be kept. */
export interface KafkaRecord {
  readonly offset: bigint
  /** Milliseconds since 1970, as the broker or the producer set it. */
  readonly timestamp: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  /** In the record's order, repeated names too; a header may have no value. */
  readonly headers: readonly KafkaHeader[]
  /** Set where it has more headers than are read; `headers` is empty then. */
  readonly unread?: UnreadHeaders | undefined
}

export interface UnreadHeaders {
  /** In words, without data. */
  readonly why: string
  /** All of them, where there are no more than a dead letter may have; undefined: more. */
  readonly ofLetter: readonly KafkaHeader[] | undefined
}

export type KafkaHeader = readonly [name: string, value: Buffer | null]

/** What one fetch brought of one partition. `records` may be empty: aborted transactions, markers and compaction use up offsets. */
export interface FetchedBatch extends TopicPartition {
  readonly records: readonly KafkaRecord[]
  /** What holding it costs, roughly: keys and values, and what each record takes beside them. */
  readonly bytes: number
  /** Where to go on once all of it is settled: one behind its last offset, markers included. */
  readonly next: bigint
  /** The partition's end when it was fetched. */
  readonly highWatermark: bigint
}

export interface PartitionPosition extends TopicPartition {
  readonly offset: bigint
}

/** What a member of a group reports. Calls come one after another and never while `revoked` is pending. */
export interface MemberEvents {
  /** A new generation of the group gave these partitions, and reading starts at `offset`; all earlier assignments are
   *  void. `revoked` or `lost` came before, unless it is the first.
   *  @param partitions may be empty: more members than partitions */
  assigned(partitions: readonly PartitionPosition[]): void
  /** Another generation is about to begin. No batch comes and the group waits until the promise resolves: what is under way
   *  and what lies before it is awaited, the rest forgotten, what is settled committed (commits are still taken).
   *  @param signal aborts when the group will wait no longer */
  revoked(signal: AbortSignal): Promise<void>
  /** The membership is over without warning (evicted, connection lost): commits are no longer taken, nothing new may be sent. */
  lost(reason: string): void
  batch(batch: FetchedBatch): void
  /** The member cannot go on: wrong password, an offset that is gone, brokers unreachable for too long. Once. While
   *  `isMember()` the group still takes commits: settle, commit, then abort `run`'s signal. */
  failed(error: ConnectorError): void
  /** For the log: rejoins, crashes that are repaired, a coordinator that moved. At any time. */
  log(level: 'info' | 'warn', message: string): void
}
