// Polls the job that a creating request started until it ends or its time is over. Each step calls `follow` once, when the journal has
// the answer to that request; a test may have no id yet, which its `judge` then finds.

import type { TemporaryFailure } from '../service/onboarding/onboarding-outcome.ts'
import { exhausted, failure, failureOf, overdue } from './failures.ts'
import { haltIfStopped } from './halt.ts'
import { limitOf, pollPause, TOTAL, unlessTooNew } from './retry.ts'
import type { CallAttempt } from './sessions.ts'
import type { Run } from './types.ts'

/** Polls by creating request: the request that polls it, the step whose timeout applies, and what is waited for. */
const POLLS = {
  A2: { endpoint: 'A3', step: 'client', what: 'the client' },
  A6: { endpoint: 'A7', step: 'connection', what: 'the connection' },
  A8: { endpoint: 'A9', step: 'test', what: 'the test of the connection' },
  A10: { endpoint: 'A11', step: 'dashboards', what: 'the job of the dashboards' },
} as const

type Polled = keyof typeof POLLS

export type JobState = 'done' | 'failed' | 'running'

/** The state that a word of the service means, whatever its case. A word that says neither done nor failed means running
 *  (decisions.md#a-states-word-says-done-or-failed). */
export function stateOf(word: string): JobState {
  const text = word.trim().toLowerCase()
  const good = text.startsWith('complete') || text === 'success' || text === 'succeeded'
  if (good && !/error|fail|warn/.test(text)) return 'done'
  return /fail|error|cancel|reject|expire/.test(text) ? 'failed' : 'running'
}

/** What one answer to a poll says of the job. */
export interface Judged {
  readonly state: JobState
  /** The service's own word for that, shown to the user. */
  readonly word: string
  /** What the journal keeps of a job that is done. */
  readonly learnt?: { readonly client_id: number; readonly pubkey?: string }
}

interface Polling<T> {
  /** Sends one poll. */
  readonly attempt: CallAttempt<T>
  /** Called once for each answer, in their order. */
  readonly judge: (answer: T) => Judged
  /** The message for a job that failed: what to do. */
  readonly problem: (word: string) => string
}

/** The present row of polls that failed for a temporary reason; `outcome` is the last one's. */
interface Failing {
  readonly since: number
  readonly polls: number
  readonly outcome: TemporaryFailure
}

/** Polls until the job is done, and writes its end to the journal, whatever it is. A temporary failure is a poll without a result.
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
  const limit = deadline === run.deadline ? TOTAL : `timeouts.${step}_seconds`
  let word = 'no answer yet'
  let failing: Failing | undefined
  for (let polls = 1; ; polls++) {
    haltIfStopped(run)
    const since = failing?.since ?? clock.now()
    const outcome = unlessTooNew(run, endpoint, await attempt(() => limitOf(run, deadline, limit)))
    steps.polled()
    if (outcome.status === 'answered') {
      failing = undefined
      const judged = judge(outcome.value)
      if (judged.state !== 'running') return judged
      word = `"${judged.word}"`
      steps.report('waiting', judged.word)
    } else {
      haltIfStopped(run)
      if (outcome.status !== 'retry') throw failureOf(endpoint, outcome)
      failing = { since, polls: (failing?.polls ?? 0) + 1, outcome }
      word = outcome.reason
      steps.report('waiting', word)
    }
    const now = clock.now()
    const patience = failing === undefined ? Infinity : patienceLeft(run, failing)
    const { afterMs = 0, withinMs = Infinity } = failing?.outcome ?? {}
    if (now >= deadline || now + afterMs > deadline) {
      run.journal.append({ event: 'waited', endpoint: creating, word })
      throw overdue(endpoint, `${what} was not done in time; its last status: ${word}`, polls, now - started, limit)
    }
    const pause = Math.max(pollPause(run, polls), afterMs)
    await clock.wait(Math.min(pause, deadline - now, patience, withinMs), signal)
  }
}

/** Milliseconds that are left to wait. Throws when there are none, as then the service is unavailable, whatever the
 *  job's state. */
function patienceLeft({ clock, plan }: Run, { since, polls, outcome }: Failing): number {
  const now = clock.now()
  const leftMs = since + plan.timing.retryForMs - now
  if (leftMs > 0 && leftMs >= (outcome.afterMs ?? 0)) return leftMs
  throw exhausted(outcome, polls, now - since, 'retry_for_seconds')
}
