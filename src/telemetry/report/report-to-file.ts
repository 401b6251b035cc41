// Writes a run's report to its file: at the start, once a minute, when the run is asked to stop, and at its end.

import { asConnectorError } from '../../core/errors.ts'
import type { DeliveryWatch } from '../../core/types.ts'
import type { Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { RunRow, RunRows } from '../counts.ts'
import { ReportFile } from './report-file.ts'
import type { ReservedPath } from './report-file.ts'
import { ReportRecorder } from './report-recorder.ts'
import { renderReport, REPORT_HEAD } from './report-render.ts'
import { failedWith, withoutSecrets } from './report-scrub.ts'
import type { RejectFacts, ReportAbout, ReportData, ReportEnd, ReportOptions, RunReport } from './report.ts'

/** Redirections by the shell: if such a file were replaced, the output written to it would be lost. */
const STANDARD: readonly ReservedPath[] = [
  { file: 1, what: 'where standard output goes' },
  { file: 2, what: 'where standard error goes' },
]
const TICK_MS = 1000
const TICKS_A_PAGE = 60
const UNREAD =
  'The run could no longer write its output: standard output was closed or full. What was settled is committed.'
const ASKED = 'The process was asked to stop. What was settled is committed; the next run continues from there.'

export class ReportToFile implements RunReport {
  readonly #file: ReportFile
  readonly #options: ReportOptions
  readonly #io: Pick<Io, 'scrubber' | 'signal' | 'stopAsked'>
  readonly #version: string
  readonly #startedAt = Date.now()
  readonly #started = systemClock.now()
  readonly #over = new AbortController()
  readonly #stopping = (): void => void this.#page({ how: 'stopping' })
  #begun: { readonly about: ReportAbout<never>; readonly recorder: ReportRecorder<never> } | undefined
  #loop: Promise<void> = Promise.resolve()
  /** Serializes the writes. */
  #writing: Promise<void> = Promise.resolve()
  #hasWarned = false

  private constructor(
    file: ReportFile,
    options: ReportOptions,
    io: Pick<Io, 'scrubber' | 'signal' | 'stopAsked'>,
    version: string,
  ) {
    this.#file = file
    this.#options = options
    this.#io = io
    this.#version = version
  }

  /** @throws ConnectorError config if it cannot be written */
  static async open(
    path: string,
    options: ReportOptions,
    io: Pick<Io, 'scrubber' | 'signal' | 'stopAsked'>,
  ): Promise<ReportToFile> {
    const file = await ReportFile.open(path)
    await file.keepApartFrom([...options.files, ...STANDARD])
    const { version } = await import('../../version.ts')
    return new ReportToFile(file, options, io, version())
  }

  async begin<C>(about: ReportAbout<C>): Promise<readonly DeliveryWatch<C>[]> {
    const recorder = new ReportRecorder<C>({ ...about, clock: systemClock, startedAt: this.#started })
    try {
      await this.#file.keepApartFrom(about.files)
      this.#begun = { about, recorder }
      await this.#file.write(this.#rendered({ how: 'running' }))
    } catch (error) {
      // the caller reports the error
      this.#over.abort()
      throw error
    }
    this.#loop = this.#tick(recorder)
    this.#io.signal.addEventListener('abort', this.#stopping, { once: true })
    return [recorder]
  }

  async follow<T extends 'complete' | 'stopped'>(run: Promise<T>): Promise<T> {
    let ended: T
    try {
      ended = await run
    } catch (error) {
      await this.fail(error)
      throw error
    }
    const message = this.#io.stopAsked?.aborted === false ? UNREAD : ASKED
    await this.#end(ended === 'complete' ? { how: 'done' } : { how: 'stopped', message })
    return ended
  }

  async fail(error: unknown): Promise<void> {
    const known = asConnectorError(error)
    const stop = this.#begun?.about.rejects.stop
    const message = stop?.error === known ? wordsOf(stop) : known.message
    await this.#end(failedWith({ kind: known.kind, message }))
  }

  async #end(ended: ReportEnd): Promise<void> {
    if (this.#over.signal.aborted) return
    this.#over.abort()
    this.#io.signal.removeEventListener('abort', this.#stopping)
    await this.#loop
    // the run's own files are not known yet, so replace nothing that may be one of them
    if (this.#begun === undefined && !(await this.#file.isFreeOr(REPORT_HEAD))) return
    await this.#page(ended)
    if (!this.#hasWarned) await this.#log('info', `The report of this run is ${JSON.stringify(this.#file.given)}.`)
  }

  async #log(level: 'info' | 'warn', message: string): Promise<void> {
    await this.#options.log(level, message).catch(() => {})
  }

  async #tick(recorder: ReportRecorder<never>): Promise<void> {
    for (let ticks = 1; ; ticks++) {
      await systemClock.wait(TICK_MS, this.#over.signal)
      if (this.#over.signal.aborted) return
      recorder.tick()
      if (ticks % TICKS_A_PAGE === 0) await this.#page({ how: this.#io.signal.aborted ? 'stopping' : 'running' })
    }
  }

  /** Never throws: a run must not fail because of its report. */
  #page(ended: ReportEnd): Promise<void> {
    const write = async (): Promise<void> => {
      try {
        await this.#file.write(this.#rendered(ended))
      } catch (error) {
        if (this.#hasWarned) return
        this.#hasWarned = true
        void this.#log('warn', `${asConnectorError(error).message} Nothing else in the run is affected.`)
      }
    }
    this.#writing = this.#writing.then(write)
    return this.#writing
  }

  #rendered(ended: ReportEnd): string {
    const begun = this.#begun
    const { about, recorder } = begun ?? {}
    const { command, noun } = this.#options
    const data: ReportData = {
      command,
      noun,
      version: this.#version,
      host: about?.host,
      startedAt: this.#startedAt,
      writtenAt: Date.now(),
      elapsedMs: systemClock.now() - this.#started,
      ended,
      record: recorder?.record(),
      table: begun && withRecorded(begun.about.rows(), begun.recorder.checkpoints, begun.about.rejects.stop),
      rejects: about?.rejects.all ?? [],
      rejectsPlace: about?.rejectsPlace,
      limits: about?.limits,
    }
    return renderReport(withoutSecrets(data, this.#io.scrubber.scrub))
  }
}

/** Its own message may hold data. */
function wordsOf({ name, table, reason }: NonNullable<RejectFacts['stop']>): string {
  const which = `"${name}"${table === undefined ? '' : `, table "${table}",`}`
  return `A record of ${which} cannot be stored: ${reason}. The log tells which, and what to do.`
}

/** Adds what only the recorder counts: checkpoints (without a row, only in the total), and a rejected record that ended the run. */
function withRecorded(
  { rows, total }: RunRows,
  checkpoints: ReadonlyMap<unknown, number>,
  rejectStop: RejectFacts['stop'],
): RunRows {
  const all = [...checkpoints.values()].reduce((sum, count) => sum + count, 0)
  const added = ({ counts, ...row }: RunRow, count: number | undefined, hasStopped: boolean): RunRow => {
    const { rejected = 0, unsettled } = counts
    const [stop, rest] = [hasStopped ? rejectStop!.records : 0, unsettled ?? 0]
    const settled = { rejected: rejected + stop, unsettled: unsettled && Math.max(0, rest - stop) }
    return { ...row, counts: { ...counts, ...(stop > 0 ? settled : {}), checkpoints: count } }
  }
  return {
    rows: rows.map((row) => {
      const count = row.scope === undefined ? undefined : (checkpoints.get(row.scope) ?? 0)
      return added(row, count, row.name === rejectStop?.name && !row.isPart)
    }),
    total: added(total, all, rejectStop !== undefined),
  }
}
