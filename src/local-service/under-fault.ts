// Carries out one upsert, or one call of interface A (onboarding), under the fault that it gets: a delay, a scripted answer, a reset before
// or after, or none of these. Which fault it gets is decided in faults.ts.

import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from './answers.ts'
import type { Answer, Ending, Fault, SeenUpsert } from './types.ts'

/** An upsert or a call, and what to do with it. Its functions are called in this order, each once at most.
 *  @typeParam S what hooks see of it */
interface Exchange<S> {
  /** The upsert or call as the hooks `onArrived` and `onAnswered` see it. */
  readonly seen: S
  readonly onArrived: ((seen: S) => void | Promise<void>) | undefined
  /** Takes its fault. `undefined` when it gets none. */
  readonly takeFault: () => Fault | undefined
  readonly carryOut: () => Answer | Promise<Answer>
  /** Makes the answer of a scripted success that has no body. */
  readonly successAnswer: (status: number) => Answer
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
    // without an ending something was thrown, which serve-request.ts answers with this status
    const statusOfError = closing.aborted ? 'reset' : 500
    onAnswered?.(seen, ending?.status ?? statusOfError)
  }
}

async function endingOf<S>({ seen, takeFault, carryOut, successAnswer, closing }: Exchange<S>): Promise<Ending> {
  const fault = takeFault()
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
  return { ...(status < 300 ? successAnswer(status) : refusal(status, ['a scripted fault'])), headers }
}

/** The reasons in a scripted body: the member `reasons`, else `message`, of a JSON object. `undefined` when it has neither. */
function reasonsIn(body: string): readonly string[] | undefined {
  try {
    const { reasons, message } = JSON.parse(body) as { readonly reasons?: unknown; readonly message?: unknown }
    if (Array.isArray(reasons)) return reasons.map(String)
    return typeof message === 'string' ? [message] : undefined
  } catch {
    return undefined
  }
}
