// Which upsert gets which scripted fault. Knows neither what a fault does nor what an upsert holds.

import type { Fault } from './types.ts'

interface Pending {
  readonly fault: Fault
  /** Upserts it may still be given to. */
  left: number
  /** Matching upserts seen, for `every`. */
  seen: number
}

/** Faults in the order they were scripted: an upsert gets the first that is due for its table, and at most one. */
export class Faults {
  #pending: Pending[] = []

  add(fault: Fault): void {
    this.#pending.push({ fault, left: fault.every === undefined ? (fault.next ?? 1) : Infinity, seen: 0 })
  }

  /** Answers how many were waiting. */
  clear(): number {
    const count = this.#pending.length
    this.#pending = []
    return count
  }

  /** The fault of the upsert that has just arrived. An `every` counts the upserts that no earlier fault took. */
  take(table: string | undefined): Fault | undefined {
    for (const pending of this.#pending) {
      const { fault } = pending
      if (fault.table !== undefined && fault.table !== table) continue
      pending.seen++
      if (pending.seen % (fault.every ?? 1) !== 0) continue
      if (--pending.left === 0) this.#pending = this.#pending.filter((other) => other !== pending)
      return fault
    }
    return undefined
  }
}
