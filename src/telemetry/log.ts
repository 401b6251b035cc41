// How a long-running command tells what happens. Types, and which of it is wanted.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Figures beside the message, for machines. */
export type LogValue = string | number | boolean | null | readonly LogValue[] | { readonly [name: string]: LogValue }
export type LogFields = Readonly<Record<string, LogValue>> & {
  readonly time?: never
  readonly level?: never
  readonly message?: never
}

/** One entry. Resolves when there is room for more; never rejects: whose reader is gone is told elsewhere. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => Promise<void>

export interface Wanted {
  /** What is as grave, or graver, is told. */
  readonly least: LogLevel
  /** A sentence for the user; undefined: the variable is understood. */
  readonly problem: string | undefined
}

const WEIGHT: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

const NAMES: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  critical: 'error',
}

const PROBLEM = 'LOG_LEVEL is none of debug, info, warn, error: info is taken.'

/** @param text LOG_LEVEL, as many programs understand it; absent or empty: info */
export function wantedBy(text: string | undefined): Wanted {
  const name = text?.trim().toLowerCase() ?? ''
  if (name === '') return { least: 'info', problem: undefined }
  const least = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  return { least: least ?? 'info', problem: least === undefined ? PROBLEM : undefined }
}

export function isWanted(level: LogLevel, least: LogLevel): boolean {
  return WEIGHT[level] >= WEIGHT[least]
}
