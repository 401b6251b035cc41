// Writes the report and the summary of a run to their files: when the run begins, once a minute, when it is asked to stop, and at its end.
// commands/run.ts calls `open`, `begin` when the input is open, `tick` once a second, and `end` or `fail`; `fail` may come at any time, and
// only the first of these two counts. If a file cannot be written after `begin`, one warning says so, and the run goes on.

import type { Event } from '../../core/codes.ts'
import { asConnectorError } from '../../core/errors.ts'
import type { DeliveryWatch } from '../../core/types.ts'
import type { Io, Log } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { OpenInput, ReservedPath } from '../../run/open-input.ts'
import type { RejectFacts, RunFacts } from '../../run/run-facts.ts'
import { RunRecorder, type RecorderParts } from '../../run/run-recorder.ts'
import { changesSince, changeWords, readOldSummary } from '../summary/compare-summaries.ts'
import type { Summary } from '../summary/summary-schema.ts'
import { scrubbed } from '../summary/summary-scrub.ts'
import { seconds, SUMMARY_HEAD, summaryOf, summaryText, type RunTold } from '../summary/summary.ts'
import { nounOf } from './report-figures.ts'
import { ReportFile, type ReportFiles } from './report-file.ts'
import { renderReport, REPORT_HEAD } from './report-render.ts'

/** The outputs, which a shell may have redirected to files: if such a file were replaced, what is printed would be lost. */
const OUTPUTS: readonly ReservedPath[] = [
  { file: 1, what: 'where standard output goes' },
  { file: 2, what: 'where standard error goes' },
]
/** A tick comes each second, so the files are written once a minute. */
const TICKS_A_WRITE = 60

/** How a file of each kind begins, and what is in it. */
const KINDS = {
  report: { head: REPORT_HEAD, textOf: renderReport },
  summary: { head: SUMMARY_HEAD, textOf: summaryText },
}

export interface RunFilesOptions {
  /** The command as on the command line, without options. */
  readonly command: string
  readonly runId: string
  /** Files of the command line, which must not be replaced. */
  readonly files: readonly ReservedPath[]
  /** Is told where the files are, or that one could not be written. */
  readonly log: Log
}

/** A run whose input is open. */
export interface BegunRun<C>
  extends Pick<RunTold, 'host' | 'limits'>, Omit<RecorderParts<C>, 'clock' | 'startedAt' | 'input'> {
  readonly input: RecorderParts<C>['input'] & Pick<OpenInput<C, never>, 'digests'>
  /** The digest of its options (summary/digests.ts). `undefined` when it has none. */
  readonly configDigest: string | undefined
  /** More files of the run, which must not be replaced. */
  readonly files: readonly ReservedPath[]
  /** Returns the current facts. */
  readonly facts: () => RunFacts
}

type About = Pick<Summary, 'version' | 'commit' | 'command' | 'run_id' | 'started'>
type FilesIo = Pick<Io, 'scrubber' | 'signal' | 'exitWhenStopped'>

export class RunFiles {
  /** The files asked for: report, summary, or both. */
  readonly #files: readonly ReportFile[]
  /** The earlier run of --compare. `undefined` when there is none. */
  #old: Summary | undefined
  /** What changed since then. `null` before the end, or when nothing is compared. */
  #changes: Summary['changes'] = null
  readonly #log: Log
  readonly #about: About
  readonly #io: FilesIo
  readonly #startedAt = systemClock.now()
  readonly #writeStopping = (): void => void this.#write('stopping')
  /** Whether `end` or `fail` was called, or `begin` has failed: then nothing more is written. */
  #isOver = false
  #begun: { readonly run: BegunRun<never>; readonly recorder: RunRecorder<never> } | undefined
  /** The write under way and those that wait behind it. */
  #writing: Promise<void> = Promise.resolve()

  private constructor(files: readonly ReportFile[], log: Log, about: About, io: FilesIo) {
    this.#files = files
    this.#log = log
    this.#about = about
    this.#io = io
  }

  /** Checks the files, and reads that of --compare. Writes nothing, unless that cannot be read: then the files say so, lest those of an
   *  earlier run pass for this one's.
   *  @throws ConnectorError config when one of the files cannot be written, or that of --compare cannot be read */
  static async open(files: ReportFiles, options: RunFilesOptions, io: FilesIo): Promise<RunFiles> {
    const { compare } = files
    const reserved = [...options.files, ...OUTPUTS]
    const opened: ReportFile[] = []
    for (const what of ['report', 'summary'] as const) {
      const given = files[what]
      if (given === undefined) continue
      const file = await ReportFile.open(given, what)
      await file.keepApartFrom(reserved)
      // the summary may take the place of the one it is compared with
      if (what === 'report' && compare !== undefined)
        await file.keepApartFrom([{ file: compare, what: 'that of --compare' }])
      reserved.push({ file: given, what: `that of --${what}` })
      opened.push(file)
    }
    const { version, gitHead: commit } = (await import('../../version.ts')).build()
    const { command, runId: run_id } = options
    const about = { version, commit, command, run_id, started: new Date().toISOString() }
    const runFiles = new RunFiles(opened, options.log, about, io)
    try {
      if (compare !== undefined) runFiles.#old = await readOldSummary(compare, options.log, files.summary)
    } catch (error) {
      // a summary that takes the place of the old one must not replace what could not be read
      if (compare !== files.summary) await runFiles.fail(error)
      throw error
    }
    return runFiles
  }

