// The state of a run as one object, for everything that shows it: summary, progress, report, health and metrics. Counts, never
// data.

import type { AdaptivePermits, HeldBy } from '../core/concurrency/limit.ts'
import type { ErrorKind } from '../core/errors.ts'
import type { EndingFacts, Tally } from '../core/tally.ts'
import type { JsonKind } from '../json/json-kind.ts'
import type { RunRow, RunRows, TableFacts } from './counts.ts'
import type { Log } from '../process/io.ts'
import type { DurationCounts, RequestDurations } from './watched-transport.ts'

/** A snapshot. `at` is the last tick of the run's loop, which comes once a second. Times are milliseconds of one monotonic clock
 *  (core's `Clock.now`). Counts since the start never fall, whatever happens to partitions; everything else is the state at that
 *  moment. */
export interface RunFacts extends RunRows<RowFacts> {
  /** Each name once, even if several rows share it. */
  readonly tables: readonly TableFacts[]
  readonly at: number
  readonly startedAt: number
  readonly noun: 'stream' | 'topic'
  readonly delivery: DeliveryFacts
  /** Only of a consumer. */
  readonly group?: GroupFacts | undefined
  /** Where dead letters are read from, in place of topics; absent: topics or messages are read. */
  readonly replays?: 'file' | 'topic' | undefined
  /** How much of the input file has been read, in bytes; absent: the input is no file. */
  readonly input?: { readonly read: number; readonly size: number } | undefined
  /** Nothing is sent. */
  readonly isDry?: boolean
  /** Asked to stop, by signal or by an error. */
  readonly stopping: boolean
  /** The result of a requested stop. Absent: it has not stopped, or something else ended it. */
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

/** What a member of a group knows beside its deliveries. */
export interface GroupFacts {
  /** Whether the group counts this process as a member. */
  readonly joined: boolean
  /** When `joined` last changed. */
  readonly since: number
  readonly generation: string | undefined
  /** Generations joined since the start. */
  readonly rebalances: number
  /** Commits of settled offsets since the start: accepted by the group, and refused or unanswered. */
  readonly commits: { readonly taken: number; readonly failed: number }
  /** Assigned now; may be empty: more members than partitions. */
  readonly partitions: readonly PartitionFacts[]
  /** When the oldest outstanding record was fetched; undefined: there is none. */
  readonly oldestAt: number | undefined
  /** Failed attempts to keep dead letters, since the start. */
  readonly deadLetterFailures: number
  /** Since when fetched records have waited for schemas of the registry; undefined: none waits. */
  readonly schemasSince: number | undefined
  /** Why the last request to the registry failed. */
  readonly schemasCause?: string | undefined
  /** Brokers that do not answer. Absent: none is known. */
  readonly brokersDown?: readonly BrokerDown[] | undefined
  /** Of each token server. Absent: logins need none. */
  readonly tokens?: readonly TokenFacts[] | undefined
}

/** What is known of the token that logins take. */
export interface TokenFacts {
  /** host:port of the token server. */
  readonly place: string
  /** When the token in hand expires; undefined: there was none yet. */
  readonly expiresAt: number | undefined
  /** Since the start. */
  readonly fetched: number
  readonly failed: number
  /** Since when fetches have failed, and why, scrubbed; undefined: the last one brought a token. */
  readonly failingSince: number | undefined
  readonly cause: string | undefined
}

/** A broker that has stopped answering. */
export interface BrokerDown {
  /** host:port */
  readonly place: string
  readonly since: number
  /** For people. */
  readonly cause: string
}

export interface PartitionFacts {
  readonly topic: string
  readonly partition: number
  /** Offsets between what is settled and the partition's end; undefined: not known. */
  readonly lag: bigint | undefined
  /** When the group last accepted an offset from this assignment, in milliseconds since 1970; undefined: not yet. */
  readonly committedAt: number | undefined
  /** Why it is not fetched, or why its fetched records wait; undefined: it is not held. */
  readonly held: HeldReason | undefined
}

/** outage: the service accepts nothing. rebalance: it is being revoked. buffer: `buffer_bytes` of records wait to be sent. budget: the
 *  memory for prefetched records is full. schemas: fetched records need schemas that the registry has not sent yet.
 *  fetched_ahead: enough is prefetched, which is normal if the service is the bottleneck. */
export const HELD_REASONS = ['outage', 'rebalance', 'buffer', 'budget', 'schemas', 'fetched_ahead'] as const
export type HeldReason = (typeof HELD_REASONS)[number]

export interface DeliveryFacts {
  /** Records neither settled nor forgotten. */
  readonly outstanding: number
  /** Checkpoints that wait for records before them. */
  readonly heldCheckpoints: number
  /** When a record was last settled or nothing was outstanding, whichever is later. */
  readonly settledAt: number
  /** Bytes of pending records, records in flight and held checkpoints. */
  readonly bufferedBytes: number
  readonly inFlight: number
  /** Attempts that may be in flight now; undefined: unknown. */
  readonly permits: number | undefined
  /** Attempts a second that may begin, learnt from refusals (Infinity: any number), and the last refusal in words; absent: the
   *  user fixed the permits. */
  readonly rate?: AdaptivePermits['rate'] | undefined
  /** What holds attempts back just now; undefined: nothing, or it is unknown. */
  readonly heldBy?: HeldBy | undefined
  /** Durations of attempts since the start. */
  readonly durations: readonly DurationCounts[]
  /** Batches that wait for their next attempt. */
  readonly retrying: number
  /** Batches whose keys the late-write guard holds. */
  readonly guarded: number
  /** End of the pause the service asked for (Retry-After); in the past or undefined: there is none. */
  readonly pausedUntil: number | undefined
  /** When the first of an unbroken series of failed attempts ended, or since when no attempt has been answered at all; undefined:
   *  the last attempt succeeded. */
  readonly failingSince: number | undefined
  /** Why, for people. */
  readonly failingCause?: string | undefined
  /** The same for throttled attempts (429); undefined: the last attempt was not throttled. */
  readonly throttledSince: number | undefined
  /** Absent: not known. */
  readonly ending?: EndingFacts | undefined
}

/** A stream or topic and its table. Counts since the start. `records`: all that were read, including those read again after partitions
 *  moved. `written`: stored, or superseded by one that is stored. `ignored`: by policy (tombstones, messages of other kinds). */
export interface RowFacts extends RunRow {
  /** Of a topic: confirmed dead letters, rejected by the connector or refused by the service. */
  readonly deadLetters?: Readonly<Record<'rejected' | 'refused', number>> | undefined
  /** Of a topic: how often fetching from one of its partitions was paused, by the first reason. */
  readonly pauses?: Readonly<Record<HeldReason, number>> | undefined
  /** As of now; absent: its records are not sampled. */
  readonly fields?: (() => FieldsFacts | undefined) | undefined
}

/** Fields of sampled records, and how often each had values of which JSON kind. */
export interface FieldsFacts {
  readonly sampled: number
  /** Without names that may be data. */
  readonly fields: readonly {
    readonly name: string
    readonly records: number
    readonly kinds: Readonly<Record<JsonKind, number>>
  }[]
  /** Members of other names. */
  readonly others: number
}

/** What a checkpoint covers of the input: offsets of a partition, or lines of an input that has none; `last` is before what is read
 *  next. */
export interface CheckpointPlace {
  readonly topic?: string
  readonly partition?: number
  readonly first: bigint
  readonly last: bigint
}

/** The state of the service. */
export type ServiceFacts = Pick<DeliveryFacts, 'failingSince' | 'failingCause' | 'throttledSince' | 'pausedUntil'>

/** What permits say of themselves; fixed ones only their number. */
export interface PermitsFacts extends Pick<DeliveryFacts, 'rate' | 'heldBy'> {
  readonly limit: number
}

export interface DeliveryParts {
  readonly tally: Tally
  readonly permits: PermitsFacts
  readonly transport: ServiceFacts & { readonly durations?: Pick<RequestDurations, 'all'> }
}

/** Takes snapshots of a run's delivery; remembers when something was last settled. */
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
      bufferedBytes: engine?.bytes ?? 0,
      inFlight: engine?.inFlight ?? 0,
      permits: permits.limit,
      rate: permits.rate,
      // permits know no time in which nothing is sent, so what they say stays as it was
      heldBy: outstanding === 0 ? undefined : permits.heldBy,
      durations: transport.durations?.all ?? [],
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

/** A copy. The engine's object has getters, which a spread would omit. */
function endingOf(ending: EndingFacts): EndingFacts {
  const { isReadingOver, stopsAt, isCommitting, rejecting, retryAt, guardedKeys, guardedUntil } = ending
  return { isReadingOver, stopsAt, isCommitting, rejecting, retryAt, guardedKeys, guardedUntil }
}

/** Has no timer of its own and never throws. Disposing it shows the last facts once more; afterwards only `log` may be used. */
export interface RunDisplay extends Disposable {
  readonly log: Log
  /** Called with every snapshot, once a second. */
  show(facts: RunFacts): void
}
