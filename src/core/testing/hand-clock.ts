// For tests: a clock that is moved by hand.

import type { Clock } from '../types.ts'

/** Lets everything run that waits for nothing but other coroutines. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class HandClock implements Clock {
  /** Calls of `wait` so far. */
  waits = 0
  #now = 0
  #timers: { readonly at: number; readonly resolve: () => void }[] = []

  now(): number {
    return this.#now
  }

  random(): number {
    return 0
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    this.waits++
    return new Promise((resolve) => {
      this.#timers.push({ at: this.#now + ms, resolve })
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Everything that waits for a time up to `at` goes on, the earliest first. */
  async to(at: number): Promise<void> {
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= at).toSorted((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#timers = this.#timers.filter((timer) => timer !== due)
      this.#now = Math.max(this.#now, due.at)
      due.resolve()
      await settle()
    }
    this.#now = at
    await settle()
  }
}
