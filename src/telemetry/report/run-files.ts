// The report and the summary of a run, in their files. commands/run.ts calls `open`, `begin` when the input is open, `tick` once a second,
// and `end` or `fail`; `fail` may come at any time, and only the first end counts. The files are written at `begin`, once a minute, when
// the run is asked to stop, and at the end. A file that cannot be written later on is warned of once, and the run goes on.

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
import { ReportFile, type ReportFiles } from './report-file.ts'
import { renderReport, REPORT_HEAD } from './report-render.ts'

/** Redirections by the shell: if such a file were replaced, the output written to it would be lost. */
const STANDARD: readonly ReservedPath[] = [
  { file: 1, what: 'where standard output goes' },
  { file: 2, what: 'where standard error goes' },
]
/** A tick comes each second: the files are written once a minute. */
const TICKS_A_PAGE = 60

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
  /** Takes where the files are, or that one could not be written. */
  readonly log: Log
}

/** A run whose input is open. */
export interface BegunRun<C>
  extends Pick<RunTold, 'host' | 'limits'>, Omit<RecorderParts<C>, 'clock' | 'startedAt' | 'input'> {
  readonly input: RecorderParts<C>['input'] & Pick<OpenInput<C, never>, 'digests'>
  /** `undefined` when it is not told. */
  readonly configDigest: string | undefined
  /** More files of the run, which must not be replaced. */
  readonly files: readonly ReservedPath[]
  /** Returns the current facts. */
  readonly facts: () => RunFacts
}

type About = Pick<Summary, 'version' | 'commit' | 'command' | 'run_id' | 'started'>
type FilesIo = Pick<Io, 'scrubber' | 'signal' | 'stopAsked' | 'exitWhenStopped'>

export class RunFiles {
  /** The files asked for: report, summary, or both. */
  readonly #files: readonly ReportFile[]
  /** The earlier run of --compare. `undefined` when there is none. */
  #old: Summary | undefined
  #changes: Summary['changes'] = null
  readonly #log: Log
  readonly #about: About
  readonly #io: FilesIo
  readonly #started = systemClock.now()
  readonly #stopping = (): void => void this.#write('stopping')
  #isOver = false
  #begun: { readonly run: BegunRun<never>; readonly recorder: RunRecorder<never> } | undefined
  /** Serializes the writes. */
  #writing: Promise<void> = Promise.resolve()

  private constructor(files: readonly ReportFile[], log: Log, about: About, io: FilesIo) {
    this.#files = files
    this.#log = log
    this.#about = about
    this.#io = io
  }

  /** Writes nothing, unless the file of --compare cannot be read: then the files say so, lest those of an earlier run pass for this one's.
   *  @throws ConnectorError config when one of the files cannot be written, or that of --compare cannot be read */
  static async open(files: ReportFiles, options: RunFilesOptions, io: FilesIo): Promise<RunFiles> {
    const { compare } = files
    const reserved = [...options.files, ...STANDARD]
    const pages: ReportFile[] = []
    for (const what of ['report', 'summary'] as const) {
      const given = files[what]
      if (given === undefined) continue
      const file = await ReportFile.open(given, what)
      await file.keepApartFrom(reserved)
      // the summary may take the place of the one it is compared with
      if (what === 'report' && compare !== undefined)
        await file.keepApartFrom([{ file: compare, what: 'that of --compare' }])
      reserved.push({ file: given, what: `that of --${what}` })
      pages.push(file)
    }
    const { version, gitHead: commit } = (await import('../../version.ts')).build()
    const about = {
      version,
      commit,
      command: options.command,
      run_id: options.runId,
      started: new Date().toISOString(),
    }
    const opened = new RunFiles(pages, options.log, about, io)
    try {
      if (compare !== undefined) opened.#old = await readOldSummary(compare, options.log, files.summary)
    } catch (error) {
      if (compare !== files.summary) await opened.fail(error)
      throw error
    }
    return opened
  }

