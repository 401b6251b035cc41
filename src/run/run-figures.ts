// Counts, rates and lag per stream or topic and in total, computed from two snapshots of a run. Pure.

import type { RunRow } from './counts.ts'
import type { PartitionFacts, RunFacts } from './run-facts.ts'

export interface RunFigure extends RunRow {
  /** The lag of some partitions is not known. */
  readonly isLagPartial: boolean
  /** `undefined` before it is known. */
  readonly perSecond: number | undefined
}

interface RunFigures {
  readonly rows: readonly RunFigure[]
  readonly total: RunFigure
}

/** @param since earlier facts of the same run, for rates
 *  @param some of its rows, the only ones to compute: there may be thousands */
export function runFigures(facts: RunFacts, since: RunFacts | undefined, some = facts.rows): RunFigures {
  const lags = topicLags(facts)
  const wanted = new Set(some.map(idOf))
  const before = new Map<string, number | undefined>()
  for (const row of since?.rows ?? []) {
    const id = idOf(row)
    if (wanted.has(id)) before.set(id, row.counts.records)
  }
  const secondsBetween = since === undefined ? 0 : (facts.at - since.at) / 1000
  const rate = ({ counts: { records = 0 } }: RunRow, earlier = 0): number | undefined =>
    secondsBetween > 0 ? Math.max(0, Math.round((records - earlier) / secondsBetween)) : undefined
  return {
    rows: some.map((row) => ({
      ...row,
      ...(row.isPart ? NO_LAG : (lags.get(row.name) ?? NO_LAG)),
      perSecond: rate(row, before.get(idOf(row))),
    })),
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

/** The lag of a topic. `undefined` when none of its partitions is assigned, or none has been fetched yet. */
type Lag = Pick<RunFigure, 'lag' | 'isLagPartial'>

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
