// Keeps the scripted faults, and decides which upsert or call of interface A (onboarding) gets which. under-fault.ts carries them out.

import type { Fault } from './types.ts'

/** A fault that was scripted and has not ended. */
interface WaitingFault {
  /** 1 for the first that was ever scripted. */
  readonly id: number
  readonly fault: Fault
  /** How many more upserts or calls get it; Infinity for one with `every`, which lasts until it is ended. */
  left: number
  /** How many upserts or calls that it matches have come so far: of these, each `every`-th gets it. */
  seen: number
}

/** Faults in the order they were scripted: each upsert or call gets the first that is due for it, and at most one. */
export class Faults {
  #pending: WaitingFault[] = []
  #lastId = 0

  add(fault: Fault): void {
    const left = fault.every === undefined ? (fault.next ?? 1) : Infinity
    this.#pending.push({ id: ++this.#lastId, fault, left, seen: 0 })
  }

  /** Ends all faults. @returns how many were waiting */
  clear(): number {
    const count = this.#pending.length
    this.#pending = []
    return count
  }

  /** Ends a fault. @returns whether it was waiting */
  remove(id: number): boolean {
    const countBefore = this.#pending.length
    this.#pending = this.#pending.filter((pending) => pending.id !== id)
    return this.#pending.length < countBefore
  }

  /** Faults in the order they were scripted. */
  waiting(): readonly WaitingFault[] {
    return this.#pending
  }

  /** Takes the fault of an upsert that has just arrived, if any: then the upsert does not count for the `every` of faults behind it. */
  take(table: string | undefined): Fault | undefined {
    return this.#takeFirst((fault) => !isForCalls(fault) && isAnyOr(fault.table, table))
  }

  /** Takes the fault of the call of interface A that has just arrived, if there is one.
   *  @param path without the query */
  takeForCall(endpoint: string, path: string): Fault | undefined {
    return this.#takeFirst(
      (fault) => isForCalls(fault) && isAnyOr(fault.endpoint, endpoint) && isAnyOr(fault.path, path),
    )
  }

  #takeFirst(matches: (fault: Fault) => boolean): Fault | undefined {
    for (const pending of this.#pending) {
      const { fault } = pending
      if (!matches(fault)) continue
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

/** Tells whether a member of a fault admits a value; one that is absent admits any. */
function isAnyOr(member: string | undefined, value: string | undefined): boolean {
  return member === undefined || member === value
}

/** Most characters that are shown of a table's name or a path, and of a Retry-After. */
const MAX_NAME = 300
const MAX_AFTER = 40

/** A waiting fault as the paths under /_local show it: of its answer only status and Retry-After, and null where `left` is Infinity. */
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
  if (answer === undefined) return undefined
  if (typeof answer === 'function') return 'a function'
  const [, after] = Object.entries(answer.headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after') ?? []
  return { status: answer.status, retry_after: after === undefined ? undefined : String(after).slice(0, MAX_AFTER) }
}
