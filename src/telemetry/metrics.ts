// /metrics: the metrics of metric-list.ts in the Prometheus text format 0.0.4.

import type { PageAnswer } from './health-server.ts'
import { METRICS } from './metric-list.ts'
import type { HistogramMetric, Metric, MetricFacts, MetricSample } from './metric-list.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A page for `startHealthServer`. Costs nothing between scrapes.
 *  @param facts a snapshot, taken at each scrape */
export function streamMetrics(facts: () => MetricFacts): () => PageAnswer {
  return () => {
    const known = facts()
    return { status: 200, type: TYPE, body: METRICS.map((metric) => family(metric, known)).join('\n') }
  }
}

function family(metric: Metric, facts: MetricFacts): string {
  const { name, help, type, labels } = metric
  const lines =
    type === 'histogram'
      ? bucketLines(metric, facts)
      : metric.samples(facts).map(([values, value]) => line(name, named(labels, values), value))
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function bucketLines({ name, labels, bounds, samples }: HistogramMetric, facts: MetricFacts): string[] {
  return samples(facts).flatMap(([values, counts, sum]) => {
    const own = named(labels, values)
    let count = 0
    const buckets = counts.map((some, place) => {
      count += some
      const le: Label = ['le', place < bounds.length ? `${bounds[place]}` : '+Inf']
      return line(`${name}_bucket`, own.concat([le]), count)
    })
    return buckets.concat(line(`${name}_sum`, own, sum), line(`${name}_count`, own, count))
  })
}

type Label = readonly [name: string, value: string]

function named(labels: readonly string[], values: MetricSample[0]): Label[] {
  return labels.flatMap((label, index): Label[] => {
    const value = values[index]
    return value === undefined ? [] : [[label, value]]
  })
}

function line(name: string, labels: readonly Label[], value: number): string {
  const list = labels.map(([label, text]) => `${label}="${escaped(text).replaceAll('"', String.raw`\"`)}"`)
  return `${name}${list.length === 0 ? '' : `{${list.join(',')}}`} ${value === Infinity ? '+Inf' : value}\n`
}

function escaped(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
}