  /** Writes the files for the first time and begins to record. To be called before data moves.
   *  @returns the recorder: the delivery has to tell it, and `tick` is to be called once a second
   *  @throws ConnectorError config when a file cannot be written */
  async begin<C>(run: BegunRun<C>): Promise<DeliveryWatch<C>> {
    const recorder = new RunRecorder<C>({ ...run, clock: systemClock, startedAt: this.#started })
    try {
      for (const file of this.#files) await file.keepApartFrom(run.files)
      this.#begun = { run, recorder }
      const summary = this.#summary('running')
      for (const file of this.#files) await file.write(KINDS[file.what].textOf(summary))
    } catch (error) {
      // nothing more is written, for the file may be another one of the run
      this.#isOver = true
      throw error
    }
    this.#io.signal.addEventListener('abort', this.#stopping, { once: true })
    return recorder
  }

  /** @param nth of the calls, which come once a second */
  tick(nth: number): void {
    if (this.#isOver) return
    this.#begun?.recorder.tick()
    if (nth % TICKS_A_PAGE === 0) void this.#write(this.#io.signal.aborted ? 'stopping' : 'running')
  }

  /** Writes the files for the last time. Never throws. */
  async end(ended: 'complete' | 'stopped'): Promise<void> {
    await this.#end(ended === 'complete' ? 'done' : 'stopped')
  }

  /** Writes the files of a run that failed, before or after it began. As `end` otherwise. */
  async fail(error: unknown): Promise<void> {
    const known = asConnectorError(error)
    const stop = this.#begun?.run.facts().rejects.stop
    const message = stop?.error === known ? stopMessage(stop) : known.ownWords
    await this.#end('failed', { kind: known.kind, code: known.code ?? null, message })
  }

  async #end(result: Summary['result'], error: Summary['error'] = null): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#io.signal.removeEventListener('abort', this.#stopping)
    const free: ReportFile[] = []
    for (const file of this.#files)
      // the run's own files are not known yet, so replace nothing that may be one of them
      if (this.#begun !== undefined || (await file.isFreeOr(KINDS[file.what].head))) free.push(file)
    await this.#write(result, free, error)
    for (const words of changeWords(this.#changes ?? [])) await this.#say('warn', words, 'run.changed')
    for (const { what, given, hasWarned } of free)
      if (!hasWarned) await this.#say('info', `The ${what} of this run is ${JSON.stringify(given)}.`, 'report.written')
  }

  async #say(level: 'info' | 'warn', message: string, event: Event): Promise<void> {
    await this.#log(level, message, { event }).catch(() => {})
  }

  /** Writes after what is being written, all files from one summary. Never throws. */
  #write(result: Summary['result'], files = this.#files, error: Summary['error'] = null): Promise<void> {
    const write = async (): Promise<void> => {
      let run: Summary | undefined
      for (const file of files) await this.#put(file, () => (run ??= this.#summary(result, error)))
    }
    this.#writing = this.#writing.then(write)
    return this.#writing
  }

  async #put(file: ReportFile, summary: () => Summary): Promise<void> {
    try {
      await file.write(KINDS[file.what].textOf(summary()))
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
    const moment = { written: new Date().toISOString(), seconds: seconds(systemClock.now() - this.#started) }
    const stopCode = this.#io.exitWhenStopped?.() ?? 1
    const soFar = { ...this.#about, ...moment, result, error, clockStart: this.#started, told, stopCode }
    const summary = summaryOf(soFar, scrub)
    if (this.#old && result === 'done') this.#changes = scrubbed(changesSince(this.#old, summary), scrub)
    return { ...summary, changes: this.#changes }
  }
}

/** Says which record ended the run; the error's own message may hold data. */
function stopMessage({ name, table, reason }: NonNullable<RejectFacts['stop']>): string {
  const which = `"${name}"${table === undefined ? '' : `, table "${table}",`}`
  return `A record of ${which} cannot be stored: ${reason}. The log tells which, and what to do.`
}
