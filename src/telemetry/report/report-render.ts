// A run report as a page that stands alone: no script, nothing from elsewhere, every text escaped. Pure; what the texts may
// say is decided before (report-scrub.ts, report-rejects.ts).

import { createHash } from 'node:crypto'
import { counted, thousands } from '../../text/figures.ts'
import { CAUSES, reportCharts, reportFigures } from './report-charts.ts'
import type { ReportData, ReportEnd, ReportSample } from './report-data.ts'
import { figure, roundedSpan } from './report-figures.ts'
import { html } from './report-html.ts'
import { limitsTable, rejectsTable, retriesTable, rowsTable, waitsText } from './report-tables.ts'

/** What a page of ours begins with. */
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

/** Light and dark as the reader's system is, narrow screens, paper. */
const REPORT_STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b2330;--soft:#566173;--line:#d9dee6;--grid:#e6eaf0;--band:#f3d9a4;
--c0:#1d5fd1;--c1:#b4460b;--c2:#157347;--c3:#8a2fc7;--good:#157347;--bad:#b42318;--busy:#8a5a00}
@media(prefers-color-scheme:dark){:root{--page:#11151c;--card:#1a202a;--text:#e6eaf1;--soft:#a1acbd;--line:#323b49;--grid:#2a3240;--band:#5c4a1f;
--c0:#6aa5ff;--c1:#ff9d5c;--c2:#52cf8b;--c3:#cb95ff;--good:#52cf8b;--bad:#ff8a80;--busy:#f0c05a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:20px 16px 40px}
h1{font-size:1.5rem;line-height:1.25;margin:0 12px 0 0}
h2{font-size:1.15rem;margin:36px 0 10px}
h3{font-size:.95rem;margin:0}
p{margin:6px 0;max-width:80ch}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:6px}
.end{font-weight:600;border:2px solid;border-radius:99px;padding:1px 14px}
.good{color:var(--good)}.bad{color:var(--bad)}.busy{color:var(--busy)}
.why{color:var(--text);border-left:4px solid var(--bad);background:var(--card);padding:10px 14px;margin:14px 0;overflow-wrap:anywhere;max-width:none}
.why.busy{border-color:var(--busy)}
.soft,.note{color:var(--soft)}.note{font-size:.87rem}
dl{margin:0}dd{margin:0}
.facts{display:flex;flex-wrap:wrap;gap:4px 28px;margin:10px 0}
.facts div{overflow-wrap:anywhere}
.facts dt,.tiles dt{color:var(--soft);font-size:.8rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(max(140px,22%),1fr));gap:10px;margin:18px 0}
.tiles div,figure,.wide{background:var(--card);border:1px solid var(--line);border-radius:8px}
.tiles div{padding:9px 12px}
.tiles dd{font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums}
.tiles .more{font-size:.8rem;font-weight:400;color:var(--soft)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));gap:14px}
figure{display:flex;flex-direction:column;margin:0;padding:12px 12px 8px;break-inside:avoid;min-width:0}
svg{display:block;width:100%;height:auto;margin-top:auto;padding-top:6px}
svg text{font:130px system-ui,sans-serif;fill:var(--soft)}
.grid{stroke:var(--grid);stroke-width:1;fill:none;vector-effect:non-scaling-stroke}
.l{fill:none;stroke-width:1.4;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.a{stroke:none;opacity:.16}
.k0{stroke:var(--c0)}.k1{stroke:var(--c1)}.k2{stroke:var(--c2)}.k3{stroke:var(--c3)}
.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}
.band{fill:var(--band);opacity:.6}
.key{display:flex;flex-wrap:wrap;gap:0 14px;font-size:.83rem;color:var(--soft);margin:2px 0 0;padding:0;list-style:none}
.key svg{display:inline-block;width:20px;height:8px;margin:0 5px 0 0;padding:0;vertical-align:middle}
.wide{overflow-x:auto;margin:10px 0;width:fit-content;max-width:100%;min-width:min(100%,34rem)}
.wide:focus-visible{outline:2px solid var(--c0)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:8px 12px;color:var(--soft);font-size:.87rem}
th,td{padding:5px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--line);vertical-align:top}
thead th{font-size:.83rem;color:var(--soft);border-top:0}
.t{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:10em;max-width:34em}
tbody th{font-weight:400}tfoot th,tfoot td{font-weight:600}
summary{cursor:pointer;margin-top:14px}
footer{margin-top:36px}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--grid:#ddd;--band:#f3d9a4;--c0:#1d5fd1;--c1:#b4460b;--c2:#157347;
--c3:#8a2fc7;--good:#157347;--bad:#b42318;--busy:#8a5a00}body{font-size:11px}main{padding:0;max-width:none}.charts{grid-template-columns:1fr 1fr}
.wide{overflow:visible}tr{break-inside:avoid}svg,.band{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`

const STYLE_HASH = createHash('sha256').update(REPORT_STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`
