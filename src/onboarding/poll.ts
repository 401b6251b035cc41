// Polls the job that a creating request started until it ends or its time is over. A step calls `follow` when that request is answered.

import type { TemporaryFailure } from '../service/onboarding/onboarding-outcome.ts'
import { exhausted, failure, failureOf, overdue } from './failures.ts'
import { haltIfStopped } from './halt.ts'
import { limitOf, pollPause, TOTAL, unlessTooNew } from './retry.ts'
import type { CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** How the job of each creating request is polled: by which request, within the timeout of which step, and the words for what it makes. */
const POLLS = {
  A2: { endpoint: 'A3', step: 'client', what: 'the client' },
  A6: { endpoint: 'A7', step: 'connection', what: 'the connection' },
  A8: { endpoint: 'A9', step: 'test', what: 'the test of the connection' },
  A10: { endpoint: 'A11', step: 'dashboards', what: 'the job of the dashboards' },
} as const

type Polled = keyof typeof POLLS

export type JobState = 'done' | 'failed' | 'running'

/** The state that a word of the service means, in upper or lower case. `Completed with errors` is failed; a word that says neither done
 *  nor failed means running (decisions.md#a-states-word-says-done-or-failed). */
export function stateOf(word: string): JobState {
  const text = word.trim().toLowerCase()
  const isSuccess = text.startsWith('complete') || text === 'success' || text === 'succeeded'
  if (isSuccess && !/error|fail|warn/.test(text)) return 'done'
  return /fail|error|cancel|reject|expire/.test(text) ? 'failed' : 'running'
}

/** The state of a job by one answer to a poll. */
export interface Judged {
  readonly state: JobState
  /** The service's own word for that, shown to the user. */
  readonly word: string
  /** The facts that the journal keeps of a signup that is done. Absent for other jobs. */
  readonly learnt?: { readonly client_id: number; readonly pubkey?: string }
}

interface Polling<T> {
  /** Sends one poll. */
  readonly attempt: CallAttempt<T>
  /** Called once for each answer, in their order. */
  readonly judge: (answer: T) => Judged
  /** Makes the message for a job that failed, from the service's last word. */
  readonly problem: (word: string) => string
}

/** The latest polls, which failed one after another for temporary reasons. `outcome` is that of the last one. */
interface FailureStreak {
  /** When the first of them was sent, by the clock of the run. */
  readonly since: number
  readonly polls: number
  readonly outcome: TemporaryFailure
}

/** Polls until the job is done, and writes how it ended to the journal. Goes on after temporary failures.
 *  @returns what the last answer said: `state` is done
 *  @throws ConnectorError when the job fails or times out, when the service has failed for `retryForMs` or asks for a longer pause than
 *  that, or when a poll is refused */
export async function follow<T>(run: Run, creating: Polled, { attempt, judge, problem }: Polling<T>): Promise<Judged> {
  const { journal } = run
  const judged = await poll(run, creating, attempt, judge)
  const { state, word, learnt } = judged
  if (state === 'failed') {
    journal.append({ event: 'failed', endpoint: creating, word })
    throw failure('config', problem(run.scrub(word)))
  }
  journal.append({ event: 'done', endpoint: creating, ...learnt })
  run.steps.report('done', word)
  return judged
}

async function poll<T>(
  run: Run,
  creating: Polled,
  attempt: CallAttempt<T>,
  judge: (answer: T) => Judged,
): Promise<Judged> {
  const { clock, signal, steps } = run
  const { endpoint, step, what } = POLLS[creating]
  const started = clock.now()
  const deadline = Math.min(run.deadline, started + run.plan.timing.timeouts[`${step}Ms`])
  const limitOption = deadline === run.deadline ? TOTAL : `timeouts.${step}_seconds`
  let lastStatus = 'no answer yet'
  let streak: FailureStreak | undefined
  for (let polls = 1; ; polls++) {
    haltIfStopped(run)
    const since = streak?.since ?? clock.now()
    // a 404 soon after the creation counts as a temporary failure
    const outcome = unlessTooNew(run, endpoint, await attempt(() => limitOf(run, deadline, limitOption)))
    steps.polled()
    if (outcome.status === 'answered') {
      streak = undefined
      const judged = judge(outcome.value)
      if (judged.state !== 'running') return judged
      lastStatus = `"${judged.word}"`
      steps.report('waiting', judged.word)
    } else {
      haltIfStopped(run)
      if (outcome.status !== 'retry') throw failureOf(endpoint, outcome)
      streak = { since, polls: (streak?.polls ?? 0) + 1, outcome }
      lastStatus = outcome.reason
      steps.report('waiting', lastStatus)
    }
    const now = clock.now()
    const retryMs = streak === undefined ? Infinity : retryTimeLeft(run, streak)
    // afterMs: the service asks for at least that pause; withinMs: the next poll is to begin within it
    const { afterMs = 0, withinMs = Infinity } = streak?.outcome ?? {}
    if (now >= deadline || now + afterMs > deadline) {
      run.journal.append({ event: 'waited', endpoint: creating, word: lastStatus })
      const problem = `${what} was not done in time; its last status: ${lastStatus}`
      throw overdue(endpoint, problem, polls, now - started, limitOption)
    }
    const pause = Math.max(pollPause(run, polls), afterMs)
    await clock.wait(Math.min(pause, deadline - now, retryMs, withinMs), signal)
  }
}

/** How long polls may go on failing, in milliseconds. Throws a ConnectorError when that time is over, or the service asks for a longer
 *  pause: then the service is unavailable, whatever the job's state. */
function retryTimeLeft({ clock, plan }: Run, { since, polls, outcome }: FailureStreak): number {
  const now = clock.now()
  const leftMs = since + plan.timing.retryForMs - now
  if (leftMs > 0 && leftMs >= (outcome.afterMs ?? 0)) return leftMs
  throw exhausted(outcome, polls, now - since, 'retry_for_seconds')
}
