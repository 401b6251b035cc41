// /metrics: the metrics of metric-list.ts in the Prometheus text format 0.0.4. Of many tables, only some have series of their own.

import type { PageAnswer } from './health-server.ts'
import { METRICS, type Metric, type MetricFacts, type MetricSample } from './metric-list.ts'
import type { RunFacts } from '../run/run-facts.ts'

/** Their series take less than a megabyte, with long names too. */
const MOST_TABLES = 300
const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A page for `startHealthServer`. Costs nothing between scrapes.
 *  @param facts a snapshot, taken at each scrape
 *  @param mostTables with series of their own */
export function streamMetrics(facts: () => MetricFacts, mostTables = MOST_TABLES): () => PageAnswer {
  const tables = new NamedTables(mostTables)
  return () => {
    const known = facts()
    tables.see(known)
    return { status: 200, type: TYPE, body: METRICS.map((metric) => family(metric, known, tables)).join('\n') }
  }
}

function family({ name, help, type, labels, samples }: Metric, facts: MetricFacts, tables: NamedTables): string {
  const lines = tables.folded(labels, samples(facts)).map(([values, value, part = '']) => {
    const list = [...labels, 'le'].flatMap((label, index) => {
      const text = values[index]
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

/** Chooses the tables that have series of their own: with ten thousand, a page would have 10 MB. Keeps each table where it is once it has
 *  counted something, for no counter may fall. */
class NamedTables {
  readonly #named = new Set<string>()
  readonly #others = new Set<string>()
  readonly #most: number

  /** @param most tables with series of their own */
  constructor(most: number) {
    this.#most = most
  }

  /** Gives what is free to those that are new, those with the most records first. */
  see({ rows, tables }: Pick<RunFacts, 'rows' | 'tables'>): void {
    const counts = new Map(tables.map(({ table, attempts }) => [table, attempts]))
    for (const { table, counts: own } of rows)
      if (table !== undefined) counts.set(table, (counts.get(table) ?? 0) + (own.records ?? 0))
    const isEnough = counts.size <= this.#most
    const fresh = [...counts].filter(([table, count]) => (count > 0 || isEnough) && !this.#others.has(table))
    for (const [table] of fresh.toSorted(([, a], [, b]) => b - a))
      if (this.#named.size < this.#most) this.#named.add(table)
      else if (!this.#named.has(table)) this.#others.add(table)
  }

  /** @param labels names of those of the samples
   *  @returns those of tables without series of their own summed, behind the rest */
  folded(labels: readonly string[], samples: readonly MetricSample[]): readonly MetricSample[] {
    // -1 without such a label, and then `values` has nothing there
    const at = labels.indexOf('table')
    const isOther = ([values]: MetricSample): boolean => values[at] !== undefined && !this.#named.has(values[at])
    const { others = [], rest = [] } = Object.groupBy(samples, (it) => (isOther(it) ? 'others' : 'rest'))
    const alike = Map.groupBy(others, ([values]) => JSON.stringify(values.with(at, OTHERS)))
    const sums = [...alike.values()].map((all): MetricSample => {
      return [all[0]![0].with(at, OTHERS), all.reduce((sum, [, value]) => sum + value, 0)]
    })
    return [...rest, ...sums]
  }
}
