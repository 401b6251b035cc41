// A run report as a page that stands alone: no script, nothing from elsewhere, every text escaped. Pure; what the texts may
// say is decided before (report-scrub.ts, report-rejects.ts, report-ending.ts).

import { createHash } from 'node:crypto'
import { counted, thousands } from '../../text/figures.ts'
import { CAUSES, reportCharts, reportFigures } from './report-charts.ts'
import type { ReportData, ReportEnd, ReportSample } from './report-data.ts'
import { figure, roundedSpan } from './report-figures.ts'
import { html } from './report-html.ts'
import { REPORT_STYLE } from './report-style.ts'
import { limitsTable, rejectsTable, retriesTable, rowsTable, waitsText } from './report-tables.ts'

/** What a page of ours begins with. */
export const REPORT_HEAD =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="destination-analytics-service">'

const STYLE_HASH = createHash('sha256').update(REPORT_STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`

const ENDS: Readonly<Record<ReportEnd['how'], readonly [word: string, look: string]>> = {
  running: ['Under way', 'busy'],
  stopping: ['Stopping', 'busy'],
  done: ['Done', 'good'],
  stopped: ['Stopped', 'busy'],
  failed: ['Failed', 'bad'],
}

export function renderReport(data: ReportData): string {
  const { command, record, elapsedMs } = data
  const title = `Run report: ${command}`
  const parts = record
    ? [tiles(data), '<h2>Over time</h2>', reportCharts(record, elapsedMs), reportFigures(record)]
    : ['<p>The run ended before anything was read.</p>']
  return (
    `${REPORT_HEAD}<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">' +
    `<meta name="referrer" content="no-referrer"><title>${html(title)}</title><style>${REPORT_STYLE}</style></head>` +
    `<body><main>${header(title, data)}${parts.join('')}${rowsTable(data)}${record ? rejectsTable(record) : ''}` +
    `${record ? `<h2>Retries and waits</h2>${retriesTable(record)}${waitsText(data)}` : ''}${limitsTable(data)}` +
    `${footer(data)}</main></body></html>\n`
  )
}

function header(title: string, { ended, startedAt, writtenAt, elapsedMs, host }: ReportData): string {
  const [word, look] = ENDS[ended.how]
  const isOver = ended.how !== 'running' && ended.how !== 'stopping'
  const facts = [
    ['Started', moment(startedAt)],
    [isOver ? 'Ended' : 'Written', moment(writtenAt)],
    [isOver ? 'Took' : 'So far', roundedSpan(elapsedMs)],
    ...(host === undefined ? [] : [['Service', host]]),
  ]
  const why = 'message' in ended ? `<p class="why ${look}">${html(ended.message)}${kindOf(ended)}</p>` : ''
  const list = facts.map(([name, value]) => `<div><dt>${html(name!)}</dt><dd>${html(value!)}</dd></div>`).join('')
  return `<header><div class="top"><h1>${html(title)}</h1><span class="end ${look}">${word}</span></div>${why}<dl class="facts">${list}</dl>${unfinished(ended)}</header>`
}

function kindOf(ended: ReportEnd): string {
  if (ended.how !== 'failed') return ''
  const words = {
    config: 'Something has to be changed before it is run again.',
    transient: 'A later run may succeed as it is.',
    system: 'This is a fault of the connector or its machine.',
  }
  return ` <span class="soft">(${ended.kind}: ${words[ended.kind]})</span>`
}

function unfinished({ how }: ReportEnd): string {
  if (how === 'running')
    return '<p class="note">Written while the run was under way. If there is none any more, it was ended from outside, and this is the last that is known of it.</p>'
  return how === 'stopping' ? '<p class="note">Written when the run was asked to stop, before it had.</p>' : ''
}

function tiles({ table, record }: ReportData): string {
  const samples = record?.samples ?? []
  const sum = (of: (sample: ReportSample) => number): number => samples.reduce((total, sample) => total + of(sample), 0)
  const [points, bytes] = [sum((it) => it.points), sum((it) => it.bytes)]
  const seconds = Math.max(1, samples.at(-1)?.to ?? 0) / 1000
  const latency = record?.latency
  const rejected = (record?.rejects ?? []).reduce((total, { records }) => total + records, 0)
  const shown: readonly (readonly [string, string, string])[] = [
    ['Records', total(table?.total.records ?? 0), `${figure((table?.total.records ?? 0) / seconds, 'count')}/s`],
    ['Points delivered', total(points), `${figure(points / seconds, 'count')}/s`],
    ['Requests delivered', total(sum((it) => it.requests)), `${figure(sum((it) => it.requests) / seconds, 'count')}/s`],
    ['Bytes delivered', figure(bytes, 'bytes'), `${figure(bytes / seconds, 'bytes')}/s`],
    [
      'Latency',
      latency ? roundedSpan(latency.p50) : '–',
      latency
        ? `p95 ${roundedSpan(latency.p95)}, p99 ${roundedSpan(latency.p99)}, at most ${roundedSpan(latency.most)}`
        : 'no attempt was answered',
    ],
    [
      'Retries',
      thousands(sum(({ retries }) => CAUSES.reduce((total, [cause]) => total + retries[cause], 0))),
      `of ${counted(
        sum((it) => it.attempts),
        'attempt',
      )}`,
    ],
    ['Rejected', thousands(rejected), rejected === 1 ? 'record' : 'records'],
    ['Pauses', thousands(record?.pauses.count ?? 0), `${roundedSpan(record?.pauses.ms ?? 0)} in all`],
  ]
  const list = shown.map(
    ([name, value, more]) =>
      `<div><dt>${html(name)}</dt><dd>${html(value)}</dd><dd class="more">${html(more)}</dd></div>`,
  )
  return `<dl class="tiles">${list.join('')}</dl>`
}

/** In a tile there is no room for more. */
function total(count: number): string {
  return count < 1e9 ? thousands(count) : figure(count, 'count')
}

function footer({ version }: ReportData): string {
  return `<footer class="note"><p>destination-analytics-service ${html(version)}. Times are UTC. Latency: from an attempt’s start to its answer or its timeout; attempts without a connection are left out.</p></footer>`
}

/** "2026-07-27 12:34:56 UTC". */
function moment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
