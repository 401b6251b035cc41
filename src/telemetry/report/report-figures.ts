// Figures of a report in words: spans of time, sizes, and the limits of a run by the names of their options, nothing of them
// secret.

import type { LimitsConfig } from '../../config/write/write-load.ts'
import { counted, thousands } from '../../text/figures.ts'
import type { ReportLimits } from './report.ts'

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
const COUNTS = ['', 'k', 'M', 'G', 'T', 'P']
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** What a figure is a number of; time: milliseconds. */
export type ReportUnit = 'count' | 'bytes' | 'time'

/** Short: three digits that count. */
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
  // what would round up to the next unit is shown in it
  while (power < names.length - 1 && value / base ** power >= base - 0.5) power++
  return `${digits(value / base ** power)} ${names[power]!}`.trimEnd()
}

function digits(value: number): string {
  if (value >= 100) return thousands(Math.round(value))
  return String(Number(value.toPrecision(value < 1 ? 2 : 3)))
}

/** @param defaults what holds where a config says nothing
 *  @param more values and defaults by option, in milliseconds; their names end in _seconds */
export function reportLimits(
  limits: LimitsConfig,
  defaults: LimitsConfig,
  more: Readonly<Record<string, readonly [ms: number, byDefault: number]>> = {},
): ReportLimits {
  const { concurrency, maxRequestsPerSecond } = limits
  const usual = new Map(limitWords(defaults))
  const changed = [
    ...limitWords(limits).filter(([option, words]) => usual.get(option) !== words),
    ...Object.entries(more).flatMap(([option, [ms, byDefault]]) =>
      ms === byDefault ? [] : [[option, inSeconds(ms)] as const],
    ),
  ]
  return { changed, concurrency, maxRequestsPerSecond }
}

function limitWords(limits: LimitsConfig): (readonly [option: string, words: string])[] {
  const { concurrency, maxRequestsPerSecond } = limits
  return [
    ['max_points', `${counted(limits.maxPoints, 'point')} a request`],
    ['max_request_bytes', counted(limits.maxRequestBytes, 'byte')],
    ['max_wait_ms', `${thousands(limits.maxWaitMs)} ms`],
    ['buffer_bytes', counted(limits.bufferBytes, 'byte')],
    [
      'concurrency',
      concurrency === undefined ? 'found out as it goes' : `${counted(concurrency, 'request')} in flight`,
    ],
    ['max_requests_per_second', maxRequestsPerSecond === undefined ? 'no limit' : thousands(maxRequestsPerSecond)],
    ['request_timeout_seconds', inSeconds(limits.requestTimeoutMs)],
    ['retry_for_seconds', inSeconds(limits.retryForMs)],
    ['late_write_guard_seconds', inSeconds(limits.lateWriteGuardMs)],
  ]
}

function inSeconds(ms: number): string {
  return `${ms / 1000} s`
}
