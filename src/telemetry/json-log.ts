// A log of one compact JSON object a line, for machines. Knows nothing of what is told.

import { oneLine } from '../json/one-line.ts'
import { isWanted } from './log.ts'
import type { Log, LogFields, LogLevel } from './log.ts'
import { shortened } from '../text/shortened.ts'

export interface JsonLogParts {
  /** Takes whole lines, and secrets out of them. */
  readonly output: { write(line: string): Promise<void> }
  readonly least: LogLevel
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/** Container engines cut lines at 16 KiB. */
const MAX_MESSAGE = 8_000

export function jsonLog({ output, least, wallClock }: JsonLogParts): Log {
  return async (level, message, fields) => {
    if (!isWanted(level, least)) return
    // a broken output tells its owner, who stops the process
    await output.write(logLine(wallClock(), level, message, fields)).catch(() => {})
  }
}

/** `time` first, then `level` and `message`. Its texts hold nothing that a terminal would obey.
 *  @param now milliseconds since 1970 */
export function logLine(now: number, level: LogLevel, message: string, fields: LogFields = {}): string {
  const told = { time: new Date(now).toISOString(), level, message: shortened(message, MAX_MESSAGE), ...fields }
  return `${oneLine(harmless(told) as object)}\n`
}

/** What JSON leaves as it is although terminals obey it, and readers are misled by it. */
const OBEYED = /[\u007f-\u0084\u0086-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function harmless(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(OBEYED, '?')
  if (Array.isArray(value)) return value.map(harmless)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replace(OBEYED, '?'), harmless(member)]),
  )
}
