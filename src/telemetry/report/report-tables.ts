// The tables of a report: streams or topics, the run over time with bars, rejected records, retries, waits, limits. Pure. A table
// with nothing but zeros or defaults is left out.

import type { RetryCause } from '../../core/types.ts'
import { counted, thousands } from '../../text/figures.ts'
import { printable, shortened } from '../../text/printable.ts'
import { ALL_COUNTS } from '../counts.ts'
import type { RunRow } from '../counts.ts'
import { figure, roundedSpan } from './report-figures.ts'
import type { ReportLatency } from './report-samples.ts'
import type { ReportData, ReportEndWaits, ReportRecord, ReportSample } from './report.ts'

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element's content or an attribute's value in double quotes. */
export function html(text: string): string {
  return printable(text).replace(/[&<>"']/g, (sign) => NAMES[sign]!)
}

/** HTML, perhaps with a bar behind it; `bar` is a share of the cell's width. */
type Cell = string | { readonly text: string; readonly bar: number }

interface TableParts {
  /** HTML, as are headings and cells. */
  readonly caption: string
  readonly headings: readonly string[]
  /** The first this many columns are text; the rest are right-aligned figures. */
  readonly texts: number
  /** The first cell of each is its row heading. */
  readonly rows: readonly (readonly Cell[])[]
  readonly total?: readonly string[] | undefined
}

/** Bars have this many steps, each a class: the page's policy forbids inline styles. */
const BAR_STEPS = 20
export const BAR_STYLE = Array.from(
  { length: BAR_STEPS },
  (_, step) => `.b${step + 1}{background-size:${((step + 1) * 100) / BAR_STEPS}% 100%}`,
).join('')

/** In a frame that scrolls on a narrow screen. */
function tableOf({ caption, headings, texts, rows, total }: TableParts): string {
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, column) => {
        const [text, bar] = typeof cell === 'string' ? [cell, 0] : [cell.text, Math.ceil(cell.bar * BAR_STEPS)]
        const look = column < texts ? ' class="t"' : bar > 0 ? ` class="b b${Math.min(BAR_STEPS, bar)}"` : ''
        return column === 0 ? `<th scope="row"${look}>${text}</th>` : `<td${look}>${text}</td>`
      })
      .join('')
  const head = headings
    .map((heading, at) => `<th scope="col"${at < texts ? ' class="t"' : ''}>${heading}</th>`)
    .join('')
  const body = rows.map((row) => `<tr>${line(row)}</tr>`).join('')
  const foot = total ? `<tfoot><tr>${line(total)}</tr></tfoot>` : ''
  // focusable, so that it can be scrolled by keyboard
  return (
    `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><caption>${caption}</caption>` +
    `<thead><tr>${head}</tr></thead><tbody>${body}</tbody>${foot}</table></div>`
  )
}

/** Rows shown; a page must stay small. */
const MOST = 200
/** Length of a name. */
const NAME = 200

/** If there are too many rows, those with the most records. */
export function rowsTable({ table, noun, record }: ReportData): string {
  if (!table) return ''
  const { rows, total } = table
  const known = ALL_COUNTS.filter(
    ([count, { report }]) =>
      report === 'always' ||
      (report === 'if above 0' && [total, ...rows].some(({ counts }) => (counts[count] ?? 0) > 0)),
  )
  const hasLag = total.lag !== undefined
  const most =
    rows.length > MOST
      ? new Set(rows.toSorted((a, b) => (b.counts.records ?? 0) - (a.counts.records ?? 0)).slice(0, MOST))
      : undefined
  const shown = most ? rows.filter((row) => most.has(row)) : rows
  const left = rows.length - shown.length
  const line = (row: RunRow): string[] => [
    name(row.name),
    row.table === undefined ? '–' : name(row.table),
    ...known.map(([count]) => number(row.counts[count])),
    ...(hasLag ? [number(row.lag)] : []),
  ]
  const caption = `Records by ${noun}${left > 0 ? `; ${counted(left, noun)} with fewer records only in the total` : ''}`
  const others = (record?.samples ?? []).reduce((sum, { points }) => sum + points, -(total.counts.rows ?? 0))
  const notes = [
    'Rows sent: those the service has acknowledged.',
    ...(known.some(([count]) => count === 'superseded')
      ? ['Superseded: records that a newer one of the same row replaced before they were sent.']
      : []),
    'Checkpoints: those committed.',
    ...(hasLag ? ['Lag: records between what is settled and the ends of the partitions this member had last.'] : []),
    ...(others > 0 ? [`${counted(others, 'row')} more went to other tables, such as that of rejected records.`] : []),
  ]
  const headings = [
    noun === 'stream' ? 'Stream' : 'Topic',
    'Table',
    ...known.map(([, { heading }]) => heading),
    ...(hasLag ? ['Lag'] : []),
  ]
  return `<h2>${noun === 'stream' ? 'Streams' : 'Topics'}</h2>${tableOf({ caption, headings, texts: 2, rows: shown.map(line), total: line(total) })}<p class="note">${notes.join(' ')}</p>`
}

