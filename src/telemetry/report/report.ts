// What a run tells its report, if it is to leave one. Decides which kind there is; knows no page.

import type { Parts } from '../../core/deliver.ts'
import type { Rejected } from '../../core/types.ts'
import type { ReportTable } from './report-data.ts'
import type { ReservedPath } from './report-file.ts'
import type { Io } from '../../process/io.ts'

/** What a page says of the run itself. */
export interface ReportAbout<C, O> {
  readonly host: string
  /** Options and their values, in words: none of them secret. */
  readonly limits: readonly (readonly [option: string, value: string])[]
  readonly permits: { readonly limit: number }
  /** Files of this run beside those of the command line: the report must take the place of none. */
  readonly files: readonly ReservedPath[]
  readonly scopeOf: (checkpoint: C) => unknown
  readonly nameOf: (rejected: Rejected<O>) => string
  /** @param checkpoints committed, by scope */
  readonly table: (checkpoints: ReadonlyMap<unknown, number>) => ReportTable
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
  /** That it could not be written. Never throws. */
  readonly warn: (message: string) => Promise<void>
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
  io: Pick<Io, 'scrubber' | 'signal' | 'toldToStop'>,
): Promise<RunReport> {
  if (file === undefined) return NONE
  const { ReportToFile } = await import('./report-to-file.ts')
  return await ReportToFile.open(file, options, io)
}
