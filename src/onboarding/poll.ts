// Asks until a job is over, its time is, or nobody waits any more: what the word for a job's state means, and what is
// noted in the journal when one ended that a creating request started.

import { ConnectorError } from '../core/errors.ts'
import type { Endpoint } from '../service/contract.ts'
import type { Limit } from '../service/onboarding/onboarding-api.ts'
import type { Called, Passing } from '../service/onboarding/onboarding-outcome.ts'
import type { Creating } from './journal-entries.ts'
import { questionAbout } from './questions.ts'
import { limitOf, pollPause, stopOf, TOTAL } from './safely.ts'
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
    const pause = Math.max(pollPause(run, polls), afterMs)
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

export type JobState = 'done' | 'failed' | 'running'

/** Case-blind. What is neither done nor failed is running. */
export function stateOf(word: string): JobState {
  const text = word.trim().toLowerCase()
  const good = text.startsWith('complete') || text === 'success' || text === 'succeeded'
  if (good && !/error|fail|warn/.test(text)) return 'done'
  return /fail|error|cancel|reject|expire/.test(text) ? 'failed' : 'running'
}

/** Throws a ConnectorError when the job fails, `problem` says what to do then, or when its time is over.
 *  @param learnt what the journal keeps of a job that ended well */
export async function follow<T, V>(
  run: Run,
  creating: Creating,
  polling: Omit<Polling<T, V>, 'onOverdue'>,
  problem: (word: string) => string,
  learnt: (value: V) => { client_id?: number; pubkey?: string } = () => ({}),
): Promise<Got<V>> {
  const { journal } = run
  const over = await poll(run, {
    ...polling,
    onOverdue: (word) => journal.append({ event: 'waited', endpoint: creating, word }),
  })
  if (over.status !== 'got') return over
  const { state, word, value } = over.value
  if (state === 'failed') {
    journal.append({ event: 'failed', endpoint: creating, word })
    throw new ConnectorError('config', problem(word))
  }
  journal.append({ event: 'done', endpoint: creating, ...learnt(value) })
  run.track.tell('done', word)
  return { status: 'got', value }
}

/** Nobody knows whether it was made. @param found what a list of the service says, as a sentence */
export function ask(run: Run, creating: Creating, found?: string): Halt {
  const { known } = run.journal
  return {
    status: 'asks',
    question: questionAbout(creating, known.made[creating], run.plan, known.clientId, found),
  }
}
