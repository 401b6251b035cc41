// Writes what tells of a run, its report and its summary, to their files: at the start, once a minute, when the run is asked to stop,
// and at its end.

import type { Event } from '../../core/codes.ts'
import { asConnectorError } from '../../core/errors.ts'
import type { DeliveryWatch } from '../../core/types.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { RunRow, RunRows } from '../counts.ts'
import { runFigures } from '../run-figures.ts'
import type { RunFacts } from '../run-facts.ts'
import { readOldSummary, summaryMaker } from '../summary/summary-page.ts'
import type { Summary } from '../summary/summary-schema.ts'
import { SUMMARY_HEAD, summaryText } from '../summary/summary.ts'
import { ReportFile } from './report-file.ts'
import type { ReportKind, ReservedPath } from './report-file.ts'
import { RunRecorder } from '../summary/run-recorder.ts'
import { renderReport, REPORT_HEAD } from './report-render.ts'
import type {
  RejectFacts,
  ReportAbout,
  ReportEnd,
  ReportFiles,
  ReportIo,
  ReportOptions,
  RunReport,
  RunSoFar,
} from './report.ts'

/** Redirections by the shell: if such a file were replaced, the output written to it would be lost. */
const STANDARD: readonly ReservedPath[] = [
  { file: 1, what: 'where standard output goes' },
  { file: 2, what: 'where standard error goes' },
]
const TICK_MS = 1000
const TICKS_A_PAGE = 60

/** What tells of a run in one way. */
interface Page {
  readonly file: ReportFile
  /** The beginning of every one. */
  readonly head: string
  readonly textOf: (run: Summary) => string
  hasWarned: boolean
}

export class ReportToFile implements RunReport {
  readonly #pages: readonly Page[]
  readonly #maker: ReturnType<typeof summaryMaker>
  readonly #options: ReportOptions & Pick<RunSoFar, 'version' | 'commit'>
  readonly #io: ReportIo
  readonly #startedAt = Date.now()
  readonly #started = systemClock.now()
  readonly #over = new AbortController()
  readonly #stopping = (): void => void this.#write({ how: 'stopping' })
  #begun: { readonly about: ReportAbout<never>; readonly recorder: RunRecorder<never> } | undefined
  #loop: Promise<void> = Promise.resolve()
  /** Serializes the writes. */
  #writing: Promise<void> = Promise.resolve()

  private constructor(
    pages: readonly Page[],
    maker: ReturnType<typeof summaryMaker>,
    options: ReportOptions & Pick<RunSoFar, 'version' | 'commit'>,
    io: ReportIo,
  ) {
    this.#pages = pages
    this.#maker = maker
    this.#options = options
    this.#io = io
  }

  /** @throws ConnectorError config if one cannot be written */
  static async open(files: ReportFiles, options: ReportOptions, io: ReportIo): Promise<ReportToFile> {
    const { scrub } = io.scrubber
    const { compare } = files
    const reserved = [...options.files, ...STANDARD]
    // the summary may take the place of the one it is compared with
    const forReport = compare === undefined ? [] : [{ file: compare, what: 'that of --compare' }]
    const pages: Page[] = []
    const add = async (given: string | undefined, what: ReportKind, page: Omit<Page, 'file' | 'hasWarned'>) => {
      if (given === undefined) return
      const file = await ReportFile.open(given, what)
      await file.keepApartFrom(what === 'report' ? [...reserved, ...forReport] : reserved)
      reserved.push({ file: given, what: `that of --${what}` })
      pages.push({ file, ...page, hasWarned: false })
    }
    await add(files.report, 'report', { head: REPORT_HEAD, textOf: renderReport })
    let unread: unknown
    const reading = compare === undefined ? undefined : readOldSummary(compare, options.log)
    const old = (await reading?.catch((error: unknown) => void (unread = error))) ?? undefined
    await add(files.summary, 'summary', { head: SUMMARY_HEAD, textOf: summaryText })
    const { version, gitHead: commit } = (await import('../../version.ts')).build()
    const opened = new ReportToFile(pages, summaryMaker(old, scrub), { ...options, version, commit }, io)
    if (unread === undefined) return opened
    // what an earlier run left must not pass for this one's
    if (compare !== files.summary) await opened.fail(unread)
    throw unread
  }

