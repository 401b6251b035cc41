// Time that passes only when everybody waits for it. Which of equal times comes first is up to chance.

import type { Clock } from '../../src/core/types.ts'
import type { Random } from './random.ts'

interface Timer {
  readonly at: number
  readonly ring: () => void
}

export class VirtualClock implements Clock {
  readonly #random: Random
  readonly #timers = new Set<Timer>()
  #now: number

  constructor(random: Random) {
    this.#random = random
    // a fraction, as of a real monotonic clock, and small: sums of times round
    this.#now = random.between(1, 100)
  }

  now(): number {
    return this.#now
  }

  random(): number {
    return this.#random.next()
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = {
        at: this.#now + ms,
        ring: () => {
          this.#timers.delete(timer)
          signal.removeEventListener('abort', timer.ring)
          resolve()
        },
      }
      this.#timers.add(timer)
      signal.addEventListener('abort', timer.ring, { once: true })
    })
  }

  /** Calls once at a time; nobody waits for it. */
  at(ms: number, call: () => void): void {
    const timer = {
      at: this.#now + ms,
      ring: () => {
        this.#timers.delete(timer)
        call()
      },
    }
    this.#timers.add(timer)
  }

  /** How many wait. */
  get waiting(): number {
    return this.#timers.size
  }

  /** Goes to the earliest time somebody waits for and wakes one who does.
   *  @returns false when nobody waits */
  advance(): boolean {
    let earliest = Infinity
    for (const { at } of this.#timers) if (at < earliest) earliest = at
    if (earliest === Infinity) return false
    const equal = [...this.#timers].filter(({ at }) => at === earliest)
    this.#now = Math.max(this.#now, earliest)
    equal[this.#random.below(equal.length)]!.ring()
    return true
  }
}
