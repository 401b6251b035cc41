// Rates and lag per stream or topic and in total, beside their counts: computed from two snapshots of a run. Pure.

import type { RunRow } from './counts.ts'
import type { PartitionFacts, RowFacts, RunFacts } from './run-facts.ts'

/** The lag of a topic. `undefined` when none of its partitions is assigned, or none has been fetched yet. */
type Lag = Pick<RunRow, 'lag'> & {
  /** Whether the lag of some partitions is not known, and not in the sum. */
  readonly isLagPartial: boolean
}

const NO_LAG: Lag = { lag: undefined, isLagPartial: false }

export type RunFigure<Row extends RunRow = RunRow> = Row &
  Lag & {
    /** Records read a second. `undefined` before it is known. */
    readonly perSecond: number | undefined
  }

/** Adds the rate and the lag to rows, and to the total.
 *  @param since earlier facts of the same run, from which on rates are counted; `undefined` when rates are not known
 *  @param shownRows the rows to compute: some of them where there are thousands */
export function runFigures(facts: RunFacts, since: RunFacts | undefined, shownRows = facts.rows) {
  const lags = topicLags(facts)
  const before = new Map(since?.rows.map((row) => [idOf(row), row.counts.records]))
  const seconds = since === undefined ? 0 : (facts.at - since.at) / 1000
  const rate = ({ counts: { records = 0 } }: RunRow, earlier = 0): number | undefined =>
    seconds > 0 ? Math.max(0, Math.round((records - earlier) / seconds)) : undefined
  return {
    rows: shownRows.map((row): RunFigure<RowFacts> => {
      const lag = row.isPart ? NO_LAG : (lags.get(row.name) ?? NO_LAG)
      return { ...row, ...lag, perSecond: rate(row, before.get(idOf(row))) }
    }),
    total: {
      ...facts.total,
      ...lagOf(facts.group?.partitions ?? []),
      perSecond: rate(facts.total, since?.total.counts.records),
    },
  }
}

function idOf({ name, table }: RunRow): string {
  return `${name}\0${table}`
}

/** Returns the lag of each topic that has partitions here. */
export function topicLags({ group }: Pick<RunFacts, 'group'>): ReadonlyMap<string, Lag> {
  const byTopic = Map.groupBy(group?.partitions ?? [], ({ topic }) => topic)
  return new Map(Array.from(byTopic, ([topic, partitions]) => [topic, lagOf(partitions)]))
}

function lagOf(partitions: readonly Pick<PartitionFacts, 'lag'>[]): Lag {
  const known = partitions.flatMap(({ lag }) => (lag === undefined ? [] : [lag]))
  if (known.length === 0) return NO_LAG
  return { lag: known.reduce((total, lag) => total + lag, 0n), isLagPartial: known.length < partitions.length }
}

/** Returns the facts as they were when the run started, from which `runFigures` counts the rates of the whole run. */
export function sinceStart(facts: RunFacts): RunFacts {
  return { ...facts, at: facts.startedAt, rows: [], total: { ...facts.total, counts: {} } }
}
