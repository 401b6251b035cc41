// Figures that the parts of a report have in common; how durations, sizes and counts are written; and texts as HTML.

import type { RunFacts } from '../../run/run-facts.ts'
import { thousands } from '../../text/figures.ts'
import { printable } from '../../text/printable.ts'
import type { Summary } from '../summary/summary-schema.ts'

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
const COUNTS = ['', 'k', 'M', 'G', 'T', 'P']
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A unit of values; `time` is milliseconds. */
export type ReportUnit = 'count' | 'bytes' | 'time'

/** Writes a value in short, with three significant digits: "12.3 MiB", "1.2 k". */
export function figure(value: number, unit: ReportUnit): string {
  if (unit === 'time') return roundedSpan(value)
  return unit === 'bytes' ? scaled(value, 1024, SIZES) : scaled(value, 1000, COUNTS)
}

/** Writes a duration in short: "0 s", "850 ms", "12.3 s", "4 min 5 s", "3 h 20 min", "2 d 4 h". */
export function roundedSpan(ms: number): string {
  if (ms === 0) return '0 s'
  if (ms < 1000) return `${digits(ms)} ms`
  if (ms < MINUTE) return `${digits(ms / 1000)} s`
  if (ms < HOUR) return pair(ms, MINUTE, 'min', 1000, 's')
  return ms < DAY ? pair(ms, HOUR, 'h', MINUTE, 'min') : pair(ms, DAY, 'd', HOUR, 'h')
}

/** Writes a duration in two units, each given by its milliseconds and its name. */
function pair(ms: number, largeMs: number, large: string, smallMs: number, small: string): string {
  const inSmall = Math.floor(ms / smallMs)
  const perLarge = largeMs / smallMs
  const rest = inSmall % perLarge
  return `${thousands(Math.floor(inSmall / perLarge))} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

function scaled(value: number, base: number, names: readonly string[]): string {
  let power = 0
  // a value that would round up to the next unit is shown in that unit
  while (power < names.length - 1 && value / base ** power >= base - 0.5) power++
  return `${digits(value / base ** power)} ${names[power]!}`.trimEnd()
}

function digits(value: number): string {
  if (value >= 100) return thousands(Math.round(value))
  return String(Number(value.toPrecision(value < 1 ? 2 : 3)))
}

/** A part of the run over time: one of the summary's `samples`. */
export type Stretch = Summary['samples'][number]

/** The length of a stretch; never 0, so that it can divide. */
export function secondsOf({ from, to }: Stretch): number {
  return Math.max(0.001, to - from)
}

export function rowsASecond(stretch: Stretch): number {
  return stretch.rows / secondsOf(stretch)
}

export function retriesOf({ retries }: Stretch): number {
  return total(Object.values(retries), (count) => count)
}

export function total<T>(things: readonly T[], numberOf: (thing: T) => number): number {
  return things.reduce((sum, thing) => sum + numberOf(thing), 0)
}

/** Whether the run read topics, not streams. */
export function isOfTopics({ command }: Pick<Summary, 'command'>): boolean {
  return command.startsWith('stream')
}

export function nounOf(run: Pick<Summary, 'command'>): RunFacts['noun'] {
  return isOfTopics(run) ? 'topic' : 'stream'
}

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element's content or an attribute's value in double quotes. */
export function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (sign) => NAMES[sign]!)
}
