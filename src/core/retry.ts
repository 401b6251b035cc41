// When a batch is sent again, and the errors that end a run instead. Pure: no timer, chance is a parameter.

import { backoffMs, REQUEST, THROTTLED } from './backoff.ts'
import { ConnectorError } from './errors.ts'
import type { Outcome, Track } from './types.ts'

type Retry = Outcome & { status: 'retry' }

/** What has happened to a batch so far. */
interface Attempted {
  readonly table: { readonly name: string }
  readonly track: Track
  /** Attempts made, the one just ended included. */
  readonly attempts: number
  readonly firstAt: number
  /** Whether an attempt before found its connection stale. */
  readonly wasStale: boolean
}

/** When a batch is tried again after an attempt that came to nothing.
 *  @param retryForMs budget of a batch from its first attempt, pauses included
 *  (decisions.md#retries-have-a-time-budget)
 *  @param random [0, 1)
 *  @returns never before Retry-After is over, at the budget's end at the latest; a transient error when the budget is spent
 *  or Retry-After ends beyond it. A first stale connection is tried again at once */
export function nextAttempt(
  outcome: Retry,
  batch: Attempted,
  retryForMs: number,
  now: number,
  random: number,
): number | ConnectorError {
  const deadline = batch.firstAt + retryForMs
  const asked = now + (outcome.afterMs ?? 0)
  if (now >= deadline || asked > deadline) return exhausted(outcome, batch, retryForMs, now)
  if (outcome.stale === true && !batch.wasStale) return asked
  const pause = backoffMs(outcome.cause === 'throttled' ? THROTTLED : REQUEST, batch.attempts, random)
  // chance never ends a run early: a pause beyond the budget becomes one last attempt at its end
  return Math.max(asked, Math.min(now + pause, deadline))
}

function exhausted(outcome: Retry, batch: Attempted, retryForMs: number, now: number): ConnectorError {
  const { reason, remedy, afterMs } = outcome
  const spent = Math.round((now - batch.firstAt) / 1000)
  const asked = afterMs === undefined ? '' : `, and it asks to wait ${Math.round(afterMs / 1000)} s`
  const tried = batch.attempts === 1 ? 'once' : `${batch.attempts} times`
  const wait = afterMs === undefined ? '' : ' To wait that long, raise retry_for_seconds.'
  return new ConnectorError(
    'transient',
    `Could not deliver to table "${batch.table.name}": ${reason}${asked}. Tried ${tried} in ${spent} s, ` +
      `the limit is ${Math.round(retryForMs / 1000)} s (retry_for_seconds).${remedy === undefined ? '' : ` ${remedy}`}${wait} ` +
      `Run again ${outcome.cause === 'throttled' ? 'later' : 'when the service is back'}: the next run continues from what is committed.`,
    { track: batch.track },
  )
}

/** Three different points were refused alone, and none was ever accepted
 *  (decisions.md#three-refusals-alone-blame-the-table). */
export function tableRefused(batch: Attempted, reason: string): ConnectorError {
  return new ConnectorError(
    'config',
    `The service refuses table "${batch.table.name}" (stream "${batch.track.name}"): ${reason.replace(/\.?\s*$/, '.')} ` +
      'Three different records, each sent alone, were refused and none was ever accepted in this run, so it is the table, not single records. ' +
      'Correct what it names, or leave the stream out, and run again: the next run continues from what is committed.',
    { track: batch.track },
  )
}
