// Figures that the parts of a report have in common, and their form: durations, sizes, counts, rates; and texts as HTML.

import { thousands } from '../../text/figures.ts'
import { printable } from '../../text/printable.ts'
import type { Summary } from '../summary/summary-schema.ts'

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
const COUNTS = ['', 'k', 'M', 'G', 'T', 'P']
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** time: milliseconds. */
export type ReportUnit = 'count' | 'bytes' | 'time'

/** Short: three significant digits. */
export function figure(value: number, unit: ReportUnit): string {
  if (unit === 'time') return roundedSpan(value)
  return unit === 'bytes' ? scaled(value, 1024, SIZES) : scaled(value, 1000, COUNTS)
}

/** "0 s", "850 ms", "12.3 s", "4 min 5 s", "3 h 20 min", "2 d 4 h". */
export function roundedSpan(ms: number): string {
  if (ms === 0) return '0 s'
  if (ms < 1000) return `${digits(ms)} ms`
  if (ms < MINUTE) return `${digits(ms / 1000)} s`
  if (ms < HOUR) return pair(ms, MINUTE, 'min', 1000, 's')
  return ms < DAY ? pair(ms, HOUR, 'h', MINUTE, 'min') : pair(ms, DAY, 'd', HOUR, 'h')
}

function pair(ms: number, large: number, name: string, small: number, smallName: string): string {
  const smalls = Math.floor(ms / small)
  const rest = smalls % (large / small)
  const whole = thousands(Math.floor(smalls / (large / small)))
  return `${whole} ${name}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
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

/** Never 0. */
export function secondsOf({ from, to }: Stretch): number {
  return Math.max(0.001, to - from)
}

export function rowsASecond(stretch: Stretch): number {
  return stretch.rows / secondsOf(stretch)
}

export function retriesOf({ retries }: Stretch): number {
  return total(Object.values(retries), (count) => count)
}

/** Sums a number of each of some things. */
export function total<T>(things: readonly T[], numberOf: (thing: T) => number): number {
  return things.reduce((sum, thing) => sum + numberOf(thing), 0)
}

/** Whether the run read topics, not streams. */
export function isOfTopics({ command }: Pick<Summary, 'command'>): boolean {
  return command.startsWith('stream')
}

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element's content or an attribute's value in double quotes. */
export function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (sign) => NAMES[sign]!)
}
