// The log of a run: which levels LOG_LEVEL asks for, and for long-running commands its format of one compact JSON object per line.

import { singleLine } from '../json/strings.ts'
import type { Log, LogFields, LogLevel } from '../process/io.ts'
import { shortened } from '../text/printable.ts'

/** The level that LOG_LEVEL asks for. */
export interface Wanted {
  /** Entries of this level or a more severe one are logged. */
  readonly least: LogLevel
  /** A sentence for the user. `undefined` when the value is valid. */
  readonly problem: string | undefined
}

const SEVERITY: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  critical: 'error',
}

const PROBLEM = 'LOG_LEVEL is none of debug, info, warn, error: using info.'

/** Reads the least level that is logged. @param text the value of LOG_LEVEL; info when absent or empty */
export function wantedBy(text: string | undefined): Wanted {
  const name = text?.trim().toLowerCase() ?? ''
  if (name === '') return { least: 'info', problem: undefined }
  const least = Object.hasOwn(LEVELS, name) ? LEVELS[name] : undefined
  return { least: least ?? 'info', problem: least === undefined ? PROBLEM : undefined }
}

/** Whether an entry of a level is logged, with `least` as in `Wanted`. */
export function isWanted(level: LogLevel, least: LogLevel): boolean {
  return SEVERITY[level] >= SEVERITY[least]
}

/** The more severe of two levels. */
export function graver(one: LogLevel, other: LogLevel): LogLevel {
  return isWanted(one, other) ? one : other
}

export interface JsonLogParts {
  readonly output: { write(line: string): Promise<void> }
  readonly least: LogLevel
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Takes every secret out of a message before that is shortened, as a secret that is cut off could not be found. */
  readonly scrub: (text: string) => string
}

/** Most characters of a message: container engines cut lines at 16 KiB. */
const LONGEST_MESSAGE = 8_000

export function jsonLog({ output, least, wallClock, scrub }: JsonLogParts): Log {
  return async (level, message, fields) => {
    if (!isWanted(level, least)) return
    // a broken output tells its owner, which stops the process
    await output.write(logLine(wallClock(), level, scrub(message), fields)).catch(() => {})
  }
}

/** Returns a line with `time` first, then `level` and `message`, and without control characters that a terminal would obey.
 *  @param now milliseconds since 1970 */
export function logLine(now: number, level: LogLevel, message: string, fields: LogFields = {}): string {
  const entry = { time: new Date(now).toISOString(), level, message: shortened(message, LONGEST_MESSAGE), ...fields }
  return `${singleLine(entry)}\n`
}
