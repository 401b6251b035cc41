// The state of a run as one object, for everything that shows it: summary, progress, report, health, metrics. Counts, never a record's data.

import type { AdaptivePermits, HeldBy } from '../core/concurrency/limit.ts'
import type { ErrorKind } from '../core/errors.ts'
import type { EndingFacts, EngineFacts } from '../core/tally.ts'
import type { JsonKind } from '../json/json-kind.ts'
import type { RunRow, TableFacts } from './counts.ts'
import type { Log } from '../process/io.ts'
import type { DurationCounts } from './request-durations.ts'

/** An outage that was logged. Times are the run's clock. */
export interface ListedOutage {
  readonly from: number
  /** `undefined` while it goes on. */
  to: number | undefined
  /** The cause, for people. */
  readonly cause: string
  /** host:port */
  readonly host: string
}

/** A snapshot. Times are milliseconds of one monotonic clock (core's `Clock.now`). Counts since the start never fall, whatever happens to
 *  partitions; everything else is the state at that moment. */
export interface RunFacts {
  /** Streams or topics with their tables. */
  readonly rows: readonly RowFacts[]
  readonly total: RunRow
  /** Each table once, even if several rows share it. */
  readonly tables: readonly TableFacts[]
  /** The time of the snapshot: that of the last tick of the run's loop, which comes once a second. */
  readonly at: number
  readonly startedAt: number
  readonly noun: 'stream' | 'topic'
  readonly delivery: DeliveryFacts
  /** `undefined` when the input is no member of a consumer group. */
  readonly group?: GroupFacts | undefined
  /** Whether dead letters (records that were rejected earlier) are read. */
  readonly replays?: boolean | undefined
  /** How much of the input file has been read, in bytes. Absent when the input is no file. */
  readonly input?: { readonly read: number; readonly size: number } | undefined
  /** Rejected records up to now; read at any time. */
  readonly rejects: RejectFacts
  /** The place of rejected records, for people. `undefined` when they are not kept. */
  readonly rejectsPlace: string | undefined
  /** The last outages that were logged, of all servers. */
  readonly outages: readonly ListedOutage[]
  /** Whether this is a dry run, which sends nothing. */
  readonly isDry?: boolean
  /** Whether the run is ending early, by a signal or an error. */
  readonly stopping: boolean
  /** The result of a requested stop. Absent while the run goes on, or when something else ended it. */
  readonly stopped?: StoppedFacts | undefined
  /** Kind of the error that ends the run; its message is only in the log, for it may quote the service. */
  readonly failed: ErrorKind | undefined
}

export interface StoppedFacts {
  /** Records stored, superseded, rejected or ignored in this run, up to the first one that is not. */
  readonly settled: number
  /** Records read but not settled, whether still awaited or given up. */
  readonly unsettled: number
  /** Partitions with settled records whose offset the group did not accept. */
  readonly uncommitted: number
  /** Whether this process has left the group. */
  readonly hasLeft: boolean
}

/** The state of this process as a member of its consumer group. */
export interface GroupFacts {
  /** Whether the group counts this process as a member. */
  readonly joined: boolean
  /** When `joined` last changed. */
  readonly since: number
  readonly generation: string | undefined
  /** Generations joined since the start. */
  readonly rebalances: number
  /** Commits of settled offsets since the start. taken: accepted by the group · failed: refused or not answered. */
  readonly commits: { readonly taken: number; readonly failed: number }
  /** The partitions assigned now; none when the group has more members than partitions. */
  readonly partitions: readonly PartitionFacts[]
  /** When the oldest outstanding record was fetched. `undefined` when none is outstanding. */
  readonly oldestAt: number | undefined
  /** Failed attempts to keep dead letters, since the start. */
  readonly deadLetterFailures: number
  /** Since when fetched records have waited for schemas of the registry. `undefined` when none waits. */
  readonly schemasSince: number | undefined
  /** Why the last request to the registry failed. */
  readonly schemasCause?: string | undefined
  /** Brokers that do not answer. Absent when none is known. */
  readonly brokersDown?: readonly BrokerDown[] | undefined
  /** One for each token server. Absent when logins need none. */
  readonly tokens?: readonly TokenFacts[] | undefined
}

/** The token of one token server, with which this process logs in. */
export interface TokenFacts {
  /** host:port of the token server. */
  readonly place: string
  /** When the token in hand expires. `undefined` before the first. */
  readonly expiresAt: number | undefined
  /** Requests since the start that brought a token, and that brought none. */
  readonly fetched: number
  readonly failed: number
  /** Since when fetches have failed, and why, scrubbed. `undefined` when the last one brought a token. */
  readonly failingSince: number | undefined
  readonly cause: string | undefined
}

export interface BrokerDown {
  /** host:port */
  readonly place: string
  readonly since: number
  /** The cause, for people. */
  readonly cause: string
}