  /** Writes the files for the first time and begins to record. To be called before data moves.
   *  @returns the watch that the delivery has to tell what happens
   *  @throws ConnectorError config when a file cannot be written */
  async begin<C>(run: BegunRun<C>): Promise<DeliveryWatch<C>> {
    const recorder = new RunRecorder<C>({ ...run, clock: systemClock, startedAt: this.#startedAt })
    try {
      for (const file of this.#files) await file.keepApartFrom(run.files)
      this.#begun = { run, recorder }
      const summary = this.#summary('running')
      for (const file of this.#files) await file.write(KINDS[file.what].textOf(summary))
    } catch (error) {
      // write nothing more, for the file may be another one of the run
      this.#isOver = true
      throw error
    }
    this.#io.signal.addEventListener('abort', this.#writeStopping, { once: true })
    return recorder
  }

  /** Samples the run, and now and then writes the files. @param nth of the calls, which come once a second */
  tick(nth: number): void {
    if (this.#isOver) return
    this.#begun?.recorder.tick()
    if (nth % TICKS_A_WRITE === 0) void this.#write(this.#io.signal.aborted ? 'stopping' : 'running')
  }

  /** Writes the files for the last time. Never throws. */
  async end(ended: 'complete' | 'stopped'): Promise<void> {
    await this.#writeLast(ended === 'complete' ? 'done' : 'stopped')
  }

  /** Writes the files of a run that failed, before or after it began, for the last time. Never throws. */
  async fail(error: unknown): Promise<void> {
    const fault = asConnectorError(error)
    const stop = this.#begun?.run.facts().rejects.stop
    const message = stop?.error === fault ? stopMessage(stop) : fault.ownWords
    await this.#writeLast('failed', { kind: fault.kind, code: fault.code ?? null, message })
  }

  async #writeLast(result: Summary['result'], error: Summary['error'] = null): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#io.signal.removeEventListener('abort', this.#writeStopping)
    const writable: ReportFile[] = []
    for (const file of this.#files)
      // before `begin`, the run's other files are not known, so nothing is replaced that may be one of them
      if (this.#begun !== undefined || (await file.isFreeOr(KINDS[file.what].head))) writable.push(file)
    await this.#write(result, writable, error)
    for (const words of changeWords(this.#changes ?? [], nounOf(this.#about)))
      await this.#say('warn', words, 'run.changed')
    for (const { what, given, hasWarned } of writable)
      if (!hasWarned) await this.#say('info', `The ${what} of this run is ${JSON.stringify(given)}.`, 'report.written')
  }

  async #say(level: 'info' | 'warn', message: string, event: Event): Promise<void> {
    await this.#log(level, message, { event }).catch(() => {})
  }

  /** Writes all files from one summary, once the write under way is done. Never throws. */
  #write(result: Summary['result'], files = this.#files, error: Summary['error'] = null): Promise<void> {
    const write = async (): Promise<void> => {
      let summary: Summary | undefined
      for (const file of files) await this.#writeOne(file, () => (summary ??= this.#summary(result, error)))
    }
    this.#writing = this.#writing.then(write)
    return this.#writing
  }

  async #writeOne(file: ReportFile, summaryNow: () => Summary): Promise<void> {
    try {
      await file.write(KINDS[file.what].textOf(summaryNow()))
    } catch (error) {
      if (file.hasWarned) return
      file.hasWarned = true
      const { code, message } = asConnectorError(error)
      const fields = code && { code }
      void this.#log('warn', `${message} Nothing else in the run is affected.`, fields).catch(() => {})
    }
  }

  #summary(result: Summary['result'], error: Summary['error'] = null): Summary {
    const { scrub } = this.#io.scrubber
    const { run, recorder } = this.#begun ?? {}
    const told = run && {
      host: run.host,
      limits: run.limits,
      facts: run.facts(),
      record: recorder!.record(),
      digests: { config: run.configDigest, ...run.input.digests },
    }
    const moment = { written: new Date().toISOString(), seconds: seconds(systemClock.now() - this.#startedAt) }
    const stopCode = this.#io.exitWhenStopped?.() ?? 1
    const soFar = { ...this.#about, ...moment, result, error, clockStart: this.#startedAt, told, stopCode }
    const summary = summaryOf(soFar, scrub)
    if (this.#old && result === 'done') this.#changes = scrubbed(changesSince(this.#old, summary), scrub)
    return { ...summary, changes: this.#changes }
  }
}

/** Says which record ended the run, in place of the error's own message, which may hold data. */
function stopMessage({ name, table, reason }: NonNullable<RejectFacts['stop']>): string {
  const which = `"${name}"${table === undefined ? '' : `, table "${table}",`}`
  return `A record of ${which} cannot be stored: ${reason}. The log tells which, and what to do.`
}
