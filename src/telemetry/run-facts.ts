// What `stream` is doing, as one object for everybody who tells it: health, progress, metrics; and how it reaches whoever
// watches. Counts, never data.

import type { ErrorKind } from '../core/errors.ts'
import type { EndingFacts } from '../core/tally.ts'
import type { RetryCause } from '../core/types.ts'
import type { Log } from './log.ts'
import type { DurationCounts } from './watched-transport.ts'

/** A snapshot, filled anew once a second and for everyone who asks. Times are milliseconds of one monotonic clock (core's `Clock.now`). What counts
 *  since the start never falls, whatever happens to partitions; everything else is as it was then. */
export interface StreamFacts {
  /** The last tick of the loop that fills it once a second, which liveness is judged by. */
  readonly at: number
  readonly startedAt: number
  readonly group: GroupFacts
  readonly delivery: DeliveryFacts
  /** In the order to show them; each name once. */
  readonly topics: readonly TopicFacts[]
  /** Each name once, also where several topics share it. */
  readonly tables: readonly TableFacts[]
  /** Asked to stop, by signal or by an error. */
  readonly stopping: boolean
  /** Asked to stop, it did: what is left of it. Absent: it has not, or something else ended it. */
  readonly stopped?: StoppedFacts | undefined
  /** Kind of the error that ends the run; its words are the log's (they may be the service's). */
  readonly failed: ErrorKind | undefined
}

export interface StoppedFacts {
  /** Records stored, superseded, rejected or ignored in this run, as far as nothing before them is not. */
  readonly settled: number
  /** Records read that are not settled, whether they were still waited for or given up. */
  readonly unsettled: number
  /** Partitions of which something is settled that the group did not take the offset of. */
  readonly uncommitted: number
  /** Whether the group has no member of this process any more. */
  readonly hasLeft: boolean
}

export interface GroupFacts {
  /** Whether the group counts on this member. */
  readonly joined: boolean
  /** When `joined` became what it is. */
  readonly since: number
  readonly generation: string | undefined
  /** Generations joined since the start. */
  readonly rebalances: number
  /** Commits of settled offsets since the start: those the group took, and those it did not or did not answer. */
  readonly commits: { readonly taken: number; readonly failed: number }
  /** Assigned now; may be empty: more members than partitions. */
  readonly partitions: readonly PartitionFacts[]
  /** Since when fetched records wait for schemas of the registry; undefined: none does. */
  readonly schemasSince: number | undefined
  /** Why the registry did not answer last, in words. */
  readonly schemasCause?: string | undefined
  /** Brokers that do not answer. Absent: none is known. */
  readonly brokersDown?: readonly BrokerDown[] | undefined
}

/** A broker that has stopped answering. */
export interface BrokerDown {
  /** host:port */
  readonly place: string
  readonly since: number
  /** In words. */
  readonly cause: string
}

export interface PartitionFacts {
  readonly topic: string
  readonly partition: number
  /** Offsets between what is settled and the partition's end; undefined: not known. */
  readonly lag: bigint | undefined
  /** When the group last took an offset of it from this assignment, in milliseconds since 1970; undefined: it has not. */
  readonly committedAt: number | undefined
  /** Why nothing is fetched of it, or nothing is taken of what was; undefined: it is. */
  readonly held: HeldReason | undefined
}

/** outage: the service takes nothing. rebalance: it is being let go. buffer: `buffer_bytes` of records wait to be sent. budget: the
 *  memory for what is fetched ahead is used up. schemas: what was fetched needs some that the registry has not sent.
 *  fetched_ahead: enough waits for its turn, which is ordinary where the service is the narrow place. */
export const HELD_REASONS = ['outage', 'rebalance', 'buffer', 'budget', 'schemas', 'fetched_ahead'] as const
export type HeldReason = (typeof HELD_REASONS)[number]

export interface DeliveryFacts {
  /** Records neither settled nor forgotten. */
  readonly outstanding: number
  /** When a record was last settled, or nothing was outstanding: whichever is later. */
  readonly settledAt: number
  /** When the oldest outstanding record was taken; undefined: there is none, or it is not known. */
  readonly oldestAt: number | undefined
  /** Bytes of pending, in flight and held checkpoints. */
  readonly bufferedBytes: number
  readonly inFlight: number
  /** Attempts that may be in flight now; undefined: not known. */
  readonly permits: number | undefined
  /** How long attempts took, since the start. */
  readonly durations: readonly DurationCounts[]
  /** Attempts to keep dead letters that failed, since the start. */
  readonly deadLetterFailures: number
  /** Batches that wait for their next attempt. */
  readonly retrying: number
  /** Batches whose keys the late-write guard holds. */
  readonly guarded: number
  /** Until when the service asked for a pause (Retry-After); past or undefined: it does not. */
  readonly pausedUntil: number | undefined
  /** When the first of an unbroken row of failed attempts ended; undefined: the last attempt was answered well.
   *  Or since when nothing is answered although nothing fails. */
  readonly failingSince: number | undefined
  /** Why that one failed, in words. */
  readonly failingCause?: string | undefined
  /** The same of throttled attempts (429); undefined: the last attempt was not throttled. */
  readonly throttledSince: number | undefined
  /** Absent: not known. */
  readonly ending?: EndingFacts | undefined
}

/** Counts since the start. */
export interface TopicFacts {
  readonly topic: string
  /** Where its records go, by name: one of `tables`, or none of it has arrived. */
  readonly table: string
  /** Taken, whatever became of them; again after partitions moved. */
  readonly records: number
  /** Settled: stored, or superseded by one that is. */
  readonly written: number
  readonly rejected: number
  /** Kept, confirmed: by whose rule. */
  readonly deadLetters: Readonly<Record<'rejected' | 'refused', number>>
  /** By policy: tombstones, messages of other kinds. */
  readonly ignored: number
  /** How often nothing more was fetched of one of its partitions, by the reason it began for. */
  readonly pauses: Readonly<Record<HeldReason, number>>
}

/** Counts since the start: a table's tally (core/tally.ts) under its name. */
export interface TableFacts {
  readonly table: string
  /** Delivered. */
  readonly requests: number
  readonly rows: number
  /** Body bytes of delivered requests. */
  readonly bytes: number
  /** Retries included. */
  readonly attempts: number
  readonly retries: Readonly<Record<RetryCause, number>>
}

/** @param now the clock that all facts are told by */
export function startingFacts(now: number): StreamFacts {
  return {
    at: now,
    startedAt: now,
    group: {
      joined: false,
      since: now,
      generation: undefined,
      rebalances: 0,
      commits: { taken: 0, failed: 0 },
      partitions: [],
      schemasSince: undefined,
    },
    delivery: {
      outstanding: 0,
      settledAt: now,
      oldestAt: undefined,
      bufferedBytes: 0,
      inFlight: 0,
      permits: undefined,
      durations: [],
      deadLetterFailures: 0,
      retrying: 0,
      guarded: 0,
      pausedUntil: undefined,
      failingSince: undefined,
      throttledSince: undefined,
    },
    topics: [],
    tables: [],
    stopping: false,
    failed: undefined,
  }
}

/** Has no timer of its own. Nothing here throws. Disposing it shows the last facts once more; then only `log` is used. */
export interface StreamProgress extends Disposable {
  readonly log: Log
  /** Called with every snapshot, once a second. */
  show(facts: StreamFacts): void
}