/** In display order. */
const CAUSES: readonly (readonly [cause: RetryCause, words: string])[] = [
  ['throttled', 'throttled (429)'],
  ['server', 'server fault (5xx, 408)'],
  ['network', 'network'],
  ['timeout', 'timeout'],
]

export function retriesOf({ retries }: ReportSample): number {
  return CAUSES.reduce((total, [cause]) => total + retries[cause], 0)
}

interface TimeColumn {
  readonly heading: string
  /** undefined: there is none. */
  readonly of: (sample: ReportSample, seconds: number) => number | undefined
  readonly unit: 'count' | 'bytes' | 'time'
  readonly hasBars?: true
  /** Left out if it is always 0. */
  readonly isSeldom?: true
}

const latency = (of: keyof ReportLatency) => (sample: ReportSample) => sample.latency?.[of]

const permitsOf = ({ permitMs }: ReportSample, seconds: number): number => permitMs / 1000 / seconds

const OVER_TIME: readonly TimeColumn[] = [
  { heading: 'Rows/s', of: ({ points }, seconds) => points / seconds, unit: 'count', hasBars: true },
  { heading: 'Requests/s', of: ({ requests }, seconds) => requests / seconds, unit: 'count' },
  { heading: 'Bytes/s', of: ({ bytes }, seconds) => bytes / seconds, unit: 'bytes' },
  { heading: 'Latency p50', of: latency('p50'), unit: 'time' },
  { heading: 'p95', of: latency('p95'), unit: 'time', hasBars: true },
  { heading: 'In flight', of: ({ inFlightMs }, seconds) => inFlightMs / 1000 / seconds, unit: 'count', hasBars: true },
  { heading: 'Permits', of: permitsOf, unit: 'count' },
  { heading: 'Retries', of: retriesOf, unit: 'count', hasBars: true, isSeldom: true },
  { heading: 'Paused', of: ({ pausedMs }) => pausedMs, unit: 'time', isSeldom: true },
]

/** A row per sample. */
export function timeTable({ samples }: ReportRecord): string {
  if (samples.length === 0) return ''
  const values = OVER_TIME.map((column) => {
    const all = samples.map((sample) => column.of(sample, secondsOf(sample)))
    return { column, all, most: Math.max(0, ...all.map((value) => value ?? 0)) }
  }).filter(({ column, most }) => column.isSeldom !== true || most > 0)
  // the bar of requests in flight is relative to the permits
  const permits = Math.max(...samples.map((sample) => permitsOf(sample, secondsOf(sample))))
  const rows = samples.map(({ from, to }, at): Cell[] => [
    html(`${roundedSpan(from)} – ${roundedSpan(to)}`),
    ...values.map(({ all, most, column: { unit, hasBars, heading } }): Cell => {
      const value = all[at]
      const text = value === undefined ? '–' : rounded(value, unit)
      const full = heading === 'In flight' ? Math.max(most, permits) : most
      return hasBars === true && value !== undefined && full > 0 ? { text, bar: value / full } : text
    }),
  ])
  const table = tableOf({
    caption: 'A row for each stretch of the run. A full bar is the highest value of its column; in flight, the permits',
    headings: ['When', ...values.map(({ column }) => column.heading)],
    texts: 1,
    rows,
  })
  return `<h2>Over time</h2>${table}`
}

/** Never 0. */
function secondsOf({ from, to }: ReportSample): number {
  return Math.max(1, to - from) / 1000
}

