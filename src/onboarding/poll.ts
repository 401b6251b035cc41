// Asks until a job is over, its time is, or nobody waits any more. Knows no endpoint's answer.

import type { Limit } from '../service/onboarding/onboarding-api.ts'
import type { Called, Passing } from '../service/onboarding/onboarding-outcome.ts'
import type { Endpoint } from '../service/contract.ts'
import { pollPause } from './patience.ts'
import { limitOf, stopOf, TOTAL } from './safely.ts'
import type { JobState } from './state-words.ts'
import { exhausted, overdue } from './stops.ts'
import type { Got, Halt, Run } from './types.ts'

export interface Polling<T, V> {
  readonly endpoint: Endpoint
  /** The whole of it, in milliseconds, and the option that says so. */
  readonly forMs: number
  readonly limit: string
  readonly attempt: (limit: () => Limit) => Promise<Called<T> | Halt>
  /** `word`: for the user. `value`: of a job that is over. */
  readonly judge: (answer: T) => Judged<V>
  /** Before the error is thrown: nobody waits any longer. */
  readonly onOverdue: (word: string) => void
}

export type Judged<V> =
  | { readonly state: 'running'; readonly word: string }
  | { readonly state: Exclude<JobState, 'running'>; readonly word: string; readonly value: V }

export type Over<V> = Exclude<Judged<V>, { state: 'running' }>

/** Polls that failed for a passing reason, one after another. */
interface Failing {
  readonly since: number
  readonly polls: number
  readonly called: Passing
}

/** A passing fault is a poll that said nothing. Throws a ConnectorError when the time is over, when the service has failed
 *  for `retryForMs` or asks for a longer pause than that, or when asking is refused. */
export async function poll<T, V>(run: Run, polling: Polling<T, V>): Promise<Got<Over<V>>> {
  const { clock, signal, track } = run
  const { endpoint, judge } = polling
  const { pollFirstMs, pollMaxMs } = run.plan.timing
  const started = clock.now()
  const deadline = Math.min(run.deadline, started + polling.forMs)
  const limit = deadline === run.deadline ? TOTAL : polling.limit
  let word = 'no answer yet'
  let failing: Failing | undefined
  for (let polls = 1; ; polls++) {
    if (signal.aborted) return { status: 'stopped' }
    const since = failing?.since ?? clock.now()
    const called = await polling.attempt(() => limitOf(run, deadline, limit))
    track.polled()
    if (called.status === 'stopped' || called.status === 'asks') return called
    if (called.status === 'answered') {
      failing = undefined
      const judged = judge(called.value)
      if (judged.state !== 'running') return { status: 'got', value: judged }
      word = `"${judged.word}"`
      track.tell('waiting', judged.word)
    } else if (signal.aborted) return { status: 'stopped' }
    else if (called.status !== 'retry') throw stopOf(endpoint, called)
    else {
      failing = { since, polls: (failing?.polls ?? 0) + 1, called }
      word = called.reason
      track.tell('waiting', called.reason)
    }
    const now = clock.now()
    const patience = failing === undefined ? Infinity : patienceLeft(run, failing)
    const afterMs = failing?.called.afterMs ?? 0
    if (now >= deadline || now + afterMs > deadline) {
      polling.onOverdue(word)
      throw overdue(endpoint, `it is not done in time; the last thing heard is ${word}`, polls, now - started, limit)
    }
    const pause = Math.max(pollPause(polls, pollFirstMs, pollMaxMs, clock.random()), afterMs)
    await clock.wait(Math.min(pause, deadline - now, patience), signal)
  }
}

/** Milliseconds. Throws when there is none: it is the service that is not there, whatever became of the job. */
function patienceLeft({ clock, plan }: Run, { since, polls, called }: Failing): number {
  const now = clock.now()
  const leftMs = since + plan.timing.retryForMs - now
  if (leftMs > 0 && leftMs >= (called.afterMs ?? 0)) return leftMs
  throw exhausted(called, polls, now - since, 'retry_for_seconds')
}
