// Makes the report of a run from its summary, as a self-contained page: no script, no external resources, every text escaped. Pure. Numbers
// are written whole by `thousands`, with their noun by `counted`, in three digits with a unit by `figure`. The style, and the policy that
// allows nothing else, stand last.

import { createHash } from 'node:crypto'
import { counted, thousands } from '../../text/figures.ts'
import { shortened } from '../../text/printable.ts'
import type { Summary } from '../summary/summary-schema.ts'
import { chart } from './report-chart.ts'
import { figure, escaped, isOfTopics, retriesOf, roundedSpan, total, type Stretch } from './report-figures.ts'
import { changesList, limitsTable, outagesTable, rejectsTable, rowsTable, timeTable } from './report-tables.ts'
import { isEmpty, verdictOf } from './report-verdict.ts'

/** The beginning of every report, by which run-files.ts knows an older one. */
export const REPORT_HEAD =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="destination-analytics-service">'

const RESULT_WORDS: Readonly<Record<Summary['result'], string>> = {
  running: 'Under way',
  stopping: 'Stopping',
  done: 'Done',
  stopped: 'Stopped',
  failed: 'Failed',
}
/** Most characters that are shown of the message of a run that failed. */
const LONGEST_MESSAGE = 2000
/** Most streams or topics that the title of the page names. */
const MOST_NAMES = 3

