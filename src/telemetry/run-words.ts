// Phrases about how a run stands, and how a stream that was asked to stop has ended. What it waits for is in wait-words.ts.

import type { LogFields } from '../process/io.ts'
import type { DeliveryFacts, GroupFacts, RunFacts } from '../run/run-facts.ts'
import type { RunFigure } from '../run/run-figures.ts'
import { counted, secondsText, thousands } from '../text/figures.ts'

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

/** "at most 245 requests/s (429 Too Many Requests)"; empty unless a learnt rate holds requests back. */
export function rateWords({ rate, heldBy }: Pick<DeliveryFacts, 'rate' | 'heldBy'>): string[] {
  if (heldBy !== 'rate' || rate === undefined) return []
  const cause =
    rate.cause === undefined ? '' : ` (${rate.cause}${rate.isSuspected === true ? ', perhaps by chance' : ''})`
  return [`at most ${counted(Math.max(1, Math.round(rate.perSecond)), 'request')}/s${cause}`]
}

/** "1,234"; "1,234+" if it is known only in part; "-" if unknown. */
export function lagWords({ lag, isLagPartial }: Pick<RunFigure, 'lag' | 'isLagPartial'>): string {
  return lag === undefined ? '-' : `${thousands(lag)}${isLagPartial ? '+' : ''}`
}

/** @returns a sentence and the same figures as fields; `undefined` when it has not stopped */
export function stoppedWords({ stopped, group }: RunFacts): { message: string; fields: LogFields } | undefined {
  if (stopped === undefined) return undefined
  const { settled, unsettled, uncommitted, hasLeft } = stopped
  const rest =
    unsettled === 0
      ? ''
      : `; ${counted(unsettled, 'record')} read and not settled ${unsettled === 1 ? 'is' : 'are'} read again`
  const ends = group === undefined ? ['progress saved'] : [commits(stopped, group), hasLeft ? left(group) : NOT_LEFT]
  return {
    message: `Stopped: ${[`${counted(settled, 'record')} settled`, ...ends].join(', ')}${rest}.`,
    fields: {
      settled_records: settled,
      unsettled_records: unsettled,
      uncommitted_partitions: uncommitted,
      left: hasLeft,
    },
  }
}

const NOT_LEFT = 'group not left: it gives the partitions to others when the session times out'

function left({ rebalances }: GroupFacts): string {
  return rebalances === 0 ? 'no group joined' : 'group left'
}

function commits({ uncommitted }: { readonly uncommitted: number }, { commits }: GroupFacts): string {
  if (uncommitted > 0)
    return `the last offsets of ${counted(uncommitted, 'partition')} not committed (records after them are read again)`
  return commits.taken > 0 ? 'offsets committed' : 'nothing to commit'
}
