// Two ways to wait: until another coroutine notifies (`Wakeup`), or until the earliest of several times (`Timer`).

import type { Clock } from './types.ts'

/** Lets one coroutine wait for another: `wait` resolves at the next `notify`. If nothing waits, one `notify` is remembered. */
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

  /** Only one may wait at a time: a second would replace the first, which then waits for ever. */
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

/** Calls back at the earliest of the times that were set, and forgets the later ones, which the callback must set again. */
export class Timer {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #fire: () => void
  #at = Infinity
  /** Times that a `#wait` is under way for. If 10 is set, then 5, and 10 again, the first wait for 10 serves both. */
  readonly #sleeping = new Set<number>()

  constructor(clock: Clock, signal: AbortSignal, fire: () => void) {
    this.#clock = clock
    this.#signal = signal
    this.#fire = fire
  }

  /** Calls back at the clock's time `at`, or at an earlier one that was set before; Infinity sets nothing. Never after `signal` aborted. */
  set(at: number): void {
    if (at >= this.#at || this.#signal.aborted) return
    this.#at = at
    if (!this.#sleeping.has(at)) void this.#wait(at)
  }

  async #wait(at: number): Promise<void> {
    this.#sleeping.add(at)
    // also resolves when `signal` aborts
    await this.#clock.wait(Math.max(0, at - this.#clock.now()), this.#signal)
    this.#sleeping.delete(at)
    // an earlier time has replaced this one
    if (this.#at !== at || this.#signal.aborted) return
    this.#at = Infinity
    this.#fire()
  }
}
