// Repeats requests that failed for a temporary reason, until they are answered or there is no point in going on; and the errors
// for the latter: what failed, what was found, what to do.

import { backoffMs, POLL, REQUEST } from '../core/backoff.ts'
import { ConnectorError } from '../core/errors.ts'
import type { Endpoint } from '../service/contract.ts'
import type { Limit } from '../service/onboarding/onboarding-api.ts'
import { named } from '../service/onboarding/onboarding-outcome.ts'
import type { CallOutcome, TemporaryFailure } from '../service/onboarding/onboarding-outcome.ts'
import type { CallAttempt } from './sessions.ts'
import { haltIfStopped } from './types.ts'
import type { Run } from './types.ts'

/** An attempt gets at least this much time, even if less is left. */
const LEAST_MS = 1_000

/** How long parts of the service may not know what it has just created. */
const LAG_MS = 10_000

/** The option that limits the whole run. */
export const TOTAL = 'timeouts.total_seconds'

type Patient = Pick<Run, 'plan' | 'clock' | 'signal' | 'deadline' | 'steps' | 'journal'>

/** Makes a 404 a temporary failure for a while after something was created: nothing was carried out, and a part of the service may
 *  not know it yet. */
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
export async function requestUntilAnswered<T>(run: Patient, endpoint: Endpoint, attempt: CallAttempt<T>): Promise<T> {
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
 *  or Retry-After goes beyond it.
 *  @param tries attempts made
 *  @param started before the first one */
export async function waitToRepeat(
  { clock, signal, plan, deadline, steps }: Patient,
  outcome: TemporaryFailure,
  tries: number,
  started: number,
): Promise<void> {
  const { reason, afterMs, withinMs = Infinity } = outcome
  const until = Math.min(deadline, started + plan.timing.retryForMs)
  const now = clock.now()
  const pause = retryPause(tries, afterMs, clock.random())
  if (now >= until || now + (afterMs ?? 0) > until) {
    throw exhausted(outcome, tries, now - started, `retry_for_seconds, ${TOTAL}`)
  }
  steps.report('waiting', reason)
  await clock.wait(Math.min(pause, until - now, withinMs), signal)
}

/** The limit of an attempt that begins now and should end by `deadline`.
 *  @param option the one that sets the deadline */
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

/** The error for an outcome that a retry would not change. */
export function failureOf(
  endpoint: Endpoint,
  outcome: Exclude<CallOutcome<unknown>, { status: 'answered' | 'retry' }>,
): Error {
  switch (outcome.status) {
    case 'refused':
      return refused(endpoint, outcome.code, outcome.reason)
    case 'unclear':
      return unreadableAnswer(outcome.reason)
    case 'stop':
      return outcome.error
    default:
      return outcome satisfies never
  }
}

/** The pause before another try, at least Retry-After.
 *  @param tries attempts made
 *  @param random [0, 1) */
export function retryPause(tries: number, afterMs: number | undefined, random: number): number {
  return Math.max(afterMs ?? 0, backoffMs(REQUEST, tries, random))
}

/** @param polls made so far, from 1 */
export function pollPause({ plan, clock }: Pick<Run, 'plan' | 'clock'>, polls: number): number {
  const { firstMs, maxMs: longestMs } = plan.timing.polling
  return backoffMs({ ...POLL, firstMs, longestMs }, polls, clock.random())
}

/** Remedies for a refusal, by endpoint. */
const CORRECT: Readonly<Record<Endpoint, string>> = {
  A1: 'Check login.username, login.password, login.client_id and login.client_secret, and base_url.',
  A2: 'Check the members of client, and base_url.',
  A3: 'Check base_url; if it is right, ask the operator of the service what became of the signup.',
  A4: 'Check the members of user.',
  A5: 'Check the members of properties.',
  A6: 'Check the members of connection.',
  A7: 'Check that login may see the connections of this client.',
  A8: 'Check dashboard_url, and that login may start jobs for this client.',
  A9: 'Check dashboard_url and connection_test.poll_number.',
  A10: 'Check the members of dashboards, dashboards.package above all.',
  A11: 'Ask the operator of the service what became of the dashboards.',
}

/** A 4xx. `reason` begins with the endpoint. */
function refused(endpoint: Endpoint, code: number, reason: string): ConnectorError {
  const access = code === 401 || code === 403
  const words =
    endpoint !== 'A1' && access ? 'Check that the user of login may do this for this client.' : CORRECT[endpoint]
  const place = code === 404 || code === 405 ? ' Check also that the address is the right one.' : ''
  return new ConnectorError('config', undefined, `${reason}. ${words}${place} ${AGAIN}`)
}

/** An unreadable 2xx answer to a request that may be sent twice. */
function unreadableAnswer(reason: string): ConnectorError {
  return new ConnectorError(
    'config',
    undefined,
    `${reason}. This is not what the documentation of the service shows: check the address and any proxy in between. ${AGAIN}`,
  )
}

/** `spentMs` of `limit`, an option. */
export function exhausted(
  { reason, remedy, afterMs }: Pick<TemporaryFailure, 'reason' | 'remedy' | 'afterMs'>,
  tries: number,
  spentMs: number,
  limit: string,
): ConnectorError {
  const asked = afterMs === undefined ? '' : `, and it asks to wait ${Math.round(afterMs / 1_000)} s`
  const times = tries === 1 ? 'once' : `${tries} times`
  const more = remedy === undefined ? '' : ` ${remedy}`
  return new ConnectorError(
    'transient',
    undefined,
    `${reason}${asked}. Tried ${times} in ${seconds(spentMs)} s (${limit}).${more} When the service is back, ${again}`,
  )
}

/** A job that does not end in time. */
export function overdue(
  endpoint: Endpoint,
  what: string,
  polls: number,
  spentMs: number,
  limit: string,
): ConnectorError {
  const times = polls === 1 ? 'once' : `${polls} times`
  return new ConnectorError(
    'transient',
    undefined,
    `${named(endpoint)}: ${what}. Asked ${times} in ${seconds(spentMs)} s (${limit}). To keep waiting, ${again} If the status stays as it is, ask the operator of the service.`,
  )
}

/** The total time is over before a request. */
export function outOfTime(endpoint: Endpoint): ConnectorError {
  return new ConnectorError(
    'transient',
    undefined,
    `No time was left for ${named(endpoint)} (timeouts.total_seconds). To continue, ${again}`,
  )
}

const again = 'run the same command again: nothing is created twice.'
const AGAIN = `Then ${again}`

function seconds(ms: number): string {
  return ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000))
}
