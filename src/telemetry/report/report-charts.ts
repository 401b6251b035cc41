// Which charts a report shows of a run's samples, and the same in a table of figures for those who want to read them. Pure.

import type { RetryCause } from '../../core/types.ts'
import { chart } from './report-chart.ts'
import type { Chart, Series } from './report-chart.ts'
import type { ReportLatency, ReportRecord, ReportSample } from './report-data.ts'
import { figure, roundedSpan } from './report-figures.ts'
import { html, tableOf } from './report-html.ts'

/** In the order they are shown, with their words. */
export const CAUSES: readonly (readonly [cause: RetryCause, words: string])[] = [
  ['throttled', 'throttled (429)'],
  ['server', 'server fault (5xx, 408)'],
  ['network', 'network'],
  ['timeout', 'timeout'],
]
/** Rows of the table of figures. */
const ROWS = 20

export function reportCharts({ samples }: ReportRecord, elapsedMs: number): string {
  const spans = samples.map(({ from, to }) => [from, to] as const)
  const paused = { name: 'pause the service asked for', spans: samples.map(({ pausedMs }) => pausedMs > 0) }
  const shared: Shared = { spans, elapsedMs, per: '', unit: 'count', kind: 'lines' }
  const charts = [
    ...rates(samples, shared, paused),
    latencyChart(samples, shared),
    permitsChart(samples, shared),
    retriesChart(samples, shared, paused),
  ]
  return `<div class="charts">${charts.map(chart).join('')}</div>`
}

type Shared = Omit<Chart, 'id' | 'title' | 'series'>

function rates(samples: readonly ReportSample[], shared: Shared, marked: Chart['marked']): Chart[] {
  const series = (name: string, of: (sample: ReportSample) => number): Series[] => [perSecond(samples, name, of)]
  const all = { ...shared, per: '/s' }
  return [
    { ...all, id: 'points', title: 'Points delivered per second', marked, series: series('points', (it) => it.points) },
    { ...all, id: 'requests', title: 'Requests delivered per second', series: series('requests', (it) => it.requests) },
    {
      ...all,
      id: 'bytes',
      title: 'Bytes delivered per second',
      unit: 'bytes',
      series: series('bytes', (it) => it.bytes),
    },
  ]
}

function latencyChart(samples: readonly ReportSample[], shared: Shared): Chart {
  const series = (name: string, of: keyof ReportLatency): Series => {
    return { name, values: samples.map(({ latency }) => latency?.[of]) }
  }
  return {
    ...shared,
    id: 'latency',
    title: 'Latency of attempts',
    unit: 'time',
    kind: 'powers',
    series: [series('half of them within (p50)', 'p50'), series('95 % within (p95)', 'p95')],
  }
}

function permitsChart(samples: readonly ReportSample[], shared: Shared): Chart {
  const series = [
    { name: 'in flight', values: samples.map(({ inFlight }) => inFlight) },
    { name: 'permits', values: samples.map(({ permits }) => permits) },
  ]
  return { ...shared, id: 'permits', title: 'Requests in flight, and permits', series }
}

function retriesChart(samples: readonly ReportSample[], shared: Shared, marked: Chart['marked']): Chart {
  const series = CAUSES.map(([cause, words]) => perSecond(samples, words, ({ retries }) => retries[cause]))
  return { ...shared, id: 'retries', title: 'Retries per second, by cause', per: '/s', kind: 'bars', marked, series }
}

function perSecond(samples: readonly ReportSample[], name: string, of: (sample: ReportSample) => number): Series {
  return { name, values: samples.map((sample) => (of(sample) * 1000) / Math.max(1, sample.to - sample.from)) }
}

export function reportFigures({ samples }: ReportRecord): string {
  const each = Math.ceil(samples.length / ROWS)
  const groups = Array.from({ length: Math.ceil(samples.length / each) }, (_, at) =>
    samples.slice(at * each, (at + 1) * each),
  )
  const headings = [
    'From',
    'To',
    'Points/s',
    'Requests/s',
    'Bytes/s',
    'p50',
    'p95',
    'In flight',
    'Permits',
    'Retries',
    'Paused',
  ]
  const table = tableOf({
    caption: 'Means of each span; of the latency, the highest',
    headings,
    texts: 2,
    rows: groups.map(rowOf),
  })
  return `<details><summary>The charts in figures</summary>${table}</details>`
}

function rowOf(group: readonly ReportSample[]): string[] {
  const [from, to] = [group[0]!.from, group.at(-1)!.to]
  const ms = Math.max(1, to - from)
  const sum = (of: (sample: ReportSample) => number): number => group.reduce((total, sample) => total + of(sample), 0)
  const mean = (of: (sample: ReportSample) => number): string =>
    figure(sum((sample) => of(sample) * (sample.to - sample.from)) / ms, 'count')
  const perSecond = (of: (sample: ReportSample) => number): number => (sum(of) * 1000) / ms
  const highest = (of: keyof ReportLatency): string => {
    const known = group.flatMap(({ latency }) => (latency ? [latency[of]] : []))
    return known.length === 0 ? '–' : roundedSpan(Math.max(...known))
  }
  return [
    roundedSpan(from),
    roundedSpan(to),
    figure(
      perSecond(({ points }) => points),
      'count',
    ),
    figure(
      perSecond(({ requests }) => requests),
      'count',
    ),
    figure(
      perSecond(({ bytes }) => bytes),
      'bytes',
    ),
    highest('p50'),
    highest('p95'),
    mean(({ inFlight }) => inFlight),
    mean(({ permits }) => permits),
    figure(
      sum(({ retries }) => CAUSES.reduce((total, [cause]) => total + retries[cause], 0)),
      'count',
    ),
    roundedSpan(sum(({ pausedMs }) => pausedMs)),
  ].map(html)
}
