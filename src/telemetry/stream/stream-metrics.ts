// /metrics: a stream's figures as Prometheus reads them. Which figures is stream-metric-list.ts's.

import { Counter, Gauge, Registry } from 'prom-client'
import type { PageAnswer } from './health-server.ts'
import { METRICS } from './stream-metric-list.ts'
import type { Metric, MetricFacts } from './stream-metric-list.ts'

/** A page for `startHealthServer`, in the text format 0.0.4. Costs nothing between scrapes; each shows one moment, however
 *  many come at once.
 *  @param facts as of now */
export function streamMetrics(facts: () => MetricFacts): () => Promise<PageAnswer> {
  const registry = new Registry()
  let known: MetricFacts
  for (const metric of METRICS) registry.registerMetric(collected(metric, () => known))
  return async () => {
    known = facts()
    // it collects all of them before it first waits
    const body = await registry.metrics()
    return { status: 200, type: registry.contentType, body }
  }
}

/** Its samples are filled anew at every scrape: what is gone is told no more. */
function collected({ name, help, type, labels, samples }: Metric, facts: () => MetricFacts): Counter | Gauge {
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
