// What the process edge gives to the commands, and how a command writes a log line. Types only.

import type { Code, Event } from '../core/codes.ts'
import type { Scrubber } from '../secrets/scrubber.ts'
import type { Output } from './output.ts'
import type { Input } from './pipe-input.ts'

/** The surroundings that a process gives a command. */
export interface Io {
  readonly argv: readonly string[]
  /** The command that starts it again, for hints (start-command.ts); its name when absent. */
  readonly command?: string
  readonly env: Readonly<Record<string, string | undefined>>
  openInput(): Promise<Input>
  readonly stdout: Output
  readonly stderr: Output
  /** The one of this process: a command gives it every secret as soon as it is known. */
  readonly scrubber: Scrubber
  readonly isTty: boolean
  /** Columns of the terminal standard output is. `undefined` when it is none. */
  readonly columns: number | undefined
  /** The size of that terminal as it is now: it may have been resized. */
  readonly size?: () => { readonly columns: number; readonly rows: number } | undefined
  /** The size of the terminal standard error is, as it is now. `undefined` when it is none. */
  readonly errorSize?: () => { readonly columns: number; readonly rows: number } | undefined
  /** Whether standard output goes into a file or to nothing, and standard error elsewhere: what fails is said there
   *  too, for the log of a cron job. False when absent. */
  readonly repeatsFailures?: () => boolean
  /** Whether terminals here move no cursor (TERM=dumb). */
  readonly isDumb?: boolean
  /** Aborts when the process is asked to stop, or its standard output is closed. */
  readonly signal: AbortSignal
  /** Aborts only when the process is asked to stop. The same as `signal` when absent. */
  readonly stopAsked?: AbortSignal
  /** The exit code once it was asked to stop. 1 when absent. */
  readonly exitWhenStopped?: () => number
  /** Resources that the process has used until now; absent when not known. */
  readonly usage?: () => { readonly residentBytes: number; readonly cpuSeconds: number }
}

/** An exit code, or `stopped`: `signal` ended it. */
export type Ended = number | 'stopped'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Figures beside the message, for machines. */
export type LogValue = string | number | boolean | null | readonly LogValue[] | { readonly [name: string]: LogValue }
export type LogFields = Readonly<Record<string, LogValue>> & {
  /** Code of an error. */
  readonly code?: Code
  /** Event of a line that a program may wait for. */
  readonly event?: Event
  readonly time?: never
  readonly level?: never
  readonly message?: never
}

/** One entry. Resolves when there is room for more; never rejects: that its reader is gone is reported elsewhere. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => Promise<void>
