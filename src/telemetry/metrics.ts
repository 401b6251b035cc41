// The page /metrics: the metrics of metric-list.ts in the Prometheus text format 0.0.4. Where there are many tables, only some have series
// of their own; the others are summed.

import type { PageAnswer } from './health-server.ts'
import { METRICS, type Metric, type MetricFacts, type MetricSample } from './metric-list.ts'
import type { RunFacts } from '../run/run-facts.ts'

/** The most tables that have series of their own: these take less than a megabyte, with long names too. */
const MOST_TABLES = 300
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A page for `startHealthServer`. Costs nothing between scrapes. @param facts takes a snapshot, at each scrape */
export function streamMetrics(facts: () => MetricFacts, mostTables = MOST_TABLES): () => PageAnswer {
  const tables = new NamedTables(mostTables)
  return () => {
    const known = facts()
    tables.choose(known)
    return { status: 200, type: CONTENT_TYPE, body: METRICS.map((metric) => family(metric, known, tables)).join('\n') }
  }
}

function family({ name, help, type, labels, samples }: Metric, facts: MetricFacts, tables: NamedTables): string {
  const lines = tables.folded(labels, samples(facts)).map(([labelValues, value, part = '']) => {
    // a bucket has its bound behind the values of its labels
    const list = [...labels, 'le'].flatMap((label, index) => {
      const text = labelValues[index]
      return text === undefined ? [] : [`${label}="${escaped(text).replaceAll('"', String.raw`\"`)}"`]
    })
    return `${name}${part}${list.length === 0 ? '' : `{${list.join(',')}}`} ${value === Infinity ? '+Inf' : value}\n`
  })
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
}

/** The label of all other tables: no table can be called so. */
const OTHERS = '(others)'

/** Chooses the tables that have series of their own: with ten thousand, a page would have 10 MB. A table that has counted something stays
 *  with those, or stays among the others, for no counter may fall. */
class NamedTables {
  /** Tables with series of their own, and tables that are counted among the others for good. */
  readonly #named = new Set<string>()
  readonly #others = new Set<string>()
  readonly #mostNamed: number

  constructor(mostNamed: number) {
    this.#mostNamed = mostNamed
  }

  /** Names as many new tables as there is room for, those with the most records first. */
  choose({ rows, tables }: Pick<RunFacts, 'rows' | 'tables'>): void {
    // records and attempts of each table: more than 0 as soon as it has counted something
    const counts = new Map(tables.map(({ table, attempts }) => [table, attempts]))
    for (const { table, counts: rowCounts } of rows)
      if (table !== undefined) counts.set(table, (counts.get(table) ?? 0) + (rowCounts.records ?? 0))
    const hasRoomForAll = counts.size <= this.#mostNamed
    const candidates = [...counts].filter(([table, count]) => (count > 0 || hasRoomForAll) && !this.#others.has(table))
    for (const [table] of candidates.toSorted(([, a], [, b]) => b - a))
      if (this.#named.size < this.#mostNamed) this.#named.add(table)
      else if (!this.#named.has(table)) this.#others.add(table)
  }

  /** Sums the samples of tables without series of their own, and puts the sums behind the other samples.
   *  @param labels their names, in the order of the samples' label values */
  folded(labels: readonly string[], samples: readonly MetricSample[]): readonly MetricSample[] {
    const place = labels.indexOf('table')
    if (place < 0) return samples
    const isOther = ([values]: MetricSample): boolean => values[place] !== undefined && !this.#named.has(values[place])
    const { others = [], rest = [] } = Object.groupBy(samples, (it) => (isOther(it) ? 'others' : 'rest'))
    const alike = Map.groupBy(others, ([values]) => JSON.stringify(values.with(place, OTHERS)))
    const sums = [...alike.values()].map((all): MetricSample => {
      return [all[0]![0].with(place, OTHERS), all.reduce((sum, [, value]) => sum + value, 0)]
    })
    return [...rest, ...sums]
  }
}
