// How long to bear brokers that are away: when to try again, and when no more. Knows no client.

import { backoffMs, DEAD_LETTERS } from '../../core/backoff.ts'
import type { Clock } from '../../core/types.ts'

/** One outage after another of the same thing. */
export class Outage {
  readonly #clock: Clock
  readonly #deadlineMs: number
  #since: number | undefined
  #tries = 0

  /** @param deadlineMs an outage that lasts longer is not borne */
  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock
    this.#deadlineMs = deadlineMs
  }

  ended(): void {
    this.#since = undefined
    this.#tries = 0
  }

  /** After a failure.
   *  @returns how long to wait before trying again, from 0.1 to 2 s; undefined when it has lasted too long */
  failed(): number | undefined {
    const now = this.#clock.now()
    this.#since ??= now
    if (now - this.#since >= this.#deadlineMs) return undefined
    return backoffMs(DEAD_LETTERS, ++this.#tries, this.#clock.random())
  }
}
