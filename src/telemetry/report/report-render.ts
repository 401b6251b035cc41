// A run report as a self-contained page: no script, no external resources, every text escaped. Pure. Secrets and data are removed
// before (report-scrub.ts).

import { createHash } from 'node:crypto'
import { counted, thousands } from '../../text/figures.ts'
import { figure, roundedSpan } from './report-figures.ts'
import {
  BAR_STYLE,
  html,
  limitsTable,
  rejectsTable,
  retriesOf,
  retriesTable,
  rowsTable,
  timeTable,
  waitsText,
} from './report-tables.ts'
import { verdictOf } from './report-verdict.ts'
import type { ReportLatency } from './report-samples.ts'
import type { ReportData, ReportEnd, ReportSample } from './report.ts'

/** The beginning of every page of ours. */
export const REPORT_HEAD =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="destination-analytics-service">'

const ENDS: Readonly<Record<ReportEnd['how'], readonly [word: string, look: string]>> = {
  running: ['Under way', 'busy'],
  stopping: ['Stopping', 'busy'],
  done: ['Done', 'good'],
  stopped: ['Stopped', 'busy'],
  failed: ['Failed', 'bad'],
}

export function renderReport(data: ReportData): string {
  const { command, record } = data
  const title = `Run report: ${command}`
  const parts = record
    ? [tiles(data), rowsTable(data), rejectsTable(data), timeTable(record), waits(data), limitsTable(data)]
    : ['<p>The run ended before anything was read.</p>', rowsTable(data), limitsTable(data)]
  return (
    `${REPORT_HEAD}<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">' +
    `<meta name="referrer" content="no-referrer"><title>${html(title)}</title><style>${REPORT_STYLE}</style></head>` +
    `<body><main>${header(title, data)}${parts.join('')}${footer(data)}</main></body></html>\n`
  )
}

function waits(data: ReportData): string {
  const parts = `${retriesTable(data.record!)}${waitsText(data)}`
  return parts === '' ? '' : `<h2>Retries and waits</h2>${parts}`
}

function header(title: string, data: ReportData): string {
  const { ended, startedAt, writtenAt, elapsedMs, host } = data
  const [word, look] = endOf(data)
  const isOver = ended.how !== 'running' && ended.how !== 'stopping'
  const facts = [
    ['Started', moment(startedAt)],
    [isOver ? 'Ended' : 'Written', moment(writtenAt)],
    [isOver ? 'Took' : 'So far', roundedSpan(elapsedMs)],
    ...(host === undefined ? [] : [['Service', host]]),
  ]
  const why = 'message' in ended ? `<p class="why ${look}">${html(ended.message)}${kindOf(ended)}</p>` : ''
  const verdict = verdictOf(data)
  const judged = verdict === undefined ? '' : `<p class="verdict">${html(verdict)}</p>`
  const list = facts.map(([name, value]) => `<div><dt>${html(name!)}</dt><dd>${html(value!)}</dd></div>`).join('')
  return `<header><div class="top"><h1>${html(title)}</h1><span class="end ${look}">${word}</span></div>${why}${judged}<dl class="facts">${list}</dl>${unfinished(ended)}</header>`
}

/** A run with rejected records is not shown as a plain success. */
function endOf({ ended: { how }, table }: ReportData): readonly [word: string, look: string] {
  const rejected = table?.total.counts.rejected ?? 0
  const [word, look] = ENDS[how]
  return rejected > 0 && how !== 'failed' ? [`${word}, ${thousands(rejected)} rejected`, 'busy'] : [word, look]
}

function kindOf(ended: ReportEnd): string {
  if (ended.how !== 'failed') return ''
  const words = {
    config: 'Something must be changed before it is run again.',
    transient: 'A later run may succeed as it is.',
    system: 'This is a fault of the connector or its machine.',
  }
  return ` <span class="soft">(${ended.kind}: ${words[ended.kind]})</span>`
}

function unfinished({ how }: ReportEnd): string {
  if (how === 'running')
    return '<p class="note">Written while the run was under way. If it is not running any more, it was killed, and this is its last known state.</p>'
  return how === 'stopping' ? '<p class="note">Written when the run was asked to stop, before it had stopped.</p>' : ''
}

function tiles({ table, record }: ReportData): string {
  const samples = record?.samples ?? []
  const sum = (of: (sample: ReportSample) => number): number => samples.reduce((total, sample) => total + of(sample), 0)
  const [points, bytes, requests] = [sum((it) => it.points), sum((it) => it.bytes), sum((it) => it.requests)]
  const seconds = Math.max(1, samples.at(-1)?.to ?? 0) / 1000
  const { records = 0, rejected = 0 } = table?.total.counts ?? {}
  const [retries, pauses] = [sum(retriesOf), record?.pauses ?? { count: 0, ms: 0 }]
  const shown: readonly (readonly [string, string, string])[] = [
    ['Records', total(records), `${figure(records / seconds, 'count')}/s`],
    ['Rows sent', total(points), `${figure(points / seconds, 'count')}/s`],
    ['Requests', total(requests), `${figure(requests / seconds, 'count')}/s`],
    ['Bytes', figure(bytes, 'bytes'), `${figure(bytes / seconds, 'bytes')}/s`],
    ['Latency', ...latencyTile(record?.latency)],
    ...(rejected > 0 ? [['Rejected', total(rejected), rejected === 1 ? 'record' : 'records'] as const] : []),
    ...(retries > 0
      ? [
          [
            'Retries',
            total(retries),
            `of ${counted(
              sum((it) => it.attempts),
              'attempt',
            )}`,
          ] as const,
        ]
      : []),
    ...(pauses.count > 0 ? [['Pauses', total(pauses.count), `${roundedSpan(pauses.ms)} in all`] as const] : []),
  ]
  const list = shown.map(
    ([name, value, more]) =>
      `<div><dt>${html(name)}</dt><dd>${html(value)}</dd><dd class="more">${html(more)}</dd></div>`,
  )
  return `<dl class="tiles">${list.join('')}</dl>`
}

function latencyTile(latency: ReportLatency | undefined): readonly [value: string, more: string] {
  if (latency === undefined) return ['–', 'no attempt was answered']
  const { p50, p95, p99, most } = latency
  return [roundedSpan(p50), `p95 ${roundedSpan(p95)}, p99 ${roundedSpan(p99)}, at most ${roundedSpan(most)}`]
}

/** A tile has no room for more digits. */
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

/** For light and dark mode, narrow screens, and print. */
const REPORT_STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b2330;--soft:#566173;--line:#d9dee6;--bar:#cfdff9;--focus:#1d5fd1;
--good:#157347;--bad:#b42318;--busy:#8a5a00}
@media(prefers-color-scheme:dark){:root{--page:#11151c;--card:#1a202a;--text:#e6eaf1;--soft:#a1acbd;--line:#323b49;--bar:#25456f;
--focus:#6aa5ff;--good:#52cf8b;--bad:#ff8a80;--busy:#f0c05a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:20px 16px 40px}
h1{font-size:1.5rem;line-height:1.25;margin:0 12px 0 0}
h2{font-size:1.15rem;margin:36px 0 10px}
p{margin:6px 0;max-width:80ch}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:6px}
.end{font-weight:600;border:2px solid;border-radius:99px;padding:1px 14px}
.good{color:var(--good)}.bad{color:var(--bad)}.busy{color:var(--busy)}
.why,.verdict{color:var(--text);border-left:4px solid var(--focus);background:var(--card);padding:10px 14px;margin:14px 0;overflow-wrap:anywhere;max-width:none}
.why{border-color:var(--bad)}.why.busy{border-color:var(--busy)}
.soft,.note{color:var(--soft)}.note{font-size:.87rem;max-width:none}
dl{margin:0}dd{margin:0}
.facts{display:flex;flex-wrap:wrap;gap:4px 28px;margin:10px 0}
.facts div{overflow-wrap:anywhere}
.facts dt,.tiles dt{color:var(--soft);font-size:.8rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(max(140px,15%),1fr));gap:10px;margin:18px 0}
.tiles div,.wide{background:var(--card);border:1px solid var(--line);border-radius:8px}
.tiles div{padding:9px 12px}
.tiles dd{font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums}
.tiles .more{font-size:.8rem;font-weight:400;color:var(--soft)}
.wide{overflow:auto;max-height:40rem;margin:10px 0}
.wide:focus-visible{outline:2px solid var(--focus)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:8px 12px;color:var(--soft);font-size:.87rem}
th,td{padding:5px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--line);vertical-align:top}
thead th{font-size:.83rem;color:var(--soft);border-top:0;position:sticky;top:0;background:var(--card)}
.t{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:10em;max-width:34em}
.b{background:linear-gradient(var(--bar),var(--bar)) no-repeat}
${BAR_STYLE}
tbody th{font-weight:400}tfoot th,tfoot td{font-weight:600}
footer{margin-top:36px}footer p{max-width:none}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--bar:#cfdff9;--good:#157347;--bad:#b42318;--busy:#8a5a00}
body{font-size:11px}main{padding:0;max-width:none}.wide{overflow:visible;max-height:none}tr{break-inside:avoid}
.b{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`

const STYLE_HASH = createHash('sha256').update(REPORT_STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`
