// Sends a request that must not be sent twice (A2, A4, A6, A8, A10). Its intent is in the journal before it is sent, its result
// afterwards, and it is sent again only when it is certain that it was not carried out.

import { asConnectorError, ConnectorError } from '../core/errors.ts'
import { named, type CallOutcome } from '../service/onboarding/onboarding-outcome.ts'
import { IDENTITIES } from './identity.ts'
import { isOpen, type Creating } from './journal-entries.ts'
import { failureOf, outOfTime } from './failures.ts'
import { askUser, haltIfStopped } from './halt.ts'
import { unlessTooNew, waitToRepeat } from './retry.ts'
import { LOGGING_IN_AGAIN, type LiveSession, type SessionRequest } from './sessions.ts'
import type { Run } from './types.ts'

const CONFLICT = 409
/** How long, after a stop signal, the answer to a creating request is waited for: it saves a question. */
const GRACE_MS = 5_000

/** What the answer to a creating request brings. */
interface Created {
  /** Null while a job has none yet (A8). */
  readonly id: string | number | null
  /** Only in A4's answer. */
  readonly user_id?: number | null | undefined
}

/** Creates what no list of the service shows (A2, A4, A10), unless an earlier run has; asks the user if that is not known. */
export async function createOnce<T extends Created>(
  run: Run,
  endpoint: Creating,
  request: SessionRequest<T>,
): Promise<void> {
  const { state } = run.journal.known.made[endpoint]
  if (isOpen(state) || (state === 'none' && !(await create(run, endpoint, request)))) askUser(run, endpoint)
}

/** Sends a creating request, and again while it was certainly not carried out and may be in time. Where it returns false, the caller
 *  looks for the result in a list of the service, or asks the user. After a stop signal it waits a while for the answer to a request in
 *  flight.
 *  @param seen tests that existed before (A8)
 *  @returns whether it was carried out, and the journal has the answer; false: the outcome is unknown
 *  @throws ConnectorError when it is refused, cannot be sent, or the service asks to wait for too long: it was not carried out */
export async function create<T extends Created>(
  run: Run,
  endpoint: Creating,
  request: SessionRequest<T>,
  seen?: readonly number[],
): Promise<boolean> {
  const { clock, journal, plan } = run
  const of = IDENTITIES[endpoint](plan)
  const started = clock.now()
  // a refused token is renewed once; A2 carries none
  let renewed = endpoint === 'A2'
  for (let tries = 1; ; tries++) {
    const session = await run.sessions.fresh()
    haltIfStopped(run)
    if (clock.now() >= run.deadline) throw outOfTime(endpoint)
    journal.append({ event: 'intent', endpoint, of, ...(seen === undefined ? {} : { seen: [...seen] }) })
    const outcome = unlessTooNew(run, endpoint, await requestOnce(run, request, session))
    if (outcome.status === 'answered') return keep(run, endpoint, outcome.value)
    const why = outcome.status === 'stop' ? outcome.error.message : outcome.reason
    if (mayExist(outcome)) {
      journal.append({ event: 'unknown', endpoint, why })
      haltIfStopped(run)
      return false
    }
    journal.append({ event: 'nothing', endpoint, why, confirmed: false })
    haltIfStopped(run)
    if (outcome.status === 'refused' && outcome.code === 401 && !renewed) {
      renewed = true
      run.sessions.forget(session)
      run.steps.note(LOGGING_IN_AGAIN)
      continue
    }
    if (outcome.status !== 'retry') throw failureOf(endpoint, outcome)
    await waitToRepeat(run, outcome, tries, started)
    haltIfStopped(run)
  }
}

/** Whether a person must check: it may have been carried out, or it conflicts with something that exists (409). */
function mayExist(outcome: Exclude<CallOutcome<unknown>, { status: 'answered' }>): boolean {
  if (outcome.status === 'unclear') return true
  return outcome.status === 'refused' ? outcome.code === CONFLICT : outcome.ambiguous
}

/** Writes the answer to the journal.
 *  @returns false where its id may not stand there, as it holds a secret */
function keep({ journal, scrub }: Run, endpoint: Creating, { id, user_id: userId }: Created): boolean {
  if (typeof id === 'string' && scrub(id) !== id) {
    journal.append({ event: 'unknown', endpoint, why: 'the id in the answer holds a secret' })
    return false
  }
  const more = endpoint === 'A4' && typeof userId === 'number' ? { user_id: userId } : {}
  try {
    journal.append({ event: 'answered', endpoint, id, ...more })
  } catch (error) {
    const { kind, message } = asConnectorError(error)
    const words = `${named(endpoint)} was carried out${id === null ? '' : `, and the id in the answer is ${id}`}: keep that.`
    throw new ConnectorError(kind, undefined, `${message} ${words}`, { cause: error })
  }
  return true
}

/** Sends one request, which is aborted GRACE_MS after a stop signal. */
async function requestOnce<T>(run: Run, request: SessionRequest<T>, session: LiveSession): Promise<CallOutcome<T>> {
  const { clock, plan } = run
  const tooLong = new AbortController()
  const over = new AbortController()
  const onStop = (): void => {
    run.steps.note('Stopping: waiting a moment for the answer that is on its way.')
    void clock.wait(GRACE_MS, over.signal).then(() => tooLong.abort())
  }
  run.signal.addEventListener('abort', onStop, { once: true })
  try {
    return await request({ timeoutMs: plan.timing.requestTimeoutMs, signal: tooLong.signal }, session)
  } finally {
    run.signal.removeEventListener('abort', onStop)
    over.abort()
  }
}
