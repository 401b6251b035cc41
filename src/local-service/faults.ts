// Scripted faults of upserts and of calls of interface A: which of them gets which, and how it then goes.

import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from './answers.ts'
import type { Answer, Ending, Fault, SeenUpsert } from './types.ts'

interface Pending extends WaitingFault {
  /** Upserts or calls it may still be given to. */
  left: number
  /** Matching ones seen, for `every`. */
  seen: number
}

/** A fault that was scripted and has not ended. `id`: 1 for the first that was ever scripted. */
export interface WaitingFault {
  readonly id: number
  readonly fault: Fault
  /** Upserts or calls it may still be given to; Infinity: until it is cleared. */
  readonly left: number
}

/** Faults in the order they were scripted: each upsert or call gets the first that is due for it, and at most one. */
export class Faults {
  #pending: Pending[] = []
  #last = 0

  add(fault: Fault): void {
    this.#last++
    this.#pending.push({
      id: this.#last,
      fault,
      left: fault.every === undefined ? (fault.next ?? 1) : Infinity,
      seen: 0,
    })
  }

  /** Ends all faults.
   *  @returns how many were waiting */
  clear(): number {
    const count = this.#pending.length
    this.#pending = []
    return count
  }

  /** Ends a fault.
   *  @returns whether it was waiting */
  remove(id: number): boolean {
    const before = this.#pending.length
    this.#pending = this.#pending.filter((pending) => pending.id !== id)
    return this.#pending.length < before
  }

  /** Faults in the order they were scripted. */
  waiting(): readonly WaitingFault[] {
    return this.#pending
  }

  /** The fault of the upsert that has just arrived. An `every` counts the upserts that no earlier fault took. */
  take(table: string | undefined): Fault | undefined {
    return this.#take((fault) => !isForCalls(fault) && (fault.table === undefined || fault.table === table))
  }

  /** The fault of the call of interface A that has just arrived.
   *  @param path without the query */
  takeForCall(endpoint: string, path: string): Fault | undefined {
    return this.#take(
      (fault) =>
        isForCalls(fault) &&
        (fault.endpoint === undefined || fault.endpoint === endpoint) &&
        (fault.path === undefined || fault.path === path),
    )
  }

  #take(isFor: (fault: Fault) => boolean): Fault | undefined {
    for (const pending of this.#pending) {
      const { fault } = pending
      if (!isFor(fault)) continue
      pending.seen++
      if (pending.seen % (fault.every ?? 1) !== 0) continue
      if (--pending.left === 0) this.#pending = this.#pending.filter((other) => other !== pending)
      return fault
    }
    return undefined
  }
}

function isForCalls({ endpoint, path }: Fault): boolean {
  return endpoint !== undefined || path !== undefined
}

/** Characters of a name that is shown. */
const MAX_NAME = 300

/** A waiting fault as it is shown: of an answer only the status and when to come back, as the rest is its maker's
 *  affair. `left` is null when it stays for ever. */
export function shownFault({ id, fault, left }: WaitingFault): object {
  const { table, endpoint, path, every, delay_ms, reset, answer } = fault
  return {
    id,
    table: table?.slice(0, MAX_NAME),
    endpoint,
    path: path?.slice(0, MAX_NAME),
    every,
    left: left === Infinity ? null : left,
    delay_ms,
    reset,
    answer: shownAnswer(answer),
  }
}

function shownAnswer(answer: Fault['answer']): object | string | undefined {
  if (answer === undefined || typeof answer === 'function') return answer && 'a function'
  const [, after] = Object.entries(answer.headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after') ?? []
  return { status: answer.status, retry_after: after === undefined ? undefined : String(after).slice(0, 40) }
}

/** An upsert, or a call of interface A. `seen`: what the hooks get. */
interface Exchange<S> {
  readonly seen: S
  readonly onArrived: ((seen: S) => void | Promise<void>) | undefined
  readonly onAnswered: ((seen: S, status: number | 'reset') => void) | undefined
  /** Its fault; called when `onArrived` has ended. */
  readonly fault: () => Fault | undefined
  readonly carryOut: () => Answer | Promise<Answer>
  /** The answer of a scripted success that names no body. */
  readonly success: (status: number) => Answer
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
    onAnswered?.(seen, ending === undefined ? failed : ending === 'reset' ? 'reset' : ending.status)
  }
}

async function endingOf<S>({ seen, fault: take, carryOut, success, closing }: Exchange<S>): Promise<Ending> {
  const fault = take()
  if (fault?.delay_ms !== undefined) await wait(fault.delay_ms, undefined, { signal: closing })
  if (fault?.reset === 'before') return 'reset'
  const answer = fault?.answer
  // only an upsert's fault has a function for an answer
  const scripted = typeof answer === 'function' ? await answer(seen as SeenUpsert) : answer
  if (scripted === undefined) {
    const carriedOut = await carryOut()
    return fault?.reset === 'after' ? 'reset' : carriedOut
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
