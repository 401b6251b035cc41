// What can be run: an input that is open, as `commands/run.ts` takes one from any door. Whoever adds a door writes this
// (docs/sources.md).

import type { ConnectorError } from '../core/errors.ts'
import type { Tally } from '../core/tally.ts'
import type { Clock, RecordItem, Rejects, Source, Table } from '../core/types.ts'
import type { Log, LogFields, LogLevel } from '../process/io.ts'
import type { RunCounts } from './counts.ts'
import type { OutageList } from './outage-list.ts'
import type { RejectFacts } from './report/report.ts'
import type { ReservedPath } from './report/report-file.ts'
import type { InputDigests } from './summary/digests.ts'
import type { CheckpointPlace, GroupFacts, RowFacts, RunFacts, ServiceFacts, StoppedFacts } from './run-facts.ts'

/** What a run gives to whoever opens its input: made before it, because sources look at both. */
export interface RunContext {
  /** A UUID. */
  readonly runId: string
  readonly tally: Tally
  readonly service: ServiceFacts
  readonly log: Log
  /** Takes the outages of other servers than the service. */
  readonly outages: OutageList
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  readonly clock: Clock
  /** Whether rows are to have `fields`. */
  readonly samplesFields: boolean
  /** Absent: this is no dry run. */
  readonly dry?: DryLook | undefined
  /** The process was asked to stop. */
  readonly signal: AbortSignal
}

/** What a dry run asks of an input: that it keeps, prints and commits nothing, tells rows by their keys and looks at the fields of all
 *  records; and that nothing is yielded, or looked at, behind a record that ends the run. */
export interface DryLook {
  /** A line of the input is whole.
   *  @param number from 1
   *  @param bytes without its end */
  line(number: number, bytes: number): void
}

/** Offsets of a partition, `from` up to and without `to`. */
export interface DrySpan {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
  /** Why it begins there. */
  readonly begins: 'committed' | 'start' | 'out of range'
}

/** @throws ConnectorError when it cannot be read, or what it rejects could not be kept; nothing is read before `source.read` */
export type Open<C, O> = (context: RunContext) => Promise<OpenInput<C, O>>

/** Disposing of it closes its files and connections, once the engine has ended. */
export interface OpenInput<C, O> extends AsyncDisposable {
  readonly source: Source<C, O>
  readonly rejects: Rejects<O>
  /** What is counted of rejected records. */
  readonly rejectCounts: RejectFacts
  /** Where they are kept, for people; undefined: nowhere. */
  readonly rejectsPlace: string | undefined
  /** Its streams or topics, and what it counts of them. */
  readonly rows: InputRows
  /** Absent: they are not told. */
  readonly digests?: InputDigests | undefined
  /** Files that it reads or writes, so that nothing else is written there. */
  readonly reserved: readonly ReservedPath[]
  /** The `scope` of the row whose checkpoint this is; if no row has it, it counts only in the total. */
  scopeOf(checkpoint: C): unknown
  /** Where it was read, for people; absent: not told. */
  whereOf?(item: RecordItem<O>): string
  /** Where a checkpoint stands in the input; absent: not known. */
  placeOf?(checkpoint: C): CheckpointPlace
  /** What its user is told at the end, in order.
   *  @param isComplete false: the run was stopped, or failed */
  endWords(isComplete: boolean): readonly EndWords[]
  /** What a complete run has not brought that its user expects; absent or undefined: nothing. */
  readonly lack?: (() => ConnectorError | undefined) | undefined
  /** How much of its file is read, in bytes; absent: it is no file. */
  readonly progress?: (() => RunFacts['input']) | undefined
  /** Of a dry run, where it reads; absent: all that comes. */
  readonly spans?: readonly DrySpan[] | undefined
  /** Dead letters are read, from there. */
  readonly replays?: RunFacts['replays']
  /** What it shares its topics with; absent: nobody else reads it. */
  readonly group?: InputGroup | undefined
}

/** A stream or topic and one of its tables. */
export interface CountedRow {
  readonly name: string
  /** undefined: it is a topic of several tables, with what is known only of all of them together. */
  readonly table: Table | undefined
  /** Identifies its checkpoints. */
  readonly scope: unknown
  /** One of several tables of a topic: what is known only of the topic is in another row. */
  readonly isPart?: boolean
  /** What its input has counted of it up to now. */
  facts(): Pick<RowFacts, 'counts' | 'deadLetters' | 'pauses' | 'fields'>
}

/** There may be thousands in which nothing happens. */
export interface InputRows {
  readonly noun: RunFacts['noun']
  /** In the order to show them; another list once there are more. */
  readonly all: readonly CountedRow[]
  /** Those of which something may have been counted since the last call. */
  takeChanged(): Iterable<CountedRow>
  /** What is known of all together, and not of each. */
  together?(): RunCounts
}

export type EndWords = readonly [level: LogLevel, message: string, fields?: LogFields]

/** A member of a group that reads together. In the order in which a run uses it. */
export interface InputGroup {
  /** Reads and commits; leaves the group on `signal`. Resolves after that.
   *  @throws ConnectorError what the membership failed with, after `signal` too */
  run(signal: AbortSignal): Promise<void>
  /** Asked before each attempt: whether one that begins now ends before anybody else reads what it sends. */
  mayBegin(): boolean
  facts(at: number): GroupFacts
  /** Why the run cannot go on, from the facts of each second; undefined: it can. */
  stalled(facts: RunFacts): ConnectorError | undefined
  /** The run is about to end, for whatever reason: nothing more is assigned. May be called again. */
  halt(): void
  /** A stop was asked for: what was sent is settled, and what lies before it. Resolves when that is done or `signal` aborts. */
  finish(signal: AbortSignal): Promise<void>
  /** The engine has ended: commits what is settled, for at most so long. Never throws. */
  commit(withinMs: number): Promise<void>
  /** What came of a stop, once the group is left. */
  stopped(): StoppedFacts
}