export interface PartitionFacts {
  readonly topic: string
  readonly partition: number
  /** Offsets between what is settled and the partition's end. `undefined` before the end is known. */
  readonly lag: bigint | undefined
  /** When the group last accepted an offset from this assignment, in milliseconds since 1970. `undefined` before the first. */
  readonly committedAt: number | undefined
  /** Why it is not fetched, or why its fetched records wait. `undefined` when it is not held. */
  readonly held: HeldReason | undefined
}

/** outage: the service accepts nothing. rebalance: it is being revoked. buffer: `buffer_bytes` of records wait to be sent. budget: the
 *  memory for prefetched records is full. schemas: fetched records need schemas that the registry has not sent yet.
 *  fetched_ahead: enough is prefetched, which is normal if the service is the bottleneck. */
export const HELD_REASONS = ['outage', 'rebalance', 'buffer', 'budget', 'schemas', 'fetched_ahead'] as const
export type HeldReason = (typeof HELD_REASONS)[number]

/** The state of the service. */
export interface ServiceFacts {
  /** When the first of an unbroken series of failed attempts ended, or since when no attempt has been answered at all. `undefined`
   *  when the last attempt succeeded. */
  readonly failingSince: number | undefined
  /** The cause, for people. */
  readonly failingCause?: string | undefined
  /** The same for throttled attempts (429). `undefined` when the last attempt was not throttled. */
  readonly throttledSince: number | undefined
  /** End of the pause that the service asked for (Retry-After). In the past, or `undefined`, when there is none. */
  readonly pausedUntil: number | undefined
}

/** The state of permits; fixed ones tell only their number. */
export interface PermitsFacts {
  readonly limit: number
  /** Attempts a second that may begin, learnt from refusals (Infinity: any number), and the last refusal in words. Absent when the
   *  user fixed the permits. */
  readonly rate?: AdaptivePermits['rate'] | undefined
  /** The reason why attempts are held back just now. `undefined` when they are not, or it is unknown. */
  readonly heldBy?: HeldBy | undefined
}

/** What is being sent, and what it waits for. */
export interface DeliveryFacts
  extends Omit<EngineFacts, 'settled'>, ServiceFacts, Pick<PermitsFacts, 'rate' | 'heldBy'> {
  /** When a record was last settled or nothing was outstanding, whichever is later. */
  readonly settledAt: number
  /** Attempts that may be in flight now. `undefined` when unknown. */
  readonly permits: number | undefined
  /** Durations of attempts since the start. */
  readonly durations: readonly DurationCounts[]
  /** Why the run does not end yet. Absent when unknown. */
  readonly ending?: EndingFacts | undefined
}

/** A stream or topic and its table, with counts since the start. `records`: all that were read, including those read again after partitions
 *  moved. `written`: stored, or superseded by a newer version that is stored. `ignored`: by policy (tombstones, messages of other kinds). */
export interface RowFacts extends RunRow {
  /** Dead letters of a topic that were kept: records rejected by the connector, or refused by the service. */
  readonly deadLetters?: Readonly<Record<'rejected' | 'refused', number>> | undefined
  /** How often fetching from a partition of the topic was paused, by the first reason. */
  readonly pauses?: Readonly<Record<HeldReason, number>> | undefined
  /** Returns the fields of the records up to now. Absent when records are not sampled. */
  readonly fields?: (() => FieldsFacts | undefined) | undefined
}

/** Fields of sampled records, and how often each had values of which JSON kind. */
export interface FieldsFacts {
  readonly sampled: number
  /** The most frequent first, without names that may be data. */
  readonly names: { name: string; records: number; kinds: Record<JsonKind, number> }[]
  /** How many members of sampled records have names that are not listed. */
  readonly others: number
}

/** The part of the input that a checkpoint covers: offsets of a partition, or lines of an input that has none; `last` is before what is
 *  read next. */
export interface CheckpointPlace {
  readonly topic?: string
  readonly partition?: number
  readonly first: bigint
  readonly last: bigint
}

/** Records of one stream or topic that were rejected for one reason. */
export interface CountedReject {
  readonly name: string
  readonly table: string | undefined
  /** rejected: by a rule of the connector · refused: by the service. */
  readonly by: 'rejected' | 'refused'
  readonly reason: string
  /** The records, superseded ones included. */
  readonly records: number
  /** The place where the first of them was read, for people. */
  readonly first: string
}

/** Counts of rejected records (rejects/reject-counts.ts), without data. */
export interface RejectFacts {
  /** The most frequent first. */
  readonly all: readonly CountedReject[]
  /** The record whose rejection ended the run. The error's own message may quote the service, or show the record's key. */
  readonly stop: (CountedReject & { readonly error: unknown }) | undefined
  /** Counts the records of a stream or topic that are in `all`, kept by now or not.
   *  @param isOf tells which tables count; `undefined` stands for records that had none */
  recordsOf(name: string, isOf: (table: string | undefined) => boolean): number
}

/** A view of a run for people. Has no timer of its own and never throws. Disposing it shows the last facts once more; afterwards only
 *  `log` may be used. */
export interface RunDisplay extends Disposable {
  readonly log: Log
  /** Called with every snapshot, once a second. */
  show(facts: RunFacts): void
}