/** A short figure, with the whole number as a tooltip. */
export function rounded(value: number, unit: TimeColumn['unit']): string {
  const [short, whole] = [html(figure(value, unit)), thousands(Math.round(value))]
  return unit === 'time' || value < 1000
    ? short
    : `<span title="${whole}${unit === 'bytes' ? ' bytes' : ''}">${short}</span>`
}

export function rejectsTable({ rejects, rejectsPlace: place }: ReportData): string {
  if (rejects.length === 0) return ''
  const rows = rejects.map((reject) => [
    name(reject.name),
    reject.table === undefined ? '–' : name(reject.table),
    reject.by === 'rejected' ? 'the connector' : 'the service',
    html(reject.reason),
    number(reject.records),
  ])
  const headings = ['From', 'Table', 'Rejected by', 'Reason', 'Records']
  const kept = place === undefined ? 'The log names the record.' : `The records are kept in ${html(place)}.`
  return `<h2>Rejected records</h2>${tableOf({ caption: 'Rejected records by stream or topic and reason, superseded ones included', headings, texts: 4, rows })}<p class="note">${kept} This report shows no record, no key and no words of the service, because they may contain data.</p>`
}

export function retriesTable({ samples }: ReportRecord): string {
  const sums = CAUSES.map(
    ([cause, words]) => [words, samples.reduce((sum, { retries }) => sum + retries[cause], 0)] as const,
  ).filter(([, count]) => count > 0)
  if (sums.length === 0) return ''
  const attempts = samples.reduce((sum, sample) => sum + sample.attempts, 0)
  const total = sums.reduce((sum, [, count]) => sum + count, 0)
  const share = (count: number): string => (attempts === 0 ? '–' : `${((100 * count) / attempts).toFixed(1)} %`)
  const line = (words: string, count: number): string[] => [html(words), number(count), share(count)]
  return tableOf({
    caption: `Retries by cause, of ${counted(attempts, 'attempt')}`,
    headings: ['Cause', 'Retries', 'Of all attempts'],
    texts: 1,
    rows: sums.map(([words, count]) => line(words, count)),
    total: line('Total', total),
  })
}

const END_WAITS: readonly (readonly [wait: keyof ReportEndWaits, words: string])[] = [
  ['answers', 'answers to what was sent'],
  ['guard', 'the late-write guard: newer values of keys whose last attempt may still arrive'],
  ['pause', 'the end of a pause the service had asked for'],
  ['retries', 'the time of the next attempt'],
  ['rest', 'checkpoints and kept records, or what comes in less than a second'],
]
/** Shorter waits get no row. */
const LEAST_WAIT_MS = 1000

/** Pauses, and what the end waited for; '' if there was neither. */
export function waitsText({ record, elapsedMs }: ReportData): string {
  if (!record) return ''
  const { pauses, readUntil, endWaits } = record
  const endMs = readUntil === undefined ? 0 : Math.max(0, elapsedMs - readUntil)
  const sentences = [
    ...(pauses.count === 0
      ? []
      : [`The service asked for ${counted(pauses.count, 'pause')}, ${roundedSpan(pauses.ms)} in all.`]),
    ...(endMs < LEAST_WAIT_MS
      ? []
      : [`Reading ended after ${roundedSpan(elapsedMs - endMs)}, and the run ${roundedSpan(endMs)} later.`]),
  ]
  const text = sentences.length === 0 ? '' : `<p>${html(sentences.join(' '))}</p>`
  const rows = END_WAITS.filter(([wait]) => endWaits[wait] >= LEAST_WAIT_MS).map(([wait, words]) => [
    html(words),
    html(roundedSpan(endWaits[wait])),
  ])
  if (rows.length === 0) return text
  const caption = 'What the end waited for, looked at once a second'
  return `${text}${tableOf({ caption, headings: ['For', 'Time'], texts: 1, rows })}`
}

export function limitsTable({ limits }: ReportData): string {
  if (limits === undefined || limits.changed.length === 0) return ''
  const rows = limits.changed.map(([option, title, value]) => [
    html(option).replaceAll('_', '_<wbr>'),
    html(title),
    html(value),
  ])
  return `<h2>Limits</h2>${tableOf({ caption: 'Options that differ from their default', headings: ['Option', 'What it is', 'Value'], texts: 3, rows })}`
}

function name(text: string): string {
  return html(shortened(text, NAME))
}

function number(value: number | bigint | undefined): string {
  return value === undefined ? '–' : thousands(value)
}
