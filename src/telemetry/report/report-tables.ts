// Makes the tables of a report: streams or topics, rejected records, outages, changes, the run over time, limits. Pure. Each is HTML with
// its heading; '' when it would show nothing but zeros or defaults.

import { counted, thousands } from '../../text/figures.ts'
import { shortened } from '../../text/printable.ts'
import { COUNTS, reportCounts, TITLES } from '../../run/counts.ts'
import { changeWords } from '../summary/compare-summaries.ts'
import type { Summary, SummaryRow } from '../summary/summary-schema.ts'
import { figure, escaped, nounOf, retriesOf, roundedSpan, rowsASecond } from './report-figures.ts'
import { secondsOf, total, type ReportUnit, type Stretch } from './report-figures.ts'

/** Makes a table in HTML. The first cell of a row is its heading. On a narrow screen each row is a paragraph, whose cells say what they are.
 *  @param texts headings of the columns of text, whose class is `t`
 *  @param figures headings of the columns behind them, whose cells are set on the right
 *  @param rows cells that are HTML
 *  @param sums cells of the total, if there is one */
function tableOf(
  texts: readonly string[],
  figures: readonly string[],
  rows: readonly (readonly string[])[],
  sums?: readonly string[],
): string {
  const headings = [...texts, ...figures]
  const classOf = (column: number): string => (column < texts.length ? ' class="t"' : '')
  const line = ([first, ...cells]: readonly string[]): string => {
    const others = cells.map((text, at) => `<td${classOf(at + 1)} data-of="${headings[at + 1]!}">${text}</td>`)
    return `<tr><th scope="row" class="t">${first!}</th>${others.join('')}</tr>`
  }
  const head = headings.map((heading, at) => `<th scope="col"${classOf(at)}>${heading}</th>`).join('')
  const foot = sums ? line(sums) : ''
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.map(line).join('')}</tbody><tfoot>${foot}</tfoot></table>`
}

/** Most streams or topics that are shown, for a page must stay small. */
const MOST_ROWS = 200
/** Most characters of a name that are shown. */
const LONGEST_NAME = 200

/** Shows streams or topics with their total; those with the most records, if there are too many. */
export function rowsTable(summary: Summary): string {
  const { rows, total: sums, lag, samples, ended } = summary
  if (rows.length === 0) return ''
  const noun = nounOf(summary)
  const countNames = reportCounts([sums, ...rows.map(({ counts }) => counts)])
  const hasLag = lag !== null
  const byRecords = rows.toSorted((a, b) => (b.counts.records ?? 0) - (a.counts.records ?? 0))
  const shown = new Set(byRecords.slice(0, MOST_ROWS))
  const leftOut = rows.length - shown.size
  // samples count the rows delivered to any table, the total only those of the tables in this one
  const sentElsewhere = total(samples, (sample) => sample.rows) - (sums.rows ?? 0)
  const line = (row: Pick<SummaryRow, 'name' | 'table' | 'counts' | 'lag'>): string[] => [
    name(row.name),
    name(row.table),
    ...countNames.map((count) => number(row.counts[count])),
    ...(hasLag ? [number(row.lag ?? undefined)] : []),
  ]
  const notes = [
    ...(leftOut > 0 ? [`${counted(leftOut, noun)} with fewer records only in the total.`] : []),
    // while the run goes on, samples may be newer than the total
    ...(sentElsewhere > 0 && ended !== null
      ? [`${counted(sentElsewhere, 'row')} more went to other tables, such as that of rejected records.`]
      : []),
    ...(hasLag ? ['Lag: of the partitions this member had last.'] : []),
  ]
  const figures = [...countNames.map((count) => COUNTS[count].heading), ...(hasLag ? ['Lag'] : [])]
  const sumLine = line({ name: 'Total', table: null, counts: sums, lag })
  const table = tableOf([TITLES[noun], 'Table'], figures, rows.filter((row) => shown.has(row)).map(line), sumLine)
  return `<h2>${TITLES[noun]}s</h2>${table}${notes.map((note) => `<p class="note">${note}</p>`).join('')}`
}

interface TimeColumn {
  readonly heading: string
  readonly unit: ReportUnit
  /** Returns the value of a stretch. `null` when it has none. */
  readonly find: (stretch: Stretch) => number | null
  /** Whether the column is left out where no stretch has more than 0. */
  readonly isSeldom?: true
}

const OVER_TIME: readonly TimeColumn[] = [
  { heading: 'Rows/s', unit: 'count', find: rowsASecond },
  { heading: 'Requests/s', unit: 'count', find: (it) => it.requests / secondsOf(it) },
  { heading: 'Bytes/s', unit: 'bytes', find: (it) => it.bytes / secondsOf(it) },
  { heading: 'A request took', unit: 'time', find: requestMs },
  { heading: 'In flight', unit: 'count', find: (it) => it.in_flight },
  { heading: 'Permits', unit: 'count', find: (it) => it.permits },
  { heading: 'Rate limit', unit: 'count', find: (it) => it.rate_limit, isSeldom: true },
  { heading: 'Retries', unit: 'count', find: retriesOf, isSeldom: true },
  { heading: 'Outage', unit: 'time', find: (it) => it.outage_seconds * 1000, isSeldom: true },
]

/** Returns the mean duration of the attempts. `null` when none reached the service: a connection that fails says nothing about answers. */
function requestMs(stretch: Stretch): number | null {
  const { attempts, retries, in_flight: inFlight } = stretch
  return attempts > retries.network ? (inFlight * secondsOf(stretch) * 1000) / attempts : null
}

/** Shows each stretch of the run as a row, in a part of the page that is folded at first. */
export function timeTable({ samples }: Summary): string {
  if (samples.length === 0) return ''
  const columns = OVER_TIME.filter(
    ({ find, isSeldom }) => isSeldom !== true || samples.some((it) => (find(it) ?? 0) > 0),
  )
  const rows = samples.map((it) => [
    escaped(`${roundedSpan(it.from * 1000)} – ${roundedSpan(it.to * 1000)}`),
    ...columns.map(({ find, unit }) => {
      const value = find(it)
      return value === null ? '–' : escaped(figure(value, unit))
    }),
  ])
  const figures = columns.map(({ heading }) => heading)
  const table = tableOf(['When'], figures, rows)
  return `<details><summary>${counted(samples.length, 'stretch', 'stretches')} in figures</summary>${table}</details>`
}

export function rejectsTable({ rejected }: Summary): string {
  if (rejected.length === 0) return ''
  const rows = rejected.map((one) => [
    name(one.name),
    name(one.table),
    one.by === 'rejected' ? 'the connector' : 'the service',
    escaped(one.reason),
    escaped(one.first),
    number(one.records),
  ])
  const table = tableOf(['From', 'Table', 'Rejected by', 'Reason', 'First at'], ['Records'], rows)
  return `<h2>Rejected records</h2>${table}<p class="note">Superseded ones included. This report shows no record, no key and no words of the service, because they may contain data.</p>`
}

export function outagesTable({ outages, written }: Summary): string {
  if (outages.length === 0) return ''
  const rows = outages.map(({ from, to, cause, host }) => [
    clock(from),
    to === null ? 'not over' : clock(to),
    escaped(host),
    escaped(cause),
    escaped(roundedSpan(Date.parse(to ?? written) - Date.parse(from))),
  ])
  return `<h2>Outages</h2>${tableOf(['From', 'To', 'Server', 'Cause'], ['Length'], rows)}`
}

/** The time of a moment in a summary: "14:29:43". */
export function clock(moment: string): string {
  return moment.slice(11, 19)
}

export function changesList({ command, changes }: Summary): string {
  if (changes === null || changes.length === 0) return ''
  const list = changeWords(changes, nounOf({ command })).map((words) => `<li>${escaped(words)}</li>`)
  return `<h2>Changes since the earlier run</h2><ul>${list.join('')}</ul>`
}

export function limitsTable({ limits }: Summary): string {
  if (limits.length === 0) return ''
  const rows = limits.map(({ option, title, value }) => [
    escaped(option).replaceAll('_', '_<wbr>'),
    escaped(title),
    escaped(value),
  ])
  return `<h2>Limits that were set</h2>${tableOf(['Option', 'What it is', 'Value'], [], rows)}`
}

function name(text: string | null): string {
  return text === null ? '–' : escaped(shortened(text, LONGEST_NAME))
}

function number(value: number | undefined): string {
  return value === undefined ? '–' : thousands(value)
}
