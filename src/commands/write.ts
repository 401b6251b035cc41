// `write`: Airbyte messages on standard input, upserted tables out; STATE lines come back, with LOG lines of the level that LOG_LEVEL asks
// for, and at most one TRACE ERROR. The run itself is run.ts; what a person at a terminal sees is write-display.ts.

import { openAirbyteInput, type AirbyteCheckpoint } from '../airbyte/airbyte-input.ts'
import { log as logMessage, traceError } from '../airbyte/emitter.ts'
import type { Origin as AirbyteOrigin } from '../airbyte/record-line.ts'
import { readFileText } from '../config/read-file.ts'
import { defaultConfig, loadWriteConfig, type WriteConfig } from '../config/write/write-load.ts'
import { limits } from '../config/write/write-options.ts'
import { asConnectorError, codeOf } from '../core/errors.ts'
import type { Ended, Io, Log } from '../process/io.ts'
import { withCode } from '../process/paint.ts'
import { holdHeap } from '../process/small-heap.ts'
import type { ExchangeReport } from '../service/http/http.ts'
import { serviceRoute, throughProxy } from '../service/http/proxy.ts'
import { changedOptions } from '../config/config-of.ts'
import type { Open, ReservedPath } from '../run/open-input.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { isWanted, wantedBy } from '../telemetry/log.ts'
import type { ReportFiles } from '../telemetry/report/report-file.ts'
import { configDigest } from '../telemetry/summary/digests.ts'
import { summaryLines, writeEntry, runLines } from '../telemetry/run-entries.ts'
import { asSentence } from '../text/printable.ts'
import type { DryRunChoices } from './dry-run.ts'
import { requestLog } from './request-log.ts'
import { run, type Command } from './run.ts'
import { failedWords, hintAtTerminal, unreadWords, WriteDisplay } from './write-display.ts'

interface ReadFiles {
  /** `undefined` when a dry run takes the default of every option. */
  readonly configFile: string | undefined
  readonly catalogFile: string
}

export interface WriteFiles extends ReadFiles {
  readonly configFile: string
  /** Files that are left to tell of the run; absent when there are none. */
  readonly reportFiles?: ReportFiles
}

/** The log and the display of a run, and its last facts. */
interface WriteLog {
  readonly log: Log
  /** `undefined` when requests are not logged. */
  readonly onExchange: ((exchange: ExchangeReport) => void) | undefined
  /** `undefined` when standard error is no terminal. */
  readonly display: WriteDisplay | undefined
  /** Facts of the run when it ended, which `ended` sets. `undefined` when it never began to read. */
  lastFacts: RunFacts | undefined
}

/** Runs `write`.
 *  @returns 0; 1 after one TRACE ERROR, or when not all output could be written; `stopped` when the process was asked to stop.
 *  Never throws. */
export async function write(files: WriteFiles, io: Io): Promise<Ended> {
  const logs = await openLog(io)
  const ended = await runReported(files, logs, io)
  try {
    await io.stdout.flush()
    return ended
  } catch (error) {
    // said also when all was stored, because the reader of the STATE lines cannot know that
    await io.stderr.write(`${unreadWords(logs.lastFacts, codeOf(error))}\n`).catch(() => {})
    return ended === 'stopped' ? ended : 1
  }
}

/** Makes the run, and tells how it ended. */
async function runReported(files: WriteFiles, logs: WriteLog, io: Io): Promise<Ended> {
  try {
    const ended = (await run(commandOf(files, logs, io), io)) === 'complete' ? 0 : 'stopped'
    await logs.display?.ended(ended, files.reportFiles?.report)
    return ended
  } catch (error) {
    if (asConnectorError(error).code === 'output.unwritable') {
      // `write` says why when it flushes the output
      await logs.display?.ended('stopped', undefined)
      return 1
    }
    await traceFailure(error, io)
    await logs.display?.failed(error)
    if (!logs.display && io.repeatsFailures?.()) await repeatFailure(error, logs.lastFacts, io)
    return 1
  }
}

/** Opens the log, in which it warns when LOG_LEVEL is not understood. Never throws. */
export async function openLog(io: Io): Promise<WriteLog> {
  const { stdout, env, scrubber } = io
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  const display = io.errorSize?.() === undefined ? undefined : new WriteDisplay(io, least)
  const log: Log = async (level, message, fields) => {
    const clean = scrubber.scrub(message)
    display?.log(level, clean, fields)
    // main.ts notices a broken output, and has the run stopped
    if (isWanted(level, least)) await stdout.write(logMessage(level, clean, fields)).catch(() => {})
    // said where failures are said, because the comparison that was asked for is left out
    const isRepeated = fields?.code === 'report.not-a-summary' && !display && io.repeatsFailures?.() === true
    if (isRepeated) await io.stderr.write(`${clean}\n`).catch(() => {})
  }
  if (problem !== undefined) await log('warn', problem)
  const onExchange = isWanted('debug', least) ? requestLog(log) : undefined
  return { log, onExchange, display, lastFacts: undefined }
}

