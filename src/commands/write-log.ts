// What `write` writes for its user: LOG lines of the level that LOG_LEVEL asks for, the run's progress, what its end waits for,
// and the TRACE ERROR of a failed run. What a person at a terminal sees is write-display.ts's.

import { log as logMessage, traceError } from '../airbyte/emitter.ts'
import { asConnectorError, ConnectorError } from '../core/errors.ts'
import type { Clock } from '../core/types.ts'
import type { Io, Log } from '../process/io.ts'
import type { ExchangeReport } from '../service/http/http.ts'
import { isWanted, wantedBy } from '../telemetry/log.ts'
import type { WriteProgress } from '../telemetry/run-lines.ts'
import { requestLog } from './request-log.ts'
import { openDisplay } from './write-display.ts'
import type { WriteDisplay } from './write-display.ts'

export interface WriteLog {
  readonly log: Log
  /** Undefined: requests are not wanted. */
  readonly onExchange: ((exchange: ExchangeReport) => void) | undefined
  /** Undefined: nobody looks. */
  readonly display: WriteDisplay | undefined
}

type LogIo = Pick<Io, 'stdout' | 'stderr' | 'env' | 'scrubber' | 'isTty' | 'errorSize'>

/** Warns when LOG_LEVEL is not understood. Never throws. */
export async function openLog(io: LogIo): Promise<WriteLog> {
  const { stdout, env, scrubber } = io
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  const display = openDisplay(io, least)
  const log: Log = async (level, message) => {
    const clean = scrubber.scrub(message)
    if (isWanted(level, 'warn')) display?.log(level, clean)
    // the owner of a broken output hears of it and stops the process
    if (isWanted(level, least)) await stdout.write(logMessage(level, clean)).catch(() => {})
  }
  if (problem !== undefined) await log('warn', problem)
  const onExchange = isWanted('debug', least) ? requestLog(log) : undefined
  return { log, onExchange, display }
}

/** The one TRACE ERROR of a failed run. Never throws. */
export async function logFailure(error: unknown, { stdout, scrubber }: Pick<Io, 'stdout' | 'scrubber'>): Promise<void> {
  const { kind, message, track } = asConnectorError(error)
  const shown = new ConnectorError(kind, scrubber.scrub(message), { track })
  await stdout.write(traceError(shown, Date.now())).catch(() => {})
}

/** Logs a run's progress and what its end waits for, until `signal`. */
export function logProgress(
  progress: Pick<WriteProgress, 'line' | 'ending'>,
  log: Log,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): void {
  void logUnderWay(progress, log, clock, signal)
  void logEnding(progress, log, clock, signal)
}

const PROGRESS_EVERY_MS = 60_000

/** A line a minute, until `signal`: none is begun after that. While one has not left, none is added. Never throws. */
export async function logUnderWay(
  progress: Pick<WriteProgress, 'line'>,
  log: Log,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.wait(PROGRESS_EVERY_MS, signal)
    if (signal.aborted) return
    await log('info', progress.line(clock.now())).catch(() => {})
  }
}

const TICK_MS = 1000
const SILENT_MS = 2000
const ENDING_EVERY_MS = 10_000

/** A line when the run reads no more for 2 s, and again every 10 s, until `signal`: none is begun after that. While one has not
 *  left, none is added. Never throws. */
export async function logEnding(
  progress: Pick<WriteProgress, 'ending'>,
  log: Log,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  let since: number | undefined
  let loggedAt = -Infinity
  for (;;) {
    await clock.wait(TICK_MS, signal)
    if (signal.aborted) return
    const now = clock.now()
    const line = progress.ending(now)
    if (line === undefined) continue
    since ??= now
    if (now - since < SILENT_MS || now - loggedAt < ENDING_EVERY_MS) continue
    loggedAt = now
    await log('info', line).catch(() => {})
  }
}