export function renderReport(summary: Summary): string {
  const hasBegun = summary.samples.length + summary.rows.length > 0
  const parts = hasBegun
    ? [chart, timeTable, tiles, rejectsTable, outagesTable, changesList, rowsTable, limitsTable]
    : [() => '<p>The run ended before anything was read.</p>', limitsTable]
  return (
    `${REPORT_HEAD}<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">' +
    `<meta name="referrer" content="no-referrer"><title>${escaped(tabTitle(summary))}</title><style>${REPORT_STYLE}</style></head>` +
    `<body><main>${header(summary)}${parts.map((part) => part(summary)).join('')}${footer(summary)}</main></body></html>\n`
  )
}

/** The title of the page, which in a row of tabs tells the report from those of other runs. */
function tabTitle({ command, rows, started }: Summary): string {
  const names = [...new Set(rows.map(({ name }) => name))]
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  const what = names
    .slice(0, MOST_NAMES)
    .map((name) => ` ${shortened(name, 40)}`)
    .join(',')
  return `${command}${what}${more}, ${moment(started)}: run report`
}

function header(summary: Summary): string {
  const { command, ended, started, written: writtenAt, seconds, service } = summary
  const [words, look] = resultOf(summary)
  const facts: (readonly [name: string, value: string])[] = [
    ['Started', moment(started)],
    // the summary of a run that has ended is written at its end
    [ended === null ? 'Written' : 'Ended', moment(writtenAt)],
    [ended === null ? 'So far' : 'Took', roundedSpan(seconds * 1000)],
    ...(service === null ? [] : [['Service', service] as const]),
  ]
  const paragraphs = verdictOf(summary).map((paragraph) => `<p>${escaped(paragraph)}</p>`)
  const verdict = paragraphs.length === 0 ? '' : `<div class="verdict ${look}">${paragraphs.join('')}</div>`
  const list = facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')
  return `<header><div class="top"><h1>Run report: ${escaped(command)}</h1><span class="end ${look}">${words}</span></div>${whyOf(summary)}${verdict}<dl class="facts">${list}</dl></header>`
}

/** How the run ended, and the CSS class that colours it: `good` only if there is nothing to look at, `bad` if it failed, else `busy`. */
function resultOf(summary: Summary): readonly [words: string, look: string] {
  const { result, outages } = summary
  const rejected = summary.total.rejected ?? 0
  const changes = summary.changes?.length ?? 0
  const notes = [
    ...(isEmpty(summary) ? ['no record'] : []),
    ...(rejected > 0 ? [`${thousands(rejected)} rejected`] : []),
    ...(outages.length > 0 ? [counted(outages.length, 'outage')] : []),
    ...(changes > 0 ? [counted(changes, 'change')] : []),
  ]
  const words = [RESULT_WORDS[result], ...notes].join(', ')
  if (result === 'failed') return [words, 'bad']
  return [words, result === 'done' && notes.length === 0 ? 'good' : 'busy']
}

/** What to do next, by the kind of the error. */
const NEXT_STEPS = {
  config: 'Something must be changed before it is run again.',
  transient: 'A later run may succeed as it is.',
  system: 'The input, the machine or the connector is at fault.',
}

function whyOf(summary: Summary): string {
  const { result, error, exit_code: code } = summary
  if (error !== null) {
    const next = `${error.code ?? error.kind}: ${NEXT_STEPS[error.kind]} docs/troubleshooting.md lists messages.`
    const lines = shortened(error.message, LONGEST_MESSAGE).split('\n')
    return `<div class="verdict bad">${lines.map((line) => `<p>${escaped(line)}</p>`).join('')}<p class="note">${escaped(next)}</p></div>`
  }
  const whyStopped = isOfTopics(summary)
    ? 'The process was asked to stop. What was settled is committed; the next run continues from there.'
    : 'The process was asked to stop. The next run continues from the last STATE that was printed, if there was one.'
  const words = {
    running:
      'Written while the run was under way. If it is not running any more, it was killed, and this is its last known state.',
    stopping: 'Written when the run was asked to stop, before it had stopped.',
    stopped:
      // a signal gives another exit code
      code === 1
        ? 'The run could no longer write its output: standard output was closed or full. What was settled is committed.'
        : whyStopped,
    done: '',
    // its error was told above
    failed: '',
  }[result]
  return words === '' ? '' : `<p class="note">${words}</p>`
}

const RETRY_CAUSES = { throttled: '429', server: '5xx or 408', network: 'no connection', timeout: 'no answer in time' }

function tiles({ total: counts, samples, seconds: allSeconds, latency_ms: latency }: Summary): string {
  const sumOf = (numberOf: (stretch: Stretch) => number): number => total(samples, numberOf)
  // up to the end of the last sample: the sums are of samples
  const seconds = Math.max(0.001, samples.at(-1)?.to ?? allSeconds)
  const rate = (count: number): [string, string] => [tileCount(count), `${figure(count / seconds, 'count')}/s`]
  const bytes = sumOf((stretch) => stretch.bytes)
  const attempts = sumOf((stretch) => stretch.attempts)
  const causes = (Object.keys(RETRY_CAUSES) as (keyof typeof RETRY_CAUSES)[]).flatMap((cause) => {
    const count = sumOf(({ retries }) => retries[cause])
    return count === 0 ? [] : [`${tileCount(count)} ${RETRY_CAUSES[cause]}`]
  })
  const span = (name: 'p50' | 'p95' | 'p99' | 'most'): string => roundedSpan(latency![name])
  const shown: (readonly [name: string, value: string, more: string])[] = [
    ['Records', ...rate(counts.records ?? 0)],
    ['Rows sent', ...rate(sumOf((stretch) => stretch.rows))],
    ['Requests', ...rate(sumOf((stretch) => stretch.requests))],
    ['Bytes', figure(bytes, 'bytes'), `${figure(bytes / seconds, 'bytes')}/s`],
    latency
      ? ['Latency', span('p50'), `median; p95 ${span('p95')}, p99 ${span('p99')}, at most ${span('most')}`]
      : ['Latency', '–', 'no attempt was answered'],
    ['Retries', tileCount(sumOf(retriesOf)), [`of ${counted(attempts, 'attempt')}`, ...causes].join('; ')],
  ]
  const list = shown.map(
    ([name, value, more]) =>
      `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd><dd class="more">${escaped(more)}</dd></div>`,
  )
  return `<dl class="tiles">${list.join('')}</dl>`
}

/** A count for a tile, which has no room for more than nine digits. */
function tileCount(count: number): string {
  return count < 1e9 ? thousands(count) : figure(count, 'count')
}

function footer({ version, run_id }: Summary): string {
  return `<footer class="note"><p>destination-analytics-service ${escaped(version)}, run ${escaped(run_id)}. Times are UTC. Latency: from an attempt’s start to its answer or its timeout; attempts without a connection are left out.</p></footer>`
}

/** A moment of the summary for people: "2026-07-27 12:34:56 UTC". */
function moment(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`
}

/** The style for light and dark mode, narrow screens, and print. */
const REPORT_STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b2330;--soft:#566173;--line:#d9dee6;--bar:#9dbdf2;--focus:#1d5fd1;--out:#f7d4cf;--idle:#e8ebf0;
--good:#157347;--bad:#b42318;--busy:#8a5a00}
@media(prefers-color-scheme:dark){:root{--page:#11151c;--card:#1a202a;--text:#e6eaf1;--soft:#a1acbd;--line:#323b49;--bar:#2f568a;
--focus:#6aa5ff;--out:#53302f;--idle:#252d39;--good:#52cf8b;--bad:#ff8a80;--busy:#f0c05a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:1240px;margin:0 auto;padding:20px 16px 40px}
h1{font-size:1.5rem;line-height:1.25;margin:0 12px 0 0}
h2{font-size:1.15rem;margin:32px 0 10px}
p{margin:6px 0}dl,dd{margin:0}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:6px}
.end{font-weight:600;border:2px solid;border-radius:99px;padding:1px 14px}
.good{color:var(--good)}.bad{color:var(--bad)}.busy{color:var(--busy)}
.verdict{border-left:4px solid;background:var(--card);padding:10px 14px;margin:14px 0}.verdict p{color:var(--text);font-size:1rem}
.note,dt,.more,thead,summary,.keys,.ticks{color:var(--soft);font-size:.85rem}
.facts{display:flex;flex-wrap:wrap;gap:4px 28px;margin:10px 0}
.tiles{display:grid;grid-template-columns:repeat(6,1fr);gap:10px;margin:18px 0}
.tiles div,table,figure{background:var(--card);border:1px solid var(--line);border-radius:8px}
.tiles div{padding:9px 12px}
.tiles dd{font-size:1.2rem;font-weight:600}.tiles .more{font-size:.85rem;font-weight:400}
table{border-spacing:0;width:100%;margin:10px 0;font-variant-numeric:tabular-nums}
th,td{padding:5px 12px;text-align:right;border-top:1px solid var(--line);vertical-align:top}
thead th{border:0}tbody th{font-weight:400}tfoot th,tfoot td{font-weight:600}.t{text-align:left}
td:not(.t),thead{overflow-wrap:normal}
summary{cursor:pointer}
figure{margin:18px 0 6px;padding:10px 12px}
svg{display:block;width:100%;height:240px}path,rect{vector-effect:non-scaling-stroke}
path.rows{fill:var(--bar);stroke:var(--focus)}path.flying{fill:var(--bar)}path.permits{fill:none;stroke:var(--text);stroke-width:1.5;stroke-dasharray:4 3}
path.retries{fill:var(--busy)}path.base{stroke:var(--line)}rect.out{fill:var(--out)}rect.idle{fill:var(--idle)}
.keys{list-style:none;display:flex;flex-wrap:wrap;gap:2px 20px;margin:0 0 8px;padding:0}
.keys li::before{content:"";display:inline-block;width:12px;height:12px;margin-right:6px;border-radius:2px;vertical-align:-1px;background:var(--bar)}
.keys .rows::before{box-shadow:inset 0 2px var(--focus)}.keys .flying::before{border-top:2px dashed var(--text)}.keys .retries::before{background:var(--busy)}.keys .out::before{background:var(--out)}.keys .idle::before{background:var(--idle)}
.ticks{display:flex;justify-content:space-between}
footer{margin-top:32px}
@media(max-width:1000px){.tiles{grid-template-columns:repeat(3,1fr)}}
@media(max-width:700px){.tiles{grid-template-columns:repeat(2,1fr)}
thead{display:none}table,tbody,tfoot{display:block}tr{display:flex;flex-wrap:wrap;gap:0 16px;padding:6px 12px;border-top:1px solid var(--line)}tbody:first-of-type tr:first-child{border:0}
th,td{padding:0;border:0;text-align:left}tbody th{flex-basis:100%;font-weight:600}td::before{content:attr(data-of) " ";color:var(--soft);font-size:.85rem;font-weight:400}}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--bar:#9dbdf2;--out:#f7d4cf;--idle:#e8ebf0;--good:#157347;--bad:#b42318;--busy:#8a5a00}
body{font-size:11px}main{padding:0;max-width:none}tr{break-inside:avoid}
svg,.keys{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`

const STYLE_HASH = createHash('sha256').update(REPORT_STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`
