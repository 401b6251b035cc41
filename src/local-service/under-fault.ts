// One upsert or call under the fault it gets: a delay, a scripted answer, a reset before or after it is carried out, or none of them. Which
// fault it gets is decided in faults.ts.

import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from './answers.ts'
import type { Answer, Ending, Fault, SeenUpsert } from './types.ts'

/** An upsert, or a call of interface A. Its functions are called once at most, in this order.
 *  @typeParam S what hooks see of it */
interface Exchange<S> {
  /** The upsert or call as hooks see it. */
  readonly seen: S
  readonly onArrived: ((seen: S) => void | Promise<void>) | undefined
  /** Takes its fault. `undefined` when it gets none. */
  readonly fault: () => Fault | undefined
  readonly carryOut: () => Answer | Promise<Answer>
  /** The answer of a scripted success that names no body. */
  readonly success: (status: number) => Answer
  readonly onAnswered: ((seen: S, status: number | 'reset') => void) | undefined
  readonly closing: AbortSignal
}

/** Carries an exchange out under its fault. Rejects when `closing` aborts, or with what a hook or a function for an answer threw. */
export async function underFault<S>(exchange: Exchange<S>): Promise<Ending> {
  const { seen, onArrived, onAnswered, closing } = exchange
  let ending: Ending | undefined
  try {
    await onArrived?.(seen)
    ending = await endingOf(exchange)
    return ending
  } finally {
    // Something was thrown where there is no ending: the local service is closing, or it has a defect.
    const failed = closing.aborted ? 'reset' : 500
    onAnswered?.(seen, ending?.status ?? failed)
  }
}

async function endingOf<S>({ seen, fault: take, carryOut, success, closing }: Exchange<S>): Promise<Ending> {
  const fault = take()
  if (fault?.delay_ms !== undefined) await wait(fault.delay_ms, undefined, { signal: closing })
  if (fault?.reset === 'before') return { status: 'reset' }
  const answer = fault?.answer
  // only an upsert's fault has a function for an answer
  const scripted = typeof answer === 'function' ? await answer(seen as SeenUpsert) : answer
  if (scripted === undefined) {
    const carriedOut = await carryOut()
    return fault?.reset === 'after' ? { status: 'reset', points: carriedOut.points } : carriedOut
  }
  const { status, headers = {}, body } = scripted
  if (body !== undefined) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return { status, headers, body: text, reasons: reasonsIn(text) }
  }
  return { ...(status < 300 ? success(status) : refusal(status, ['a scripted fault'])), headers }
}

/** The reasons in a scripted body: `reasons`, else `message`, of a JSON object. `undefined` when it is anything else. */
function reasonsIn(body: string): readonly string[] | undefined {
  try {
    const { reasons, message } = JSON.parse(body) as { readonly reasons?: unknown; readonly message?: unknown }
    if (Array.isArray(reasons)) return reasons.map(String)
    return typeof message === 'string' ? [message] : undefined
  } catch {
    return undefined
  }
}
