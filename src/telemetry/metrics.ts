// /metrics: a stream's figures as Prometheus reads them. Which figures is stream-metric-list.ts's.

import { Counter, Gauge, Registry } from 'prom-client'
import type { Histogram } from 'prom-client'
import type { PageAnswer } from './health-server.ts'
import { METRICS } from './metric-list.ts'
import type { HistogramMetric, MetricFacts, PlainMetric } from './metric-list.ts'

/** A page for `startHealthServer`, in the text format 0.0.4. Costs nothing between scrapes; each shows one moment, however
 *  many come at once.
 *  @param facts as of now */
export function streamMetrics(facts: () => MetricFacts): () => Promise<PageAnswer> {
  const registry = new Registry()
  let known: MetricFacts
  for (const metric of METRICS)
    registry.registerMetric(
      metric.type === 'histogram' ? histogram(metric, () => known) : collected(metric, () => known),
    )
  return async () => {
    known = facts()
    // it collects all of them before it first waits
    const body = await registry.metrics()
    return { status: 200, type: registry.contentType, body }
  }
}

/** Its samples are filled anew at every scrape: what is gone is told no more. */
function collected({ name, help, type, labels, samples }: PlainMetric, facts: () => MetricFacts): Counter | Gauge {
  const options = { name, help, labelNames: labels, registers: [] }
  const emptied = (metric: Counter | Gauge): void => {
    metric.reset()
    // it puts a zero where there are no labels, which says more than is known
    if (labels.length === 0) metric.remove()
  }
  if (type === 'counter')
    return new Counter({
      ...options,
      collect() {
        emptied(this)
        for (const [values, value] of samples(facts())) this.labels(...values).inc(value)
      },
    })
  return new Gauge({
    ...options,
    collect() {
      emptied(this)
      for (const [values, value] of samples(facts())) this.labels(...values).set(value)
    },
  })
}

/** The library's own can only be told value by value, as they come: this one is told what was counted. */
function histogram(metric: HistogramMetric, facts: () => MetricFacts): Histogram {
  const { name, help, type } = metric
  const get = (): Promise<unknown> => Promise.resolve({ name, help, type, values: valuesOf(metric, facts()) })
  // a registry asks no more of a metric than its name and its values
  return { name, get } as unknown as Histogram
}

interface NamedValue {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

function valuesOf({ name, labels, bounds, samples }: HistogramMetric, facts: MetricFacts): NamedValue[] {
  return samples(facts).flatMap(([values, counts, sum]) => {
    const own = Object.fromEntries(labels.map((label, index) => [label, values[index]!]))
    let count = 0
    const buckets = counts.map((some, place): NamedValue => {
      count += some
      const le = place < bounds.length ? `${bounds[place]}` : '+Inf'
      return { metricName: `${name}_bucket`, labels: { ...own, le }, value: count }
    })
    const whole = (suffix: string, value: number): NamedValue => ({ metricName: name + suffix, labels: own, value })
    return buckets.concat(whole('_sum', sum), whole('_count', count))
  })
}
