// Counts, rates and lag per stream or topic and in total, computed from two snapshots of a run. Pure.

import { counted, secondsText, thousands } from '../text/figures.ts'
import type { RunRow } from './counts.ts'
import type { DeliveryFacts, PartitionFacts, RunFacts } from './run-facts.ts'

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

/** "1,234"; "1,234+" if it is known only in part; "-" if unknown. */
export function lagWords({ lag, isLagPartial }: Pick<RunFigure, 'lag' | 'isLagPartial'>): string {
  return lag === undefined ? '-' : `${thousands(lag)}${isLagPartial ? '+' : ''}`
}

/** Returns the facts that a rate of the whole run is counted from. */
export function sinceStart(facts: RunFacts): RunFacts {
  return { ...facts, at: facts.startedAt, rows: [], total: { ...facts.total, counts: {} } }
}

/** "at most 245 requests/s (429 Too Many Requests)"; empty unless a learnt rate holds requests back. */
export function rateWords({ rate, heldBy }: Pick<DeliveryFacts, 'rate' | 'heldBy'>): string[] {
  if (heldBy !== 'rate' || rate === undefined) return []
  const cause =
    rate.cause === undefined ? '' : ` (${rate.cause}${rate.isSuspected === true ? ', perhaps by chance' : ''})`
  return [`at most ${counted(Math.max(1, Math.round(rate.perSecond)), 'request')}/s${cause}`]
}

/** Returns phrases about group membership, and where something is sent requests in flight and unsettled records. */
export function underWay({ at, startedAt, group, isDry, delivery, input, stopping, failed }: RunFacts): string[] {
  const { inFlight, permits, outstanding, failingSince } = delivery
  const oldestAt = group?.oldestAt
  const restMs = stopping || failingSince !== undefined ? undefined : readingLeft(input, at - startedAt)
  const oldest = oldestAt === undefined ? '' : `, the oldest for ${secondsText(at - oldestAt)}`
  const sent = [
    `${permits === undefined ? counted(inFlight, 'request') : `${thousands(inFlight)} of ${counted(permits, 'request')}`} in flight`,
    ...rateWords(delivery),
    `${counted(outstanding, 'record')} unsettled${oldest}`,
  ]
  return [
    ...(failed === undefined ? (stopping ? ['stopping'] : []) : [`stopped by an error (${failed})`]),
    ...(group === undefined ? [`${secondsText(at - startedAt)}${inputWords(input, restMs)}`] : []),
    ...(group?.joined === true
      ? [`generation ${group.generation ?? '-'} with ${counted(group.partitions.length, 'partition')}`]
      : []),
    ...(isDry === true ? [] : sent),
  ]
}

/** Less gives no sound estimate of the end. */
const LEAST_SHARE = 0.01
const LEAST_MS = 3000

/** Estimates the time to read the rest at the rate so far. `undefined` when it is too early. */
function readingLeft(input: RunFacts['input'], elapsedMs: number): number | undefined {
  if (input === undefined || elapsedMs < LEAST_MS) return undefined
  const share = input.read / input.size
  return share >= LEAST_SHARE && share < 1 ? (elapsedMs * (1 - share)) / share : undefined
}

function inputWords(input: RunFacts['input'], restMs: number | undefined): string {
  if (input === undefined || input.size === 0) return ''
  const read = `, ${Math.floor(Math.min(1, input.read / input.size) * 100)} % of ${megabytes(input.size)} read`
  return restMs === undefined || restMs < 1000 ? read : `${read}, about ${secondsText(restMs)} left`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}
