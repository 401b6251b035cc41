// What a run gives its report, if it is to leave one, and what the page is made from: counts, words of ours and names, never a
// record's data.

import type { Parts } from '../../core/deliver.ts'
import type { ErrorKind } from '../../core/errors.ts'
import type { Rejected } from '../../core/types.ts'
import type { Io, Log } from '../../process/io.ts'
import type { RunRows } from '../counts.ts'
import type { ReservedPath } from './report-file.ts'
import type { ReportLatency, Sample } from './report-samples.ts'

/** What of the limits a report shows: nothing of them secret. */
export interface ReportLimits {
  /** Options that are not at their default, what they are, and their values with their unit. */
  readonly changed: readonly (readonly [option: string, title: string, value: string])[]
  /** undefined: found out as it goes. */
  readonly concurrency: number | undefined
  /** undefined: no such limit. */
  readonly maxRequestsPerSecond: number | undefined
}

/** What a page says of the run itself. */
export interface ReportAbout<C, O> {
  readonly host: string
  readonly limits: ReportLimits
  readonly permits: { readonly limit: number }
  /** Files of this run beside those of the command line: the report must take the place of none. */
  readonly files: readonly ReservedPath[]
  /** The `scope` of the row a checkpoint is of; of none: it counts in the total. */
  readonly scopeOf: (checkpoint: C) => unknown
  readonly nameOf: (rejected: Rejected<O>) => string
  /** Where rejected records are kept, for people; undefined: nowhere. */
  readonly rejectsPlace: string | undefined
  /** As they are now. */
  readonly rows: () => RunRows
}

/** Of one run. What is recorded begins with `begin`, and is written once a minute and at the end. */
export interface RunReport {
  /** To be called before data moves: a first page is written.
   *  @throws ConnectorError config when that cannot be */
  begin<C, O>(about: ReportAbout<C, O>): Promise<void>
  /** After `begin`. @returns the parts to deliver with instead */
  watch<C, O>(parts: Parts<C, O>): Parts<C, O>
  /** Resolves and rejects as the run does, when the last page is written. Only the first end counts. */
  follow<T extends 'complete' | 'stopped'>(run: Promise<T>): Promise<T>
  /** The run is over, before there was anything to follow: as `follow` of a run that failed. Never throws. */
  fail(error: unknown): Promise<void>
}

export interface ReportOptions {
  /** As on the command line. */
  readonly command: string
  readonly noun: 'stream' | 'topic'
  readonly files: readonly ReservedPath[]
  /** Where it is, or that it could not be written. */
  readonly log: Log
}

const NONE: RunReport = {
  begin: () => Promise.resolve(),
  watch: (parts) => parts,
  follow: (run) => run,
  fail: () => Promise.resolve(),
}

/** @param file where to; undefined: there is to be none
 *  @throws ConnectorError config when nothing can be written there */
export async function openReport(
  file: string | undefined,
  options: ReportOptions,
  io: Pick<Io, 'scrubber' | 'signal' | 'stopAsked'>,
): Promise<RunReport> {
  if (file === undefined) return NONE
  const { ReportToFile } = await import('./report-to-file.ts')
  return await ReportToFile.open(file, options, io)
}

/** Times are milliseconds since the run began. */
export interface ReportSample extends Readonly<Omit<Sample, 'latency'>> {
  /** undefined: there was no such attempt. */
  readonly latency: ReportLatency | undefined
}

/** Rejected records of one place, for one reason. */
export interface ReportReject {
  /** The stream or topic. */
  readonly name: string
  readonly table: string | undefined
  readonly by: 'the connector' | 'the service'
  readonly reason: string
  readonly records: number
}

/** What a run waited for once nothing more was read: milliseconds, each moment in one of them. */
export interface ReportEndWaits {
  readonly answers: number
  readonly pause: number
  readonly retries: number
  readonly guard: number
  readonly rest: number
}

/** What a recorder knows of a run. */
export interface ReportRecord {
  /** In order, without a gap; few however long the run is. */
  readonly samples: readonly ReportSample[]
  readonly latency: ReportLatency | undefined
  readonly rejects: readonly ReportReject[]
  /** How often the service asked for a pause, and for how long in all. */
  readonly pauses: { readonly count: number; readonly ms: number }
  /** When reading ended, in milliseconds since the run began; undefined: it has not. */
  readonly readUntil: number | undefined
  readonly endWaits: ReportEndWaits
}

export type ReportEnd =
  | { readonly how: 'running' | 'stopping' | 'done' }
  | { readonly how: 'stopped'; readonly message: string }
  | { readonly how: 'failed'; readonly kind: ErrorKind; readonly message: string }

export interface ReportData {
  /** As on the command line. */
  readonly command: string
  /** What `table` has a row for. */
  readonly noun: 'stream' | 'topic'
  readonly version: string
  /** Of the service; undefined: the run ended before it was known. */
  readonly host: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly writtenAt: number
  /** How long it went on until then; by the clock of the samples. */
  readonly elapsedMs: number
  readonly ended: ReportEnd
  /** Nothing was delivered before these were there. */
  readonly record: ReportRecord | undefined
  readonly table: RunRows | undefined
  /** As in ReportAbout. */
  readonly rejectsPlace: string | undefined
  readonly limits: ReportLimits | undefined
}
