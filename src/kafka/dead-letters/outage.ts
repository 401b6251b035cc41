// How long to bear brokers that are away: when to try again, and when no more. Knows no client.

import type { Clock } from '../../core/types.ts'

const FIRST_MS = 100
const LONGEST_MS = 2000

/** One outage after another of the same thing. */
export class Outage {
  readonly #clock: Clock
  readonly #deadlineMs: number
  #since: number | undefined
  #pause = FIRST_MS

  /** @param deadlineMs an outage that lasts longer is not borne */
  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock
    this.#deadlineMs = deadlineMs
  }

  ended(): void {
    this.#since = undefined
    this.#pause = FIRST_MS
  }

  /** After a failure.
   *  @returns how long to wait before trying again, from 0.1 to 2 s; undefined when it has lasted too long */
  failed(): number | undefined {
    const now = this.#clock.now()
    this.#since ??= now
    if (now - this.#since >= this.#deadlineMs) return undefined
    const pause = this.#pause
    this.#pause = Math.min(LONGEST_MS, pause * 2)
    return pause * (0.75 + this.#clock.random() / 4)
  }
}
