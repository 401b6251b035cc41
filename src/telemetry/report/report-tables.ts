// The tables of a report: streams or topics, rejected records, retries, waits, limits. Pure.

import { counted, thousands } from '../../text/figures.ts'
import { shortened } from '../../text/printable.ts'
import { CAUSES } from './report-charts.ts'
import type { ReportData, ReportEndWaits, ReportRecord, ReportRow } from './report-data.ts'
import { roundedSpan } from './report-figures.ts'
import { html, tableOf } from './report-html.ts'

/** Rows that are shown; a page must stay small. */
const MOST = 200
/** Characters of a name. */
const NAME = 200

const COLUMNS: readonly (readonly [heading: string, of: (row: ReportRow) => number | bigint | undefined])[] = [
  ['Records', (row) => row.records],
  ['Delivered', (row) => row.delivered],
  ['Superseded', (row) => row.superseded],
  ['Rejected', (row) => row.rejected],
  ['Ignored', (row) => row.ignored],
  ['Not settled', (row) => row.unsettled],
  ['Lag', (row) => row.lag],
  ['Checkpoints', (row) => row.checkpoints],
]

const END_WAITS: readonly (readonly [wait: keyof ReportEndWaits, words: string])[] = [
  ['answers', 'answers to what was sent'],
  ['guard', 'the late-write guard: newer values of keys whose last attempt may still arrive'],
  ['pause', 'the end of a pause the service had asked for'],
  ['retries', 'the time of the next attempt'],
  ['rest', 'checkpoints and kept records, or what comes in less than a second'],
]

/** Those with the most records if there are too many. */
export function rowsTable({ table, noun, record }: ReportData): string {
  if (!table) return ''
  const { rows, total } = table
  const known = COLUMNS.filter(([, of]) => of(total) !== undefined || rows.some((row) => of(row) !== undefined))
  const most = rows.length > MOST ? new Set(rows.toSorted((a, b) => b.records - a.records).slice(0, MOST)) : undefined
  const shown = most ? rows.filter((row) => most.has(row)) : rows
  const left = rows.length - shown.length
  const line = (row: ReportRow): string[] => [
    name(row.name),
    row.table === undefined ? '–' : name(row.table),
    ...known.map(([, of]) => number(of(row))),
  ]
  const caption = `Records by ${noun}${left > 0 ? `; ${counted(left, noun)} with fewer records only in the total` : ''}`
  const others = (record?.samples ?? []).reduce((sum, { points }) => sum + points, -(total.delivered ?? 0))
  const beside =
    others > 0 ? ` ${counted(others, 'point')} more went to other tables: that of rejected records, say.` : ''
  const headings = [noun === 'stream' ? 'Stream' : 'Topic', 'Table', ...known.map(([heading]) => heading)]
  const behind =
    total.lag === undefined
      ? ''
      : ' Lag: records between what is settled and the ends of the partitions this member had last.'
  return `<h2>${noun === 'stream' ? 'Streams' : 'Topics'}</h2>${tableOf({ caption, headings, texts: 2, rows: shown.map(line), total: line(total) })}<p class="note">Delivered: points the service has acknowledged. Superseded: records that a newer one of the same row replaced before they were sent. Checkpoints: those committed.${behind}${beside}</p>`
}

export function rejectsTable({ rejects }: ReportRecord): string {
  if (rejects.length === 0) return ''
  const rows = rejects.map((reject) => [
    name(reject.name),
    reject.table === undefined ? '–' : name(reject.table),
    html(reject.by),
    html(reject.reason),
    number(reject.records),
  ])
  const headings = ['From', 'Table', 'Rejected by', 'Reason', 'Records']
  return `<h2>Rejected records</h2>${tableOf({ caption: 'Rejected records by place and reason, superseded ones included', headings, texts: 4, rows })}<p class="note">No record, no key and none of the service’s own words are shown, for these may repeat what was in a record. They are in the log, and with the records where these are kept.</p>`
}

export function retriesTable({ samples }: ReportRecord): string {
  const sums = CAUSES.map(
    ([cause, words]) => [words, samples.reduce((sum, { retries }) => sum + retries[cause], 0)] as const,
  )
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

/** Pauses, and what the end waited for. */
export function waitsText({ record, elapsedMs }: ReportData): string {
  if (!record) return ''
  const { pauses, readUntil, endWaits } = record
  const paused =
    pauses.count === 0
      ? 'The service asked for no pause.'
      : `The service asked for ${counted(pauses.count, 'pause')}, ${roundedSpan(pauses.ms)} in all.`
  if (readUntil === undefined) return `<p>${html(paused)} Records were still being read.</p>`
  const parts = END_WAITS.filter(([wait]) => endWaits[wait] > 0)
  const end = `Reading ended after ${roundedSpan(readUntil)}, and the run ${roundedSpan(Math.max(0, elapsedMs - readUntil))} later.`
  if (parts.length === 0) return `<p>${html(`${paused} ${end}`)}</p>`
  const rows = parts.map(([wait, words]) => [html(words), html(roundedSpan(endWaits[wait]))])
  const table = tableOf({
    caption: 'What the end waited for, looked at once a second',
    headings: ['For', 'Time'],
    texts: 1,
    rows,
  })
  return `<p>${html(`${paused} ${end}`)}</p>${table}`
}

export function limitsTable({ limits }: ReportData): string {
  if (limits.length === 0) return ''
  const rows = limits.map(([option, value]) => [html(option).replaceAll('_', '_<wbr>'), html(value)])
  return `<h2>Limits</h2>${tableOf({ caption: 'As configured, or by default', headings: ['Option', 'Value'], texts: 2, rows })}`
}

function name(text: string): string {
  return html(shortened(text, NAME))
}

function number(value: number | bigint | undefined): string {
  return value === undefined ? '–' : thousands(value)
}
