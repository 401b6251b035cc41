// How a coroutine waits: for another one (`Wakeup`), or for the earliest of many times (`Timer`).

import type { Clock } from './types.ts'

/** A wake-up call: no queue, no value. `wait` resolves at the next `notify`; a notify nobody waits for is remembered once. */
export class Wakeup {
  #waiting: (() => void) | undefined
  #pending = false

  notify(): void {
    if (!this.#waiting) {
      this.#pending = true
      return
    }
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting()
  }

  /** One waiter at a time. */
  wait(): Promise<void> {
    if (this.#pending) {
      this.#pending = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }
}

/** One callback, many deadlines: only the earliest counts; the callback sets the later ones again. */
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
