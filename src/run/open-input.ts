// The input of a run once it is open, as `commands/run.ts` takes one from any command. A new source implements this (docs/sources.md).
// C: what the source wants back as checkpoints; O: where it read a record (core/types.ts).

import type { ConnectorError } from '../core/errors.ts'
import type { Tally } from '../core/tally.ts'
import type { Clock, RecordItem, Rejects, Source, Table } from '../core/types.ts'
import type { Log, LogFields, LogLevel } from '../process/io.ts'
import type { RunCounts } from './counts.ts'
import type { CheckpointPlace, GroupFacts, ListedOutage, RowFacts, RunFacts, ServiceFacts } from './run-facts.ts'

/** A file that must not be replaced: its path, or its descriptor where it is open, and what it is, as words behind "The file … is". */
export interface ReservedPath {
  readonly file: string | number
  readonly what: string
}

/** Digests of what decides where records go (telemetry/summary/digests.ts). */
export interface InputDigests {
  /** `undefined` when the input has none. */
  readonly catalog: string | undefined
  /** Returns the digest of a row's keys and table, or of the route of a topic with several tables. `undefined` when there is no such row. */
  digestOf(row: { readonly name: string; readonly table?: string | null | undefined }): string | undefined
}

/** The parts of a run that its input needs as it is opened. */
export interface RunContext {
  /** A UUID. */
  readonly runId: string
  readonly tally: Tally
  readonly service: ServiceFacts
  readonly log: Log
  /** A list that the input appends the outages of other servers than the service to. */
  readonly outages: ListedOutage[]
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  readonly clock: Clock
  /** Whether rows are to tell the fields of their records (`fields`, RowFacts). */
  readonly samplesFields: boolean
  /** Absent when this is no dry run. An input of a dry run
   *  - keeps, prints and commits nothing;
   *  - tells rows by their keys, and looks at the fields of all records;
   *  - yields nothing, and looks at nothing, behind a record that ends the run. */
  readonly dry?: DryRunHooks | undefined
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
}

/** What an input tells a dry run, besides its items. */
export interface DryRunHooks {
  /** Takes the size of a line that is whole. @param number from 1 @param bytes without its end */
  sawLine(number: number, bytes: number): void
}

/** Opens an input. Nothing is read before `source.read`.
 *  @throws ConnectorError when it cannot be read, or what it rejects could not be kept */
export type Open<C, O> = (context: RunContext) => Promise<OpenInput<C, O>>

/** An input that is open. It is disposed of once the engine has ended, which closes its files and connections. */
export interface OpenInput<C, O> extends AsyncDisposable {
  readonly source: Source<C, O>
  readonly rejects: Rejects<O>
  /** Counts of rejected records. */
  readonly rejectCounts: RunFacts['rejects']
  /** The place where rejected records are kept, for people. `undefined` when they are not kept. */
  readonly rejectsPlace: string | undefined
  /** Its streams or topics, and what it counts of them. */
  readonly rows: InputRows
  /** Absent when this input has none. */
  readonly digests?: InputDigests | undefined
  /** Files that it reads or writes, so that nothing else is written there. */
  readonly reserved: readonly ReservedPath[]
  /** Returns the `scope` of the row (`CountedRow`) that a checkpoint is counted in. Scopes are compared as keys of a Map are. If no row has
   *  it, the checkpoint counts only in the total. */
  scopeOf(checkpoint: C): unknown
  /** Says where a record was read, for people. Absent when that is not told. */
  recordPlace?(item: RecordItem<O>): string
  /** Says where a checkpoint stands in the input. Absent when that is not known. */
  checkpointPlace?(checkpoint: C): CheckpointPlace
  /** Returns what the user is told at the end, in order. @param isComplete false when the run was stopped, or failed */
  endWords(isComplete: boolean): readonly EndWords[]
  /** Returns the error of a run that is complete, but has not brought what its user expects. `undefined` when it has. */
  lackError?(): ConnectorError | undefined
  /** Says how much of the input file is read, in bytes. Absent when it is no file. */
  readonly progress?: (() => RunFacts['input']) | undefined
  /** The offsets that a dry run reads. Absent when it reads all that comes. */
  readonly spans?: readonly DrySpan[] | undefined
  /** Whether dead letters (records that were rejected earlier) are read. */
  readonly replays?: boolean | undefined
  /** Returns why the run cannot go on. Called with the facts of each second. Absent when it always can. */
  stallError?(facts: RunFacts): ConnectorError | undefined
  /** Returns what came of a stop, at the end. Absent when that is not told. */
  stopFacts?(): NonNullable<RunFacts['stopped']>
  /** The group that shares its topics. Absent when no other process reads the input. */
  readonly group?: InputGroup | undefined
}

/** Offsets of a partition, `from` up to and without `to`. */
export interface DrySpan {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
  /** The reason why it begins there. */
  readonly begins: 'committed' | 'start' | 'out of range'
}

/** A stream or topic and one of its tables. A topic whose route has two tables has three rows: one without a table, then one for each of
 *  them (`isPart`). */
export interface CountedRow {
  readonly name: string
  /** `undefined` when it is a topic of several tables, with what is known only of all of them together. */
  readonly table: Table | undefined
  /** The identity that its checkpoints have (`OpenInput.scopeOf`). */
  readonly scope: unknown
  /** Whether it is one of several tables of a topic: what is known only of the topic is in another row. */
  readonly isPart?: boolean
  /** Returns what the input has counted of it up to now. */
  facts(): Pick<RowFacts, 'counts' | 'deadLetters' | 'pauses' | 'fields'>
}

/** The rows of an input. There may be thousands in which nothing happens. */
export interface InputRows {
  readonly noun: RunFacts['noun']
  /** All rows in the order to show them; a new array once rows are added. */
  readonly all: readonly CountedRow[]
  /** Returns the rows of which something may have been counted since the last call. */
  takeChanged(): Iterable<CountedRow>
  /** Returns the counts that are known only of all together. */
  together?(): RunCounts
}

export type EndWords = readonly [level: LogLevel, message: string, fields?: LogFields]

/** A member of a group of processes that share what is read. A run calls its methods in this order. */
export interface InputGroup {
  /** Reads and commits; leaves the group on `signal`. Resolves after that.
   *  @throws ConnectorError what the membership failed with, after `signal` too */
  run(signal: AbortSignal): Promise<void>
  /** Tells, before each attempt to send, whether it may begin: only if it ends while the partitions are still surely this member's. */
  mayBegin(): boolean
  /** Returns what is known of the group. @param at the present time, by the run's clock in milliseconds */
  facts(at: number): GroupFacts
  /** Stops fetching, but stays in the group: the run is about to end, for any reason. May be called again. */
  halt(): void
  /** Settles what was sent and what lies before it, once a stop was asked for. Resolves when that is done or `signal` aborts. */
  finish(signal: AbortSignal): Promise<void>
  /** Commits what is settled, for at most so long, once the engine has ended. Never throws. */
  commit(withinMs: number): Promise<void>
}
