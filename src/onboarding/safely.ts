// Sends what may be sent twice (A1, A3, A5, A7, A9, A11) until it is answered, or until that is hopeless.

import { backoffMs, POLL, REQUEST } from '../core/backoff.ts'
import type { Endpoint } from '../service/contract.ts'
import type { Limit } from '../service/onboarding/onboarding-api.ts'
import type { Called, Passing } from '../service/onboarding/onboarding-outcome.ts'
import { exhausted, refused, unreadableAnswer } from './stops.ts'
import type { Got, Halt, Run } from './types.ts'

/** An attempt at whose start only so much is left gets this much all the same. */
const LEAST_MS = 1_000

/** The option for the time of all. */
export const TOTAL = 'timeouts.total_seconds'

/** Repeats for `retryForMs`, the pause that Retry-After asks for included. Throws a ConnectorError when it is refused,
 *  unreadableAnswer, or not answered in time. */
export async function safely<T>(
  run: Pick<Run, 'plan' | 'clock' | 'signal' | 'deadline' | 'track'>,
  endpoint: Endpoint,
  attempt: (limit: () => Limit) => Promise<Called<T> | Halt>,
): Promise<Got<T>> {
  const { clock, signal } = run
  const started = clock.now()
  for (let tries = 1; ; tries++) {
    if (signal.aborted) return { status: 'stopped' }
    const called = await attempt(() => limitOf(run, run.deadline, TOTAL))
    if (called.status === 'answered') return { status: 'got', value: called.value }
    if (called.status === 'stopped' || called.status === 'asks') return called
    if (signal.aborted) return { status: 'stopped' }
    if (called.status !== 'retry') throw stopOf(endpoint, called)
    await waitToRepeat(run, called, tries, started)
  }
}

/** Waits as long as a passing fault asks for; on a stop no longer. Throws a ConnectorError when `retryForMs` or the time of
 *  all is over, or Retry-After goes beyond it.
 *  @param tries attempts made
 *  @param started before the first one */
export async function waitToRepeat(
  { clock, signal, plan, deadline, track }: Pick<Run, 'plan' | 'clock' | 'signal' | 'deadline' | 'track'>,
  called: Passing,
  tries: number,
  started: number,
): Promise<void> {
  const { reason, afterMs } = called
  const until = Math.min(deadline, started + plan.timing.retryForMs)
  const now = clock.now()
  const pause = retryPause(tries, afterMs, clock.random())
  if (now >= until || now + (afterMs ?? 0) > until)
    throw exhausted(called, tries, now - started, `retry_for_seconds, ${TOTAL}`)
  track.tell('waiting', reason)
  await clock.wait(Math.min(pause, until - now), signal)
}

/** For an attempt that begins now and should be over at `deadline`.
 *  @param option that the deadline comes from */
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

/** What ends a request that no repetition would help. */
export function stopOf(endpoint: Endpoint, called: Exclude<Called<unknown>, { status: 'answered' | 'retry' }>): Error {
  switch (called.status) {
    case 'refused':
      return refused(endpoint, called.code, called.reason)
    case 'unclear':
      return unreadableAnswer(called.reason)
    case 'stop':
      return called.error
    default:
      return called satisfies never
  }
}

/** Never before Retry-After is over.
 *  @param tries attempts made
 *  @param random [0, 1) */
export function retryPause(tries: number, afterMs: number | undefined, random: number): number {
  return Math.max(afterMs ?? 0, backoffMs(REQUEST, tries, random))
}

/** @param polls made so far, from 1 */
export function pollPause({ plan, clock }: Pick<Run, 'plan' | 'clock'>, polls: number): number {
  const { pollFirstMs, pollMaxMs } = plan.timing
  return backoffMs({ ...POLL, firstMs: pollFirstMs, longestMs: pollMaxMs }, polls, clock.random())
}
