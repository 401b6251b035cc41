// The tables of a report: streams or topics, rejected records, outages, changes, the run over time, retries, limits. Pure. A table
// with nothing but zeros or defaults is left out.

import type { RetryCause } from '../../core/types.ts'
import { counted, thousands } from '../../text/figures.ts'
import { shortened } from '../../text/printable.ts'
import { ALL_COUNTS } from '../counts.ts'
import { changeWords } from '../summary/compare-summaries.ts'
import type { Summary, SummaryRow } from '../summary/summary-schema.ts'
import { figure, html, retriesOf, roundedSpan, rowsASecond, secondsOf } from './report-figures.ts'
import type { ReportUnit } from './report-figures.ts'

interface TableParts {
  readonly caption: string
  /** HTML, as are cells. */
  readonly headings: readonly string[]
  /** The first this many columns are text; the rest are right-aligned figures. */
  readonly texts: number
  /** The first cell of each is its row heading. */
  readonly rows: readonly (readonly string[])[]
  readonly total?: readonly string[] | undefined
}

/** In a frame that scrolls sideways on a narrow screen. */
function tableOf({ caption, headings, texts, rows, total }: TableParts): string {
  const look = (column: number): string => (column < texts ? ' class="t"' : '')
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, column) =>
        column === 0 ? `<th scope="row"${look(0)}>${text}</th>` : `<td${look(column)}>${text}</td>`,
      )
      .join('')
  const head = headings.map((heading, at) => `<th scope="col"${look(at)}>${heading}</th>`).join('')
  const body = rows.map((row) => `<tr>${line(row)}</tr>`).join('')
  const foot = total ? `<tfoot><tr>${line(total)}</tr></tfoot>` : ''
  // focusable, so that it can be scrolled by keyboard
  return (
    `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><caption>${html(caption)}</caption>` +
    `<thead><tr>${head}</tr></thead><tbody>${body}</tbody>${foot}</table></div>`
  )
}

/** Rows shown; a page must stay small. */
const MOST = 200
/** Length of a name. */
const NAME = 200

/** If there are too many rows, those with the most records. */
export function rowsTable({ rows, total, lag, command, samples, ended }: Summary): string {
  if (rows.length === 0) return ''
  const noun = command.startsWith('stream') ? 'topic' : 'stream'
  const known = ALL_COUNTS.filter(
    ([count, { report }]) =>
      report === 'always' ||
      (report === 'if above 0' && [{ counts: total }, ...rows].some(({ counts }) => (counts[count] ?? 0) > 0)),
  )
  const most = new Set(rows.toSorted((a, b) => (b.counts.records ?? 0) - (a.counts.records ?? 0)).slice(0, MOST))
  const left = rows.length - most.size
  const line = (row: Pick<SummaryRow, 'name' | 'table' | 'counts' | 'lag'>): string[] => [
    name(row.name),
    name(row.table),
    ...known.map(([count]) => number(row.counts[count])),
    ...(lag === null ? [] : [number(row.lag ?? undefined)]),
  ]
  const others = samples.reduce((sum, sample) => sum + sample.rows, -(total.rows ?? 0))
  const notes = [
    'Rows sent: those the service has acknowledged.',
    ...(known.some(([count]) => count === 'superseded')
      ? ['Superseded: records that a newer one of the same row replaced before they were sent.']
      : []),
    'Checkpoints: those committed.',
    ...(lag === null
      ? []
      : ['Lag: records between what is settled and the ends of the partitions this member had last.']),
    ...(others > 0 && ended !== null
      ? [`${counted(others, 'row')} more went to other tables, such as that of rejected records.`]
      : []),
  ]
  const table = tableOf({
    caption: `Records by ${noun}${left > 0 ? `; ${counted(left, noun)} with fewer records only in the total` : ''}`,
    headings: [
      noun === 'stream' ? 'Stream' : 'Topic',
      'Table',
      ...known.map(([, { heading }]) => heading),
      ...(lag === null ? [] : ['Lag']),
    ],
    texts: 2,
    rows: rows.filter((row) => most.has(row)).map(line),
    total: line({ name: 'Total', table: null, counts: total, lag }),
  })
  return `<h2>${noun === 'stream' ? 'Streams' : 'Topics'}</h2>${table}<p class="note">${notes.join(' ')}</p>`
}

const CAUSES: readonly (readonly [cause: RetryCause, words: string])[] = [
  ['throttled', 'throttled (429)'],
  ['server', 'server fault (5xx, 408)'],
  ['network', 'network'],
  ['timeout', 'timeout'],
]

type Stretch = Summary['samples'][number]

type TimeColumn = readonly [heading: string, of: (stretch: Stretch) => number | null, unit: ReportUnit, seldom?: true]

