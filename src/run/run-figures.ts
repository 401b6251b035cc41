// Counts, rates and lag per stream or topic and in total, computed from two snapshots of a run. Pure.

import type { RunRow } from './counts.ts'
import type { PartitionFacts, RowFacts, RunFacts } from './run-facts.ts'

/** The lag of a topic. `undefined` when none of its partitions is assigned, or none has been fetched yet. */
type Lag = Pick<RunRow, 'lag'> & {
  /** The lag of some partitions is not known. */
  readonly isLagPartial: boolean
}

export type RunFigure<Row extends RunRow = RunRow> = Row &
  Lag & {
    /** `undefined` before it is known. */
    readonly perSecond: number | undefined
  }

/** @param since earlier facts of the same run, for rates
 *  @param some of its rows, the only ones to compute: there may be thousands */
export function runFigures(facts: RunFacts, since: RunFacts | undefined, some = facts.rows) {
  const lags = topicLags(facts)
  const before = new Map(since?.rows.map((row) => [idOf(row), row.counts.records]))
  const seconds = since === undefined ? 0 : (facts.at - since.at) / 1000
  const rate = ({ counts: { records = 0 } }: RunRow, earlier = 0): number | undefined =>
    seconds > 0 ? Math.max(0, Math.round((records - earlier) / seconds)) : undefined
  return {
    rows: some.map((row): RunFigure<RowFacts> => {
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

const NO_LAG: Lag = { lag: undefined, isLagPartial: false }

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

/** Returns the facts that a rate of the whole run is counted from. */
export function sinceStart(facts: RunFacts): RunFacts {
  return { ...facts, at: facts.startedAt, rows: [], total: { ...facts.total, counts: {} } }
}
