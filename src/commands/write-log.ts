// What `write` writes for its user: LOG lines of the level that LOG_LEVEL asks for, and how a run failed. What a person at a terminal
// sees is write-display.ts's.

import { log as logMessage, traceError } from '../airbyte/emitter.ts'
import { asConnectorError } from '../core/errors.ts'
import type { Io, Log } from '../process/io.ts'
import { withCode } from '../process/paint.ts'
import type { ExchangeReport } from '../service/http/http.ts'
import { isWanted, wantedBy } from '../telemetry/log.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { requestLog } from './request-log.ts'
import { failedWords, openDisplay, type WriteDisplay } from './write-display.ts'

export interface WriteLog {
  readonly log: Log
  /** `undefined` when requests are not logged. */
  readonly onExchange: ((exchange: ExchangeReport) => void) | undefined
  /** `undefined` when standard error is no terminal. */
  readonly display: WriteDisplay | undefined
  /** Facts of the run when it ended. `undefined` when it never began to read. */
  last: RunFacts | undefined
}

type LogIo = Pick<Io, 'stdout' | 'stderr' | 'env' | 'scrubber' | 'isTty' | 'columns' | 'errorSize' | 'isDumb'>

/** Warns when LOG_LEVEL is not understood. Never throws. */
export async function openLog(io: LogIo & Pick<Io, 'repeatsFailures'>): Promise<WriteLog> {
  const { stdout, env, scrubber } = io
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  const display = openDisplay(io, least)
  const log: Log = async (level, message, fields) => {
    const clean = scrubber.scrub(message)
    display?.log(level, clean, fields)
    // a broken output is noticed by its owner, who stops the process
    if (isWanted(level, least)) await stdout.write(logMessage(level, clean, fields)).catch(() => {})
    const fails = fields?.code === 'report.not-a-summary' && !display && io.repeatsFailures?.() === true
    if (fails) await io.stderr.write(`${clean}\n`).catch(() => {})
  }
  if (problem !== undefined) await log('warn', problem)
  const onExchange = isWanted('debug', least) ? requestLog(log) : undefined
  return { log, onExchange, display, last: undefined }
}

/** The one TRACE ERROR of a failed run. Never throws. */
export async function logFailure(error: unknown, { stdout, scrubber }: Pick<Io, 'stdout' | 'scrubber'>): Promise<void> {
  const shown = asConnectorError(error).scrubbed(scrubber.scrub)
  await stdout.write(traceError(shown, Date.now())).catch(() => {})
}

/** Says it on standard error too, where that is no terminal. Never throws.
 *  @param facts its last ones, if something was read */
export async function sayFailure(
  error: unknown,
  facts: RunFacts | undefined,
  { stderr, scrubber }: Pick<Io, 'stderr' | 'scrubber'>,
): Promise<void> {
  const words = withCode(scrubber.scrub(failedWords(error, facts)), asConnectorError(error).code)
  await stderr.write(`${words}\n`).catch(() => {})
}
