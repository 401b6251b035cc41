// What a stream has done, a row a topic and a total, with rates between two snapshots. Pure; knows no layout.

import { counted, seconds, thousands } from '../text/figures.ts'
import type { StreamFacts } from './run-facts.ts'

export interface StreamRow {
  readonly topic: string
  readonly records: number
  /** undefined: told at another topic of the same table. */
  readonly rows: number | undefined
  readonly rejected: number
  readonly ignored: number
  /** undefined: no partition of it is assigned, or none has been fetched yet. */
  readonly lag: bigint | undefined
  /** Of some partitions the lag is not known. */
  readonly isLagPartial: boolean
  /** undefined: not known yet. */
  readonly perSecond: number | undefined
}

export interface StreamFigures {
  readonly topics: readonly StreamRow[]
  readonly total: StreamRow
}

/** @param since earlier facts of the same stream, for rates */
export function streamFigures(facts: StreamFacts, since: StreamFacts | undefined): StreamFigures {
  const rowsOf = new Map(facts.tables.map(({ table, rows }) => [table, rows]))
  const before = new Map(since?.topics.map(({ topic, records }) => [topic, records]))
  const secondsBetween = since === undefined ? 0 : (facts.at - since.at) / 1000
  const rate = (records: number, earlier: number): number | undefined =>
    secondsBetween > 0 ? Math.max(0, Math.round((records - earlier) / secondsBetween)) : undefined
  const told = new Set<string>()
  const topics = facts.topics.map(({ topic, table, records, rejected, ignored }) => {
    const rows = told.has(table) ? undefined : (rowsOf.get(table) ?? 0)
    told.add(table)
    const perSecond = rate(records, before.get(topic) ?? 0)
    return { topic, records, rows, rejected, ignored, perSecond, ...lagIn(facts, topic) }
  })
  const sum = (figure: (row: StreamRow) => number): number => topics.reduce((total, row) => total + figure(row), 0)
  const records = sum((row) => row.records)
  const total = {
    topic: 'Total',
    records,
    rows: facts.tables.reduce((total, { rows }) => total + rows, 0),
    rejected: sum((row) => row.rejected),
    ignored: sum((row) => row.ignored),
    perSecond: rate(records, since?.topics.reduce((total, { records }) => total + records, 0) ?? 0),
    ...lagIn(facts, undefined),
  }
  return { topics, total }
}

/** @param topic undefined: of all */
export function lagIn({ group }: StreamFacts, topic: string | undefined): Pick<StreamRow, 'lag' | 'isLagPartial'> {
  const mine = group.partitions.filter((partition) => topic === undefined || partition.topic === topic)
  const known = mine.flatMap(({ lag }) => (lag === undefined ? [] : [lag]))
  if (known.length === 0) return { lag: undefined, isLagPartial: false }
  return { lag: known.reduce((total, lag) => total + lag, 0n), isLagPartial: known.length < mine.length }
}

/** "1,234", "1,234+" where a part of it is not known, "-" where nothing is. */
export function lagWords({ lag, isLagPartial }: Pick<StreamRow, 'lag' | 'isLagPartial'>): string {
  return lag === undefined ? '-' : `${thousands(lag)}${isLagPartial ? '+' : ''}`
}

/** Membership and what is under way: phrases. */
export function underWay({ at, group, delivery, stopping, failed }: StreamFacts): string[] {
  const { inFlight, permits, outstanding, oldestAt } = delivery
  const oldest = oldestAt === undefined ? '' : `, the oldest for ${seconds(at - oldestAt)}`
  return [
    ...(failed === undefined ? (stopping ? ['stopping'] : []) : [`stopped by an error (${failed})`]),
    ...(group.joined
      ? [`generation ${group.generation ?? '-'} with ${counted(group.partitions.length, 'partition')}`]
      : []),
    `${permits === undefined ? counted(inFlight, 'request') : `${thousands(inFlight)} of ${counted(permits, 'request')}`} in flight`,
    `${counted(outstanding, 'record')} unsettled${oldest}`,
  ]
}
