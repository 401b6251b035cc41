// Two ways to wait: until it is notified (`Wakeup`), or until the earliest of many times (`Timer`).

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

/** One callback for many times. Only the earliest is kept, so the callback must set the later ones again: of 10 and then 5, 5 is kept, and
 *  10 is waited for in vain unless it is set again. */
export class Timer {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #fire: () => void
  #at = Infinity
  /** Times being waited for: one that an earlier time replaced and that is set again (10, 5, 10) is not waited for twice. */
  readonly #sleeping = new Set<number>()

  constructor(clock: Clock, signal: AbortSignal, fire: () => void) {
    this.#clock = clock
    this.#signal = signal
    this.#fire = fire
  }

  /** Calls back at `at`, or at an earlier time that was set before. Infinity sets nothing. Never calls back after `signal` aborted. */
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
    if (this.#at !== at || this.#signal.aborted) return
    this.#at = Infinity
    this.#fire()
  }
}
