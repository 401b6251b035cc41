// What `write` writes for its user: LOG lines of the level that LOG_LEVEL asks for, the run's progress, what its end waits for,
// the TRACE ERROR of a failed run, and a hint at a terminal.

import { log, traceError } from '../airbyte/emitter.ts'
import { asConnectorError, ConnectorError } from '../core/errors.ts'
import type { Clock } from '../core/types.ts'
import type { Io, AirbyteLogLevel as AirbyteLevel, Say } from '../process/io.ts'
import type { Input } from '../process/pipe-input.ts'
import type { ExchangeReport } from '../service/http/http.ts'
import { isWanted, wantedBy } from '../telemetry/log.ts'
import type { LogLevel } from '../telemetry/log.ts'
import type { WriteProgress } from '../telemetry/run-lines.ts'
import { requestLog } from './request-log.ts'

export interface WriteLog {
  readonly say: Say
  /** Undefined: requests are not wanted. */
  readonly onExchange: ((told: ExchangeReport) => void) | undefined
}

const LEVELS: Readonly<Record<AirbyteLevel, LogLevel>> = {
  FATAL: 'error',
  ERROR: 'error',
  WARN: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'debug',
}

/** Warns when LOG_LEVEL is not understood. */
export async function openLog({ stdout, env, scrubber }: Pick<Io, 'stdout' | 'env' | 'scrubber'>): Promise<WriteLog> {
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  const say: Say = async (level, message) => {
    if (isWanted(LEVELS[level], least)) await stdout.write(log(level, scrubber.scrub(message)))
  }
  if (problem !== undefined) await say('WARN', problem)
  return { say, onExchange: isWanted('debug', least) ? requestLog((message) => say('DEBUG', message)) : undefined }
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
  say: Say,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): void {
  void logUnderWay(progress, say, clock, signal)
  void logEnding(progress, say, clock, signal)
}

const PROGRESS_EVERY_MS = 60_000

/** A line a minute, until `signal`: none is begun after that. While one has not left, none is added. Never throws. */
export async function logUnderWay(
  progress: Pick<WriteProgress, 'line'>,
  say: Say,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.wait(PROGRESS_EVERY_MS, signal)
    if (signal.aborted) return
    await say('INFO', progress.line(clock.now())).catch(() => {})
  }
}

const TICK_MS = 1000
const SILENT_MS = 2000
const ENDING_EVERY_MS = 10_000

/** A line when the run reads no more for 2 s, and again every 10 s, until `signal`: none is begun after that. While one has not
 *  left, none is added. Never throws. */
export async function logEnding(
  progress: Pick<WriteProgress, 'ending'>,
  say: Say,
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
    await say('INFO', line).catch(() => {})
  }
}

const HINT = `write reads Airbyte messages from standard input, one JSON object a line; that
is this terminal. Type or paste them and end with Ctrl-D, or break off with
Ctrl-C and give it a file: write --config FILE --catalog FILE < messages.jsonl
`

/** On standard error, at a terminal only. Never throws. */
export async function hintAtTerminal({ isTTY }: Pick<Input, 'isTTY'>, { stderr }: Pick<Io, 'stderr'>): Promise<void> {
  if (isTTY === true) await stderr.write(HINT).catch(() => {})
}
