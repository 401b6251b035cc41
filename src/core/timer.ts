// Calls back at the earliest time it was set to. Knows nothing of what is due then.

import type { Clock } from './types.ts'

/** One callback, many deadlines: only the earliest counts, later ones are set again by whoever is called. */
export class Timer {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #fire: () => void
  #at = Infinity
  /** Times already waited for: a late one that was overtaken is not waited for twice. */
  readonly #waiting = new Set<number>()

  constructor(clock: Clock, signal: AbortSignal, fire: () => void) {
    this.#clock = clock
    this.#signal = signal
    this.#fire = fire
  }

  /** Fires at `at` or earlier; Infinity asks for nothing. After `signal` aborts it never fires. */
  set(at: number): void {
    if (at >= this.#at || this.#signal.aborted) return
    this.#at = at
    if (!this.#waiting.has(at)) void this.#wait(at)
  }

  async #wait(at: number): Promise<void> {
    this.#waiting.add(at)
    await this.#clock.wait(Math.max(0, at - this.#clock.now()), this.#signal)
    this.#waiting.delete(at)
    if (this.#at !== at || this.#signal.aborted) return
    this.#at = Infinity
    this.#fire()
  }
}
