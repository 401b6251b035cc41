// The scripted faults that wait, and which upsert or call of interface A gets which. What a fault then does is in under-fault.ts.

import type { Fault } from './types.ts'

/** A fault that was scripted and has not ended. */
interface WaitingFault {
  /** 1 for the first that was ever scripted. */
  readonly id: number
  readonly fault: Fault
  /** Upserts or calls it may still be given to; Infinity: until it is cleared. */
  left: number
  /** Matching ones seen, for `every`. */
  seen: number
}

/** Faults in the order they were scripted: each upsert or call gets the first that is due for it, and at most one. */
export class Faults {
  #pending: WaitingFault[] = []
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
    return this.#take((fault) => !isForCalls(fault) && (fault.table ?? table) === table)
  }

  /** The fault of the call of interface A that has just arrived.
   *  @param path without the query */
  takeForCall(endpoint: string, path: string): Fault | undefined {
    return this.#take(
      (fault) => isForCalls(fault) && (fault.endpoint ?? endpoint) === endpoint && (fault.path ?? path) === path,
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

/** A waiting fault as it is shown. Of its answer only the status and when to come back. `left` is null when it stays for ever. */
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
