// The interface between a run and the files that tell of it.

import type { Code } from '../../core/codes.ts'
import type { ErrorKind } from '../../core/errors.ts'
import type { Tally } from '../../core/tally.ts'
import type { DeliveryWatch } from '../../core/types.ts'
import type { Io, Log } from '../../process/io.ts'
import type { RunRows } from '../counts.ts'
import type { ListedOutage } from '../outage-list.ts'
import type { ReportKind, ReservedPath } from './report-file.ts'
import type { InputDigests } from '../summary/digests.ts'
import type { ReportLatency, Sample } from '../summary/samples.ts'
import type { CheckpointPlace, PermitsFacts, RunFacts } from '../run-facts.ts'

/** Options that differ from their default: name, title, and value with its unit. None is secret. */
export type ReportLimits = readonly (readonly [option: string, title: string, value: string])[]

/** Files that a run leaves; undefined: it does not. */
export type ReportFiles = { readonly [Kind in ReportKind]?: string | undefined } & {
  /** An older summary, which the new one is compared with. */
  readonly compare?: string | undefined
}

/** What they tell about the run itself. */
export interface ReportAbout<C> {
  readonly host: string
  readonly limits: ReportLimits
  readonly digests?: { readonly config: string | undefined } & Partial<InputDigests>
  readonly permits: PermitsFacts
  readonly tally: Pick<Tally, 'engine'>
  /** Files of this run, besides those of the command line, that the report must not replace. */
  readonly files: readonly ReservedPath[]
  /** The `scope` of the checkpoint's row; if no row has it, it counts only in the total. */
  readonly scopeOf: (checkpoint: C) => unknown
  readonly placeOf: (checkpoint: C) => CheckpointPlace | undefined
  /** The current counts of rejected records. */
  readonly rejects: RejectFacts
  /** Where they are kept, for people; undefined: nowhere. */
  readonly rejectsPlace: string | undefined
  readonly outages: readonly ListedOutage[]
  /** The current ones. */
  readonly facts: () => RunFacts
}

/** Of one run. Recording starts with `begin`; the files are written once a minute and at the end. */
export interface RunReport {
  /** To be called before data moves: writes the files for the first time.
   *  @returns what the delivery has to tell
   *  @throws ConnectorError config if that fails */
  begin<C>(about: ReportAbout<C>): Promise<readonly DeliveryWatch<C>[]>
  /** Settles as the run does, after the last page is written. Only the first end counts. */
  follow<T extends 'complete' | 'stopped'>(run: Promise<T>): Promise<T>
  /** For a run that failed before there was anything to follow. Never throws. */
  fail(error: unknown): Promise<void>
}

export interface ReportOptions {
  /** As on the command line. */
  readonly command: string
  readonly noun: 'stream' | 'topic'
  readonly runId: string
  readonly files: readonly ReservedPath[]
  /** For the places of the files, or that one could not be written. */
  readonly log: Log
}

const NONE: RunReport = {
  begin: () => Promise.resolve([]),
  follow: (run) => run,
  fail: () => Promise.resolve(),
}

export type ReportIo = Pick<Io, 'scrubber' | 'signal' | 'stopAsked' | 'exitWhenStopped'>

/** @throws ConnectorError config when one of the files cannot be written */
export async function openReport(files: ReportFiles, options: ReportOptions, io: ReportIo): Promise<RunReport> {
  if (files.report === undefined && files.summary === undefined) return NONE
  const { ReportToFile } = await import('./report-to-file.ts')
  return await ReportToFile.open(files, options, io)
}

/** Records of one stream or topic that were rejected for one reason, by a rule of the connector or refused by the service. */
export interface CountedReject {
  readonly name: string
  readonly table: string | undefined
  readonly by: 'rejected' | 'refused'
  readonly reason: string
  /** Including those they superseded. */
  readonly records: number
  /** Where the first of them was read, for people. */
  readonly first: string
}

/** Counts of rejected records (rejects/reject-counts.ts), without data. */
export interface RejectFacts {
  /** The most frequent first. */
  readonly all: readonly CountedReject[]
  /** A record that ended the run. The error's own message may quote the service, or show the record's key. */
  readonly stop: (CountedReject & { readonly error: unknown }) | undefined
  /** How many of a stream or topic are in `all`, kept by now or not.
   *  @param isOf of which tables; undefined stands for records that had none */
  recordsOf(name: string, isOf: (table: string | undefined) => boolean): number
}

/** What was recorded of a run. */
export interface ReportRecord {
  /** In order, without a gap; bounded, however long the run is. Times are milliseconds since the run began. */
  readonly samples: readonly Sample[]
  readonly latency: ReportLatency | undefined
  /** When reading ended, in milliseconds since the run began; undefined: it has not. */
  readonly readUntil: number | undefined
  /** How far checkpoints reach, by partition; of an input without partitions one. */
  readonly places: readonly CheckpointPlace[]
}

export type ReportEnd =
  | { readonly how: 'running' | 'stopping' | 'done' | 'stopped' }
  | {
      readonly how: 'failed'
      readonly kind: ErrorKind
      readonly code?: Code | undefined
      readonly message: string
    }

/** All that is known of a run as far as it has come: counts, names and words of ours, never a record's data. Undefined: it ended
 *  before that was known, or before anything was delivered. */
export interface RunSoFar extends Pick<ReportOptions, 'command' | 'noun' | 'runId'> {
  readonly version: string
  readonly commit: string | undefined
  readonly about: ReportAbout<never> | undefined
  /** Milliseconds since 1970; the first also by the clock of the samples and outages. */
  readonly startedAt: number
  readonly clockStart: number
  readonly writtenAt: number
  /** Duration until then, by that clock. */
  readonly elapsedMs: number
  readonly ended: ReportEnd
  readonly record: ReportRecord | undefined
  readonly table: RunRows | undefined
  readonly facts: RunFacts | undefined
  /** The exit code of a run that was asked to stop. */
  readonly stopCode: number
}
