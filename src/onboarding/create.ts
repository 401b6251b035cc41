// Sends requests that create something (A2, A4, A6, A8, A10) so that none is carried out twice. The journal has the intent before a request
// is sent, and the result afterwards. It is sent again only when it was certainly not carried out.

import { asConnectorError, NO_CODE, ConnectorError } from '../core/errors.ts'
import { named, type CallOutcome } from '../service/onboarding/onboarding-outcome.ts'
import { IDENTITIES } from './identity.ts'
import { isOpen, type Creating } from './journal-entries.ts'
import { failureOf, outOfTime } from './failures.ts'
import { askUser, haltIfStopped } from './halt.ts'
import { unlessTooNew, waitToRepeat } from './retry.ts'
import { LOGGING_IN_AGAIN, type LiveSession, type SessionRequest } from './sessions.ts'
import type { Run } from './types.ts'

const CONFLICT = 409
/** How long the answer to a creating request is waited for after a stop signal: without it, the user must find out what came of it. */
const GRACE_MS = 5_000

/** The members of an answer to a creating request that the journal keeps. */
interface Created {
  /** Null while a test has none yet (A8). */
  readonly id: string | number | null
  /** Only in A4's answer. */
  readonly user_id?: number | null | undefined
}

/** Creates what no list of the service shows (A2, A4, A10), unless an earlier run has. Halts with a question when that is not known. */
export async function createOnce<T extends Created>(
  run: Run,
  endpoint: Creating,
  request: SessionRequest<T>,
): Promise<void> {
  const { state } = run.journal.known.made[endpoint]
  if (isOpen(state) || (state === 'none' && !(await create(run, endpoint, request)))) askUser(run, endpoint)
}

/** Sends a creating request; again after temporary failures, as long as it was certainly not carried out and there is time.
 *  @param seen for a test (A8), ids of those that existed before
 *  @returns true when it was carried out, and the journal has its answer; false when that is not known, so that the caller must look for
 *  what it made in a list of the service, or ask the user
 *  @throws ConnectorError when it is refused, cannot be sent, fails for too long, or is to wait too long: it was not carried out */
export async function create<T extends Created>(
  run: Run,
  endpoint: Creating,
  request: SessionRequest<T>,
  seen?: readonly number[],
): Promise<boolean> {
  const { clock, journal, plan } = run
  const identity = IDENTITIES[endpoint](plan)
  const started = clock.now()
  // once, when the token is refused (401); A2 carries none
  let mayLogInAgain = endpoint !== 'A2'
  for (let tries = 1; ; tries++) {
    const session = await run.sessions.fresh()
    haltIfStopped(run)
    if (clock.now() >= run.deadline) throw outOfTime(endpoint)
    journal.append({ event: 'intent', endpoint, of: identity, ...(seen === undefined ? {} : { seen: [...seen] }) })
    // a 404 soon after another creation counts as a temporary failure
    const outcome = unlessTooNew(run, endpoint, await requestOnce(run, request, session))
    if (outcome.status === 'answered') return recordAnswer(run, endpoint, outcome.value)
    const why = outcome.status === 'stop' ? outcome.error.message : outcome.reason
    if (mayHaveCreated(outcome)) {
      journal.append({ event: 'unknown', endpoint, why })
      haltIfStopped(run)
      return false
    }
    journal.append({ event: 'nothing', endpoint, why, confirmed: false })
    haltIfStopped(run)
    if (outcome.status === 'refused' && outcome.code === 401 && mayLogInAgain) {
      mayLogInAgain = false
      run.sessions.forget(session)
      run.steps.note(LOGGING_IN_AGAIN)
      continue
    }
    if (outcome.status !== 'retry') throw failureOf(endpoint, outcome)
    await waitToRepeat(run, outcome, tries, started)
    haltIfStopped(run)
  }
}

/** Tells whether what a request creates may exist: it may have been carried out, or it conflicts with what exists (409). */
function mayHaveCreated(outcome: Exclude<CallOutcome<unknown>, { status: 'answered' }>): boolean {
  if (outcome.status === 'unclear') return true
  return outcome.status === 'refused' ? outcome.code === CONFLICT : outcome.ambiguous
}

/** Writes the answer to the journal.
 *  @returns false when its id holds a secret, and so may not be in the journal: the outcome is unknown then */
function recordAnswer({ journal, scrub }: Run, endpoint: Creating, { id, user_id: userId }: Created): boolean {
  if (typeof id === 'string' && scrub(id) !== id) {
    journal.append({ event: 'unknown', endpoint, why: 'the id in the answer holds a secret' })
    return false
  }
  const user = endpoint === 'A4' && typeof userId === 'number' ? { user_id: userId } : {}
  try {
    journal.append({ event: 'answered', endpoint, id, ...user })
  } catch (error) {
    const { kind, message } = asConnectorError(error)
    const words = `${named(endpoint)} was carried out${id === null ? '' : `, and the id in the answer is ${id}`}: keep that.`
    throw new ConnectorError(kind, NO_CODE, `${message} ${words}`, { cause: error })
  }
  return true
}

/** Sends one request. After a stop signal it is aborted only when GRACE_MS are over. */
async function requestOnce<T>(run: Run, request: SessionRequest<T>, session: LiveSession): Promise<CallOutcome<T>> {
  const { clock, plan } = run
  const graceIsOver = new AbortController()
  const requestIsOver = new AbortController()
  const onStop = (): void => {
    run.steps.note('Stopping: waiting a moment for the answer that is on its way.')
    void clock.wait(GRACE_MS, requestIsOver.signal).then(() => graceIsOver.abort())
  }
  run.signal.addEventListener('abort', onStop, { once: true })
  try {
    return await request({ timeoutMs: plan.timing.requestTimeoutMs, signal: graceIsOver.signal }, session)
  } finally {
    run.signal.removeEventListener('abort', onStop)
    requestIsOver.abort()
  }
}
