// Sends a request that must not be sent twice (A2, A4, A6, A8, A10): its intent is in the journal before, its result behind,
// and it is sent again only when it is certain that it was not carried out.

import { ConnectorError, asConnectorError } from '../core/errors.ts'
import { named } from '../service/onboarding/onboarding-outcome.ts'
import type { Called } from '../service/onboarding/onboarding-outcome.ts'
import type { Creating } from './journal-entries.ts'
import { stopOf, waitToRepeat } from './safely.ts'
import type { LiveSession, SessionRequest } from './sessions.ts'
import { outOfTime } from './stops.ts'
import type { Got, Run } from './types.ts'

const CONFLICT = 409

export interface Creation<T> {
  readonly endpoint: Creating
  /** Options and values that tell this onboarding from another. */
  readonly of: Readonly<Record<string, string>>
  /** Tests there were before (A8). */
  readonly seen?: readonly number[]
  readonly request: SessionRequest<T>
  /** What the journal keeps of the answer. */
  readonly kept: (answer: T) => { id: string | number | null; user_id?: number }
}

/** unknown: the request may have been carried out, and nothing says whether it was. */
export type Created<T> = Got<T> | { readonly status: 'unknown' }

/** Throws a ConnectorError when the request is refused, cannot be sent, or is put off for too long; then it was not carried
 *  out. Told to stop, it waits a while for the answer to what is under way. */
export async function create<T>(run: Run, creation: Creation<T>): Promise<Created<T>> {
  const { clock, signal, journal } = run
  const { endpoint, of, seen } = creation
  const started = clock.now()
  // A2 carries no token
  let renewed = endpoint === 'A2'
  for (let tries = 1; ; tries++) {
    const session = await run.sessions.fresh()
    if (session.status !== 'got') return session
    if (signal.aborted) return { status: 'stopped' }
    if (clock.now() >= run.deadline) throw outOfTime(endpoint)
    journal.append({ event: 'intent', endpoint, of: { ...of }, ...(seen === undefined ? {} : { seen: [...seen] }) })
    const called = await carefully(run, creation.request, session.value)
    if (called.status === 'answered') return keep(run, creation, called.value)
    const why = called.status === 'stop' ? called.error.message : called.reason
    if (mayBeThere(called)) {
      journal.append({ event: 'unknown', endpoint, why })
      return signal.aborted ? { status: 'stopped' } : { status: 'unknown' }
    }
    journal.append({ event: 'nothing', endpoint, why, confirmed: false })
    if (signal.aborted) return { status: 'stopped' }
    if (called.status === 'refused' && called.code === 401 && !renewed) {
      renewed = true
      run.sessions.forget(session.value)
      run.track.note('The token was not taken any more: logging in again.')
      continue
    }
    if (called.status !== 'retry') throw stopOf(endpoint, called)
    await waitToRepeat(run, called, tries, started)
    if (signal.aborted) return { status: 'stopped' }
  }
}

/** Somebody has to look: it may have been carried out, or something is in its place (409). */
function mayBeThere(called: Exclude<Called<unknown>, { status: 'answered' }>): boolean {
  if (called.status === 'unclear') return true
  return called.status === 'refused' ? called.code === CONFLICT : called.ambiguous
}

function keep<T>({ journal, scrub }: Run, { endpoint, kept }: Creation<T>, answer: T): Created<T> {
  const { id, ...more } = kept(answer)
  if (typeof id === 'string' && scrub(id) !== id) {
    journal.append({ event: 'unknown', endpoint, why: 'the id in the answer holds a secret' })
    return { status: 'unknown' }
  }
  try {
    journal.append({ event: 'answered', endpoint, id, ...more })
  } catch (error) {
    const { kind, message } = asConnectorError(error)
    const words = `${named(endpoint)} was carried out${id === null ? '' : `, and the id in the answer is ${id}`}: keep that.`
    throw new ConnectorError(kind, `${message} ${words}`, { cause: error })
  }
  return { status: 'got', value: answer }
}

/** Broken off no sooner than `graceMs` after the process was told to stop: an answer saves a question. */
async function carefully<T>(run: Run, request: SessionRequest<T>, session: LiveSession): Promise<Called<T>> {
  const { clock, plan } = run
  const tooLong = new AbortController()
  const over = new AbortController()
  const onStop = (): void => {
    run.track.note('Told to stop: waiting a moment for the answer that is on its way.')
    void clock.wait(plan.timing.graceMs, over.signal).then(() => tooLong.abort())
  }
  run.signal.addEventListener('abort', onStop, { once: true })
  try {
    return await request({ timeoutMs: plan.timing.requestTimeoutMs, signal: tooLong.signal }, session)
  } finally {
    run.signal.removeEventListener('abort', onStop)
    over.abort()
  }
}