  async begin<C>(about: ReportAbout<C>): Promise<readonly DeliveryWatch<C>[]> {
    const recorder = new RunRecorder<C>({ ...about, clock: systemClock, startedAt: this.#started })
    try {
      for (const { file } of this.#pages) await file.keepApartFrom(about.files)
      this.#begun = { about, recorder }
      const run = this.#maker.of(this.#soFar({ how: 'running' }))
      for (const { file, textOf } of this.#pages) await file.write(textOf(run))
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
    await this.#end({ how: ended === 'complete' ? 'done' : 'stopped' })
    return ended
  }

  async fail(error: unknown): Promise<void> {
    const known = asConnectorError(error)
    const stop = this.#begun?.about.rejects.stop
    const message = stop?.error === known ? wordsOf(stop) : known.ownWords
    await this.#end({ how: 'failed', kind: known.kind, code: known.code, message })
  }

  async #end(ended: ReportEnd): Promise<void> {
    if (this.#over.signal.aborted) return
    this.#over.abort()
    this.#io.signal.removeEventListener('abort', this.#stopping)
    await this.#loop
    const free: Page[] = []
    for (const page of this.#pages)
      // the run's own files are not known yet, so replace nothing that may be one of them
      if (this.#begun !== undefined || (await page.file.isFreeOr(page.head))) free.push(page)
    await this.#write(ended, free)
    for (const words of this.#maker.warnings()) await this.#log('warn', words, 'run.changed')
    for (const { file, hasWarned } of free) {
      if (!hasWarned)
        await this.#log('info', `The ${file.what} of this run is ${JSON.stringify(file.given)}.`, 'report.written')
    }
  }

  async #log(level: 'info' | 'warn', message: string, event: Event): Promise<void> {
    await this.#options.log(level, message, { event }).catch(() => {})
  }

  async #tick(recorder: RunRecorder<never>): Promise<void> {
    for (let ticks = 1; ; ticks++) {
      await systemClock.wait(TICK_MS, this.#over.signal)
      if (this.#over.signal.aborted) return
      recorder.tick()
      if (ticks % TICKS_A_PAGE === 0) await this.#write({ how: this.#io.signal.aborted ? 'stopping' : 'running' })
    }
  }

  /** Never throws: a run must not fail because of what tells of it. */
  #write(ended: ReportEnd, pages = this.#pages): Promise<void> {
    const write = async (): Promise<void> => {
      let run: Summary | undefined
      for (const page of pages) await this.#put(page, () => (run ??= this.#maker.of(this.#soFar(ended))))
    }
    this.#writing = this.#writing.then(write)
    return this.#writing
  }

  async #put(page: Page, summary: () => Summary): Promise<void> {
    try {
      await page.file.write(page.textOf(summary()))
    } catch (error) {
      if (page.hasWarned) return
      page.hasWarned = true
      const { code, message } = asConnectorError(error)
      const fields = code && { code }
      void this.#options.log('warn', `${message} Nothing else in the run is affected.`, fields).catch(() => {})
    }
  }

  #soFar(ended: ReportEnd): RunSoFar {
    const { about, recorder } = this.#begun ?? {}
    const facts = about?.facts()
    return {
      ...this.#options,
      about,
      startedAt: this.#startedAt,
      clockStart: this.#started,
      writtenAt: Date.now(),
      elapsedMs: systemClock.now() - this.#started,
      ended,
      record: recorder?.record(),
      table: facts && withRecorded(rowsOf(facts), recorder!.checkpoints, about!.rejects),
      facts,
      stopCode: this.#io.exitWhenStopped?.() ?? 1,
    }
  }
}

/** With the lag of topics, where topics are read. */
function rowsOf(facts: RunFacts): RunRows {
  return facts.group && facts.replays === undefined ? runFigures(facts, undefined) : facts
}

/** Its own message may hold data. */
function wordsOf({ name, table, reason }: NonNullable<RejectFacts['stop']>): string {
  const which = `"${name}"${table === undefined ? '' : `, table "${table}",`}`
  return `A record of ${which} cannot be stored: ${reason}. The log tells which, and what to do.`
}

/** Adds what only the recorder counts: checkpoints (without a row, only in the total). And rejected records that are not settled, for
 *  they ended the run or are being kept, so that these counts and the list of reasons agree. */
function withRecorded(
  { rows, total }: RunRows,
  checkpoints: ReadonlyMap<unknown, number>,
  rejects: RejectFacts,
): RunRows {
  const added = ({ counts, ...row }: RunRow, count: number | undefined, met: number): RunRow => {
    const { rejected, unsettled } = counts
    const more = rejected === undefined ? 0 : Math.max(0, met - rejected)
    const settled = { rejected: met, unsettled: unsettled && Math.max(0, unsettled - more) }
    return { ...row, counts: { ...counts, ...(more > 0 ? settled : {}), checkpoints: count } }
  }
  return {
    rows: rows.map((row) => {
      const count = row.scope === undefined ? undefined : (checkpoints.get(row.scope) ?? 0)
      const isOf = (table: string | undefined) => table === row.table || (table === undefined && row.isPart !== true)
      return added(row, count, rejects.recordsOf(row.name, isOf))
    }),
    total: added(
      total,
      [...checkpoints.values()].reduce((sum, count) => sum + count, 0),
      rejects.all.reduce((sum, { records }) => sum + records, 0),
    ),
  }
}