/** Seldom: left out where there is nothing of it. */
const OVER_TIME: readonly TimeColumn[] = [
  ['Rows/s', rowsASecond, 'count'],
  ['Requests/s', (it) => it.requests / secondsOf(it), 'count'],
  ['Bytes/s', (it) => it.bytes / secondsOf(it), 'bytes'],
  ['A request', (it) => (it.attempts > 0 ? (it.in_flight * secondsOf(it) * 1000) / it.attempts : null), 'time'],
  ['In flight', (it) => it.in_flight, 'count'],
  ['Permits', (it) => it.permits, 'count'],
  ['Rate limit', (it) => it.rate_limit, 'count', true],
  ['Retries', retriesOf, 'count', true],
  ['Paused', (it) => it.paused_seconds * 1000, 'time', true],
  ['Outage', (it) => it.outage_seconds * 1000, 'time', true],
]

/** A row for each stretch, folded. */
export function timeTable({ samples }: Summary): string {
  if (samples.length === 0) return ''
  const columns = OVER_TIME.filter(([, of, , seldom]) => seldom !== true || samples.some((it) => (of(it) ?? 0) > 0))
  const table = tableOf({
    caption: 'A request: from its start to its answer, on average. Rate limit: requests a second, as learnt',
    headings: ['When', ...columns.map(([heading]) => heading)],
    texts: 1,
    rows: samples.map((it) => [
      html(`${roundedSpan(it.from * 1000)} – ${roundedSpan(it.to * 1000)}`),
      ...columns.map(([, of, unit]) => rounded(of(it), unit)),
    ]),
  })
  return `<details><summary>${counted(samples.length, 'stretch', 'stretches')} in figures</summary>${table}</details>`
}

/** A short figure, with the whole number as a tooltip. */
function rounded(value: number | null, unit: ReportUnit): string {
  if (value === null) return '–'
  const [short, whole] = [html(figure(value, unit)), thousands(Math.round(value))]
  return unit === 'time' || value < 1000
    ? short
    : `<span title="${whole}${unit === 'bytes' ? ' bytes' : ''}">${short}</span>`
}

export function rejectsTable({ rejected }: Summary): string {
  if (rejected.length === 0) return ''
  const table = tableOf({
    caption: 'Rejected records by reason, superseded ones included',
    headings: ['From', 'Table', 'Rejected by', 'Reason', 'First at', 'Records'],
    texts: 5,
    rows: rejected.map((one) => [
      name(one.name),
      name(one.table),
      one.by === 'rejected' ? 'the connector' : 'the service',
      html(one.reason),
      html(one.first),
      number(one.records),
    ]),
  })
  return `<h2>Rejected records</h2>${table}<p class="note">This report shows no record, no key and no words of the service, because they may contain data.</p>`
}

export function outagesTable({ outages, written }: Summary): string {
  if (outages.length === 0) return ''
  const rows = outages.map(({ from, to, cause, host }) => [
    clock(from),
    to === null ? 'not over' : clock(to),
    html(host),
    html(cause),
    html(roundedSpan(Date.parse(to ?? written) - Date.parse(from))),
  ])
  const headings = ['From', 'To', 'Server', 'Cause', 'Length']
  return `<h2>Outages</h2>${tableOf({ caption: 'Those that were logged, at most the last 100; times are UTC', headings, texts: 4, rows })}`
}

/** "14:29:43", of a moment in a summary. */
export function clock(moment: string): string {
  return moment.slice(11, 19)
}

export function changesList({ changes }: Summary): string {
  if (changes === null || changes.length === 0) return ''
  return `<h2>Changes since the earlier run</h2><ul>${changeWords(changes)
    .map((words) => `<li>${html(words)}</li>`)
    .join('')}</ul>`
}

export function retriesTable({ samples }: Summary): string {
  const attempts = samples.reduce((sum, sample) => sum + sample.attempts, 0)
  const rows = CAUSES.flatMap(([cause, words]) => {
    const count = samples.reduce((sum, { retries }) => sum + retries[cause], 0)
    const share = attempts === 0 ? '–' : `${((100 * count) / attempts).toFixed(1)} %`
    return count === 0 ? [] : [[html(words), number(count), share]]
  })
  if (rows.length === 0) return ''
  const caption = `Retries by cause, of ${counted(attempts, 'attempt')}`
  return `<h2>Retries</h2>${tableOf({ caption, headings: ['Cause', 'Retries', 'Of all attempts'], texts: 1, rows })}`
}

export function limitsTable({ limits }: Summary): string {
  if (limits.length === 0) return ''
  const rows = limits.map(({ option, title, value }) => [
    html(option).replaceAll('_', '_<wbr>'),
    html(title),
    html(value),
  ])
  const headings = ['Option', 'What it is', 'Value']
  return `<h2>Limits</h2>${tableOf({ caption: 'Options that differ from their default', headings, texts: 3, rows })}`
}

function name(text: string | null): string {
  return text === null ? '–' : html(shortened(text, NAME))
}

function number(value: number | undefined): string {
  return value === undefined ? '–' : thousands(value)
}
