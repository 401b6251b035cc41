// When a batch (a request and its attempts) is sent again after a failed attempt (`nextAttempt`), and the errors that end a run for what
// the service answers (`retriesSpent`, `tableRefused`). Times are milliseconds of the engine's clock. Pure.

import { backoffMs, REQUEST, THROTTLED } from './backoff.ts'
import type { Batch } from './batch.ts'
import type { Code } from './codes.ts'
import { ConnectorError } from './errors.ts'
import type { Outcome } from './types.ts'

type Retry = Outcome & { status: 'retry' }

/** The part of a batch that decides and is named in messages. Its last attempt has just ended. */
type Attempted = Pick<Batch<unknown>, 'table' | 'track' | 'attempts' | 'firstAt' | 'wasStale'>

/** Returns when a batch is sent again after a failed attempt: not before Retry-After is over, and not after the end of `retryForMs`. After
 *  the batch's first stale connection (one that the other end closed while it was idle) there is no pause but Retry-After.
 *  @param retryForMs time from the first attempt, pauses included (decisions.md#retries-have-a-time-budget)
 *  @param random [0, 1)
 *  @returns `undefined` when `retryForMs` is over, or ends before Retry-After does. Then the run ends with `retriesSpent` */
export function nextAttempt(
  outcome: Retry,
  batch: Attempted,
  retryForMs: number,
  now: number,
  random: number,
): number | undefined {
  const deadline = batch.firstAt + retryForMs
  const earliest = now + (outcome.afterMs ?? 0)
  if (now >= deadline || earliest > deadline) return undefined
  if (outcome.stale === true && !batch.wasStale) return earliest
  const pause = backoffMs(outcome.cause === 'throttled' ? THROTTLED : REQUEST, batch.attempts, random)
  // chance must not end a run early, so a pause that is too long is cut to make one last attempt
  return Math.max(earliest, Math.min(now + pause, deadline))
}

const CODES_OF: Readonly<Record<Retry['cause'], Code>> = {
  throttled: 'service.throttled',
  server: 'service.unavailable',
  timeout: 'service.timeout',
  network: 'service.unreachable',
}

/** Makes the error for a batch whose time for retries is spent: transient, with the remedy for what its last attempt met. */
export function retriesSpent(outcome: Retry, batch: Attempted, retryForMs: number, now: number): ConnectorError {
  const { reason, remedy, afterMs } = outcome
  const spent = Math.round((now - batch.firstAt) / 1000)
  const askedText = afterMs === undefined ? '' : `, and it asks to wait ${Math.ceil(afterMs / 1000)} s`
  const tried = batch.attempts === 1 ? 'once' : `${batch.attempts} times`
  const unspent = Math.max(0, Math.floor((batch.firstAt + retryForMs - now) / 1000))
  const leftText = afterMs === undefined ? '' : `, of which ${unspent} s are left`
  const remedyText = remedy === undefined ? '' : ` ${remedy}`
  const waitAdvice = afterMs === undefined ? '' : ' To wait that long, raise retry_for_seconds.'
  const whenText = outcome.cause === 'throttled' ? 'later' : 'when the service is back'
  return new ConnectorError(
    'transient',
    CODES_OF[outcome.cause],
    `Could not deliver to table "${batch.table.name}": ${reason}${askedText}. Tried ${tried} in ${spent} s, ` +
      `the limit is ${Math.round(retryForMs / 1000)} s (retry_for_seconds)${leftText}.${remedyText}${waitAdvice} ` +
      `Run again ${whenText}: the next run continues from what is committed.`,
    { track: batch.track },
  )
}

/** Makes the error for a table of which three different points were refused alone, and none was ever accepted
 *  (decisions.md#three-refusals-alone-blame-the-table). */
export function tableRefused(batch: Attempted, reason: string): ConnectorError {
  return new ConnectorError(
    'config',
    'table.refused',
    // `said` marks the service's words: they may repeat data of records, and the summary leaves them out
    (said) =>
      `The service refuses table "${batch.table.name}" (stream "${batch.track.name}")${said(`: ${reason.replace(/\.?\s*$/, '')}`)}. ` +
      'Three different records, each sent alone, were refused and none was ever accepted in this run, so it is the table, not single records. ' +
      'Correct what it names, or leave the stream out, and run again: the next run continues from what is committed.',
    { track: batch.track },
  )
}
