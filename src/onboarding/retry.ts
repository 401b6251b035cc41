// Repeats requests that failed for a temporary reason, until they are answered or the time is over. Requests that may be sent twice go
// through `requestUntilAnswered`; create.ts and poll.ts have loops of their own, which use the other functions.

import { backoffMs, POLL, REQUEST } from '../core/backoff.ts'
import type { Endpoint } from '../service/contract.ts'
import type { Limit } from '../service/onboarding/onboarding-api.ts'
import type { CallOutcome, TemporaryFailure } from '../service/onboarding/onboarding-outcome.ts'
import { exhausted, failureOf } from './failures.ts'
import { haltIfStopped } from './halt.ts'
import type { CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** An attempt gets at least this much time, even if less is left. */
const LEAST_MS = 1_000

/** How long some parts of the service may not know yet what another part has created. */
const LAG_MS = 10_000

/** The option that limits the whole run. */
export const TOTAL = 'timeouts.total_seconds'

/** The part of a run that is needed to repeat a request: not its sessions, which the login (A1) has yet to make. */
type RunPart = Pick<Run, 'plan' | 'clock' | 'signal' | 'deadline' | 'steps' | 'journal'>

/** Turns a 404 into a temporary failure for a while after something was created: the part of the service that answers may not know it. */
export function unlessTooNew<T>(
  { plan, journal }: Pick<Run, 'plan' | 'journal'>,
  endpoint: Endpoint,
  outcome: CallOutcome<T>,
): CallOutcome<T> {
  if (outcome.status !== 'refused' || outcome.code !== 404 || endpoint === 'A1') return outcome
  const withinMs = Math.min(LAG_MS, plan.timing.retryForMs) - journal.createdAgoMs
  return withinMs > 0 ? { status: 'retry', reason: outcome.reason, ambiguous: false, withinMs } : outcome
}

/** Repeats a request that may be sent twice (A1, A3, A5, A7, A9, A11), for `retryForMs`, pauses for Retry-After included.
 *  Throws a ConnectorError when it is refused, its answer is unreadable, or no answer comes in time. */
export async function requestUntilAnswered<T>(run: RunPart, endpoint: Endpoint, attempt: CallAttempt<T>): Promise<T> {
  const started = run.clock.now()
  for (let tries = 1; ; tries++) {
    haltIfStopped(run)
    const outcome = unlessTooNew(run, endpoint, await attempt(() => limitOf(run, run.deadline, TOTAL)))
    if (outcome.status === 'answered') return outcome.value
    haltIfStopped(run)
    if (outcome.status !== 'retry') throw failureOf(endpoint, outcome)
    await waitToRepeat(run, outcome, tries, started)
  }
}

/** Waits before the next attempt, or until the stop signal. Throws a ConnectorError when `retryForMs` or the total time is over,
 *  or Retry-After (`afterMs`) would go beyond that.
 *  @param tries attempts made so far
 *  @param started when the first one was made, by the clock of the run */
export async function waitToRepeat(
  { clock, signal, plan, deadline, steps }: RunPart,
  outcome: TemporaryFailure,
  tries: number,
  started: number,
): Promise<void> {
  const { reason, afterMs, withinMs = Infinity } = outcome
  const until = Math.min(deadline, started + plan.timing.retryForMs)
  const now = clock.now()
  const pause = Math.max(afterMs ?? 0, backoffMs(REQUEST, tries, clock.random()))
  if (now >= until || now + (afterMs ?? 0) > until) {
    throw exhausted(outcome, tries, now - started, `retry_for_seconds, ${TOTAL}`)
  }
  steps.report('waiting', reason)
  await clock.wait(Math.min(pause, until - now, withinMs), signal)
}

/** The time limit of an attempt that begins now and should end by `deadline`. `slowRemedy` is advice for when it does not.
 *  @param option the option that sets the deadline */
export function limitOf(
  { plan, clock, signal }: Pick<Run, 'plan' | 'clock' | 'signal'>,
  deadline: number,
  option: string,
): Limit {
  const { requestTimeoutMs } = plan.timing
  const leftMs = Math.max(LEAST_MS, deadline - clock.now())
  if (requestTimeoutMs <= leftMs) return { timeoutMs: requestTimeoutMs, signal }
  return { timeoutMs: leftMs, signal, slowRemedy: `if the service is slow, raise ${option}` }
}

/** The pause before the next poll, in milliseconds. @param polls made so far, from 1 */
export function pollPause({ plan, clock }: Pick<Run, 'plan' | 'clock'>, polls: number): number {
  const { firstMs, maxMs: longestMs } = plan.timing.polling
  return backoffMs({ ...POLL, firstMs, longestMs }, polls, clock.random())
}