/** Prints the one TRACE ERROR of a failed run. Never throws. */
async function traceFailure(error: unknown, { stdout, scrubber }: Pick<Io, 'stdout' | 'scrubber'>): Promise<void> {
  const shown = asConnectorError(error).scrubbed(scrubber.scrub)
  await stdout.write(traceError(shown, Date.now())).catch(() => {})
}

/** Says the failure on standard error too, where that is no terminal. Never throws.
 *  @param facts the last ones. `undefined` when nothing was read */
async function repeatFailure(error: unknown, facts: RunFacts | undefined, { stderr, scrubber }: Io): Promise<void> {
  const words = withCode(scrubber.scrub(failedWords(error, facts)), asConnectorError(error).code)
  await stderr.write(`${words}\n`).catch(() => {})
}

function commandOf(files: WriteFiles, logs: WriteLog, io: Io): Command<AirbyteCheckpoint, AirbyteOrigin> {
  const { log, display } = logs
  const lines = runLines(log, writeEntry)
  return {
    name: 'write',
    files: reservedPathsOf(files),
    reportFiles: files.reportFiles ?? {},
    log,
    show(facts) {
      lines.show(facts)
      display?.show(facts)
    },
    async ended(facts) {
      logs.lastFacts = facts
      display?.show(facts)
      for (const line of summaryLines(facts)) await log('info', line)
    },
    load: () => load(files, logs, io),
  }
}

async function load(files: WriteFiles, { log, onExchange, display }: WriteLog, io: Io) {
  const { scrubber } = io
  const config = await configOf(files.configFile, log, io)
  const proxy = serviceRoute(config.service.baseUrl, io)
  if (proxy) await log('info', throughProxy(proxy))
  const { requestTimeoutMs } = config.limits
  return {
    service: { ...config.service, proxy, requestTimeoutMs, scrub: scrubber.scrub, onExchange },
    limits: config.limits,
    reportLimits: changedOptions(config.limits, limits),
    digest: configDigest(config.service, config),
    open: openInput(files, config, io, display),
  }
}

async function configOf(file: string, log: Log, { scrubber }: Io): Promise<WriteConfig> {
  const text = await readFileText(file, '--config')
  const { config, warnings } = loadWriteConfig(text, (secrets) => scrubber.learn(secrets))
  for (const warning of warnings) await log('warn', asSentence(warning), { code: 'config.warning' })
  return config
}

/** Says how a run opens its input. `display` is absent in a dry run, and where standard error is no terminal. */
function openInput(
  files: ReadFiles,
  config: Omit<WriteConfig, 'service'>,
  io: Io,
  display?: WriteDisplay,
): Open<AirbyteCheckpoint, AirbyteOrigin> {
  // before a catalog is read, which may be large
  holdHeap()
  const input = {
    catalogFile: files.catalogFile,
    config,
    async openInput() {
      const stdin = await io.openInput()
      // without a display, nothing is said of the lines at the terminal: a dry run prints none
      await hintAtTerminal(stdin, display ? io : { stderr: io.stderr })
      display?.reads(stdin)
      return stdin
    },
    stdout: io.stdout,
    reservedPaths: reservedPathsOf(files),
  }
  return (context) => openAirbyteInput(input, context)
}

/** Makes a dry run of `write`. */
export async function dryWrite(options: ReadFiles & DryRunChoices, io: Io): Promise<Ended> {
  const { configFile } = options
  const { dryRun } = await import('./dry-run.ts')
  const load = async (log: Log) => {
    const config = configFile === undefined ? defaultConfig() : await configOf(configFile, log, io)
    return { limits: config.limits, open: openInput(options, config, io) }
  }
  return dryRun({ name: 'write', noun: 'stream', ...options, load }, io)
}

/** Files that must not be written over. */
function reservedPathsOf({ configFile, catalogFile }: ReadFiles): readonly ReservedPath[] {
  return [
    ...(configFile === undefined ? [] : [{ file: configFile, what: 'that of --config' }]),
    { file: catalogFile, what: 'that of --catalog' },
  ]
}
