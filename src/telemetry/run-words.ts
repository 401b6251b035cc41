// Phrases about how a run stands, and how one that was asked to stop has ended. What it waits for is in wait-words.ts.

import type { LogFields } from '../process/io.ts'
import type { DeliveryFacts, GroupFacts, RunFacts } from '../run/run-facts.ts'
import type { RunFigure } from '../run/run-figures.ts'
import { counted, secondsText, thousands } from '../text/figures.ts'

/** Returns phrases about the group that was joined, or the time and the input read; then about requests in flight and unsettled records. */
export function underWay({ at, startedAt, group, isDry, delivery, input, stopping, failed }: RunFacts): string[] {
  const { inFlight, permits, outstanding, failingSince } = delivery
  const oldestAt = group?.oldestAt
  const leftMs = stopping || failingSince !== undefined ? undefined : readingLeftMs(input, at - startedAt)
  const oldest = oldestAt === undefined ? '' : `, the oldest for ${secondsText(at - oldestAt)}`
  const stop = stopping ? ['stopping'] : []
  const sent = [
    `${permits === undefined ? counted(inFlight, 'request') : `${thousands(inFlight)} of ${counted(permits, 'request')}`} in flight`,
    ...rateWords(delivery),
    `${counted(outstanding, 'record')} unsettled${oldest}`,
  ]
  return [
    ...(failed === undefined ? stop : [`stopped by an error (${failed})`]),
    ...(group === undefined ? [`${secondsText(at - startedAt)}${inputWords(input, leftMs)}`] : []),
    ...(group?.joined === true
      ? [`generation ${group.generation ?? '-'} with ${counted(group.partitions.length, 'partition')}`]
      : []),
    ...(isDry === true ? [] : sent),
  ]
}

/** The least share of the input read, and the least time, from which the end of reading is estimated. */
const LEAST_SHARE = 0.01
const LEAST_MS = 3000

/** Estimates the time to read the rest at the rate so far. `undefined` when it is too early, or all is read. */
function readingLeftMs(input: RunFacts['input'], elapsedMs: number): number | undefined {
  if (input === undefined || elapsedMs < LEAST_MS) return undefined
  const share = input.read / input.size
  return share >= LEAST_SHARE && share < 1 ? (elapsedMs * (1 - share)) / share : undefined
}

function inputWords(input: RunFacts['input'], leftMs: number | undefined): string {
  if (input === undefined || input.size === 0) return ''
  const read = `, ${Math.floor(Math.min(1, input.read / input.size) * 100)} % of ${megabytes(input.size)} read`
  return leftMs === undefined || leftMs < 1000 ? read : `${read}, about ${secondsText(leftMs)} left`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}

/** Returns a phrase if a learnt rate holds requests back: "at most 245 requests/s (429 Too Many Requests)". */
export function rateWords({ rate, heldBy }: Pick<DeliveryFacts, 'rate' | 'heldBy'>): string[] {
  if (heldBy !== 'rate' || rate === undefined) return []
  const cause =
    rate.cause === undefined ? '' : ` (${rate.cause}${rate.isSuspected === true ? ', perhaps by chance' : ''})`
  return [`at most ${counted(Math.max(1, Math.round(rate.perSecond)), 'request')}/s${cause}`]
}

/** The lag in words: "1,234"; "1,234+" if it is known only in part; "-" if unknown. */
export function lagWords({ lag, isLagPartial }: Pick<RunFigure, 'lag' | 'isLagPartial'>): string {
  return lag === undefined ? '-' : `${thousands(lag)}${isLagPartial ? '+' : ''}`
}

/** Says how a run that was asked to stop has ended, as a sentence and in fields. `undefined` when it has not. */
export function stoppedWords({ stopped, group }: RunFacts): { message: string; fields: LogFields } | undefined {
  if (stopped === undefined) return undefined
  const { settled, unsettled, uncommitted, hasLeft } = stopped
  const are = unsettled === 1 ? 'is' : 'are'
  const again = unsettled === 0 ? '' : `; ${counted(unsettled, 'record')} read and not settled ${are} read again`
  const ends = group ? [commitWords(stopped, group), hasLeft ? leftWords(group) : NOT_LEFT] : ['progress saved']
  return {
    message: `Stopped: ${[`${counted(settled, 'record')} settled`, ...ends].join(', ')}${again}.`,
    fields: {
      settled_records: settled,
      unsettled_records: unsettled,
      uncommitted_partitions: uncommitted,
      left: hasLeft,
    },
  }
}

const NOT_LEFT = 'group not left: it gives the partitions to others when the session times out'

function leftWords({ rebalances }: GroupFacts): string {
  return rebalances === 0 ? 'no group joined' : 'group left'
}

function commitWords({ uncommitted }: { readonly uncommitted: number }, { commits }: GroupFacts): string {
  if (uncommitted > 0)
    return `the last offsets of ${counted(uncommitted, 'partition')} not committed (records after them are read again)`
  return commits.taken > 0 ? 'offsets committed' : 'nothing to commit'
}
