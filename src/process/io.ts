// What main.ts gives to the commands of the process, and how a command writes a log line. Types only.

import type { Code, Event } from '../core/codes.ts'
import type { Scrubber } from '../secrets/scrubber.ts'
import type { Output } from './output.ts'
import type { Input } from './pipe-input.ts'

/** The surroundings that a process gives a command. */
export interface Io {
  readonly argv: readonly string[]
  /** The command line that starts this program again, for hints (start-command.ts). The program's name when absent. */
  readonly command?: string
  readonly env: Readonly<Record<string, string | undefined>>
  openInput(): Promise<Input>
  readonly stdout: Output
  readonly stderr: Output
  /** The one of this process: a command gives it every secret as soon as it is known. */
  readonly scrubber: Scrubber
  /** Whether standard output is a terminal that can move its cursor. */
  readonly isTty: boolean
  /** Columns of the terminal that standard output is, when the process began. `undefined` when it is none. */
  readonly columns: number | undefined
  /** Returns the size of that terminal as it is now: it may have been resized. */
  readonly size?: () => { readonly columns: number; readonly rows: number } | undefined
  /** Returns the size of the terminal that standard error is, as it is now. `undefined` when it is none. */
  readonly errorSize?: () => { readonly columns: number; readonly rows: number } | undefined
  /** Tells whether failures are repeated on standard error, for the log of a cron job, say: standard output goes into a file or nowhere, and
   *  standard error elsewhere. False when absent. */
  readonly repeatsFailures?: () => boolean
  /** Whether the terminal cannot move its cursor (TERM=dumb). */
  readonly isDumb?: boolean
  /** Aborts when the process is asked to stop, or its standard output is closed. */
  readonly signal: AbortSignal
  /** Aborts only when the process is asked to stop. The same as `signal` when absent. */
  readonly stopAsked?: AbortSignal
  /** Returns the exit code of a command that `signal` ended: that of the process's last signal, 1 before any. Always 1 when absent. */
  readonly exitWhenStopped?: () => number
  /** Returns the resources that the process has used until now. Absent when not known. */
  readonly usage?: () => { readonly residentBytes: number; readonly cpuSeconds: number }
}

/** The result of a command: its exit code, or `stopped` when `signal` ended it and `exitWhenStopped` has the code. */
export type Ended = number | 'stopped'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type LogValue = string | number | boolean | null | readonly LogValue[] | { readonly [name: string]: LogValue }
/** Figures beside the message, for machines. None is called as the members that every line has. */
export type LogFields = Readonly<Record<string, LogValue>> & {
  /** Code of an error. */
  readonly code?: Code
  /** Event of a line that a program may wait for. */
  readonly event?: Event
  readonly time?: never
  readonly level?: never
  readonly message?: never
}

/** Logs one entry. Resolves when there is room for more. Never rejects, for a lost reader is noticed by the output itself. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => Promise<void>
