// What a run is doing, as one object for everybody who shows it: summary, progress, report, health and metrics. Counts, never
// data.

import type { ErrorKind } from '../core/errors.ts'
import type { EndingFacts, Tally } from '../core/tally.ts'
import type { RunRow, RunRows, TableFacts } from './counts.ts'
import type { Log } from '../process/io.ts'
import type { DurationCounts, RequestDurations } from './watched-transport.ts'

/** A snapshot, filled anew for everyone who asks. Times are milliseconds of one monotonic clock (core's `Clock.now`). What counts
 *  since the start never falls, whatever happens to partitions; everything else is as it was then. */
export interface RunFacts extends RunRows {
  readonly at: number
  readonly startedAt: number
  readonly noun: 'stream' | 'topic'
  readonly delivery: DeliveryFacts
  /** Of a consumer. */
  readonly group?: GroupFacts | undefined
  /** Where dead letters are read from, in place of topics; absent: topics or messages are read. */
  readonly replays?: 'file' | 'topic' | undefined
  /** How far a file that is read has been read, in bytes; absent: no file is. */
  readonly input?: { readonly read: number; readonly size: number } | undefined
  /** Asked to stop, by signal or by an error. */
  readonly stopping: boolean
  /** Asked to stop, it did: what is left of it. Absent: it has not, or something else ended it. */
  readonly stopped?: StoppedFacts | undefined
  /** Kind of the error that ends the run; its words are the log's (they may be the service's). */
  readonly failed: ErrorKind | undefined
}

/** Of `stream`. `at` is the last tick of the loop that fills it once a second, which liveness is judged by. */
export interface StreamFacts extends RunFacts {
  readonly group: GroupFacts
  /** In the order to show them; each name once. */
  readonly rows: readonly TopicFacts[]
  /** Each name once, also where several topics share it. */
  readonly tables: readonly TableFacts[]
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
  /** Checkpoints that wait for what is before them. */
  readonly heldCheckpoints: number
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

/** Counts since the start. `records`: taken, whatever became of them; again after partitions moved. `written`: stored, or superseded
 *  by one that is. `ignored`: by policy (tombstones, messages of other kinds). */
export interface TopicFacts extends RunRow {
  /** Where its records go, by name: one of `tables`, or none of it has arrived. */
  readonly table: string
  /** Kept, confirmed: by whose rule. */
  readonly deadLetters: Readonly<Record<'rejected' | 'refused', number>>
  /** How often nothing more was fetched of one of its partitions, by the reason it began for. */
  readonly pauses: Readonly<Record<HeldReason, number>>
}

/** How the service has been. */
export type ServiceFacts = Pick<DeliveryFacts, 'failingSince' | 'failingCause' | 'throttledSince' | 'pausedUntil'>

interface DeliveryParts {
  readonly tally: Tally
  readonly permits: { readonly limit: number }
  readonly transport: ServiceFacts & { readonly durations?: Pick<RequestDurations, 'all'> }
}

/** What a run's delivery is doing; remembers when something was settled last. */
export class DeliverySource {
  readonly #parts: DeliveryParts
  #settled = 0
  #settledAt: number

  /** @param now when the run began */
  constructor(parts: DeliveryParts, now: number) {
    this.#parts = parts
    this.#settledAt = now
  }

  take(at: number): DeliveryFacts {
    const { tally, permits, transport } = this.#parts
    const { engine } = tally
    const outstanding = engine?.outstanding ?? 0
    if (outstanding === 0 || engine?.settled !== this.#settled) this.#settledAt = at
    this.#settled = engine?.settled ?? 0
    return {
      outstanding,
      heldCheckpoints: engine?.checkpoints ?? 0,
      settledAt: this.#settledAt,
      oldestAt: undefined,
      bufferedBytes: engine?.bytes ?? 0,
      inFlight: engine?.inFlight ?? 0,
      permits: permits.limit,
      durations: transport.durations?.all ?? [],
      deadLetterFailures: 0,
      retrying: engine?.retrying ?? 0,
      guarded: engine?.guarded ?? 0,
      pausedUntil: transport.pausedUntil,
      failingSince: transport.failingSince,
      failingCause: transport.failingCause,
      throttledSince: transport.throttledSince,
      ending: tally.ending && endingOf(tally.ending),
    }
  }
}

/** A copy. What the engine gives has getters, which a spread leaves out. */
function endingOf(ending: EndingFacts): EndingFacts {
  const { isReadingOver, stopsAt, isCommitting, rejecting, retryAt, guardedKeys, guardedUntil } = ending
  return { isReadingOver, stopsAt, isCommitting, rejecting, retryAt, guardedKeys, guardedUntil }
}

/** Has no timer of its own. Nothing here throws. Disposing it shows the last facts once more; then only `log` is used. */
export interface RunDisplay<Facts extends RunFacts = RunFacts> extends Disposable {
  readonly log: Log
  /** Called with every snapshot, once a second. */
  show(facts: Facts): void
}
