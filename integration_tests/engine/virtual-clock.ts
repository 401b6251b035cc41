// Time that passes only when everybody waits for it: the process's, and the world's around it, which goes on while the
// process stands still. Which of equal times comes first is up to chance. Knows nothing of who waits for what.

import type { Clock } from '../../src/core/types.ts'
import type { Random } from './random.ts'

/** The process stands still for so long: between two things it does, or, `looking`, the next time it reads the clock. */
export interface Pause {
  readonly at: number
  readonly ms: number
  readonly looking: boolean
}

export interface ClockOptions {
  /** Whole milliseconds only, as the process itself has them; otherwise fractions, whose sums round. */
  readonly whole: boolean
  /** Timers ring up to so much late. */
  readonly lateMs: number
  /** From the beginning. */
  readonly pauses: readonly Pause[]
}

export interface Timer {
  readonly at: number
  readonly isWorld: boolean
  readonly ring: () => void
}

const PUNCTUAL: ClockOptions = { whole: false, lateMs: 0, pauses: [] }

export class VirtualClock implements Clock {
  /** When the process last woke up. */
  wokeAt = -Infinity
  readonly #random: Random
  readonly #options: ClockOptions
  protected readonly timers = new Set<Timer>()
  /** Pauses that come when the process reads the clock, absolute times. */
  readonly #delayedPauses: { readonly at: number; readonly ms: number }[]
  #time: number
  #isStill = false

  constructor(random: Random, clockOptions: ClockOptions = PUNCTUAL) {
    this.#random = random
    this.#options = clockOptions
    // a fraction, as of a real monotonic clock, and small: sums of times round
    this.#time = this.#tick(random.between(1, 100))
    this.#delayedPauses = clockOptions.pauses
      .filter(({ looking }) => looking)
      .map(({ at, ms }) => ({ at: this.#time + at, ms }))
    for (const { at, ms, looking } of clockOptions.pauses) if (!looking) this.at(at, () => this.#standStill(ms))
  }

  /** What the process sees. */
  now(): number {
    const delayed = this.#delayedPauses.findIndex(({ at }) => at <= this.#time)
    if (delayed >= 0) this.#standStill(this.#delayedPauses.splice(delayed, 1)[0]!.ms)
    return this.#time
  }

  /** What it is, without anybody looking. */
  get time(): number {
    return this.#time
  }

  random(): number {
    return this.#random.next()
  }

  /** The process's own: rings no earlier, and not while it stands still. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    const { lateMs } = this.#options
    const late = lateMs > 0 ? this.#random.between(0, lateMs) : 0
    return new Promise((resolve) => {
      const timer = {
        at: this.#time + this.#tick(ms + late),
        isWorld: false,
        ring: () => {
          this.timers.delete(timer)
          signal.removeEventListener('abort', timer.ring)
          resolve()
        },
      }
      this.timers.add(timer)
      signal.addEventListener('abort', timer.ring, { once: true })
    })
  }

  /** The world's: calls once at a time, whatever the process does; nobody waits for it. */
  at(ms: number, call: () => void): void {
    const timer = {
      at: this.#time + this.#tick(ms),
      isWorld: true,
      ring: () => {
        this.timers.delete(timer)
        call()
      },
    }
    this.timers.add(timer)
  }

  /** Somebody's time is over, and they were not woken yet. */
  get isBehind(): boolean {
    for (const { at } of this.timers) if (at <= this.#time) return true
    return false
  }

  /** Goes to the earliest time somebody waits for and wakes one of those whose time it is.
   *  @returns false when nobody waits */
  advance(): boolean {
    let earliest = Infinity
    for (const { at } of this.timers) if (at < earliest) earliest = at
    if (earliest === Infinity) return false
    const until = Math.max(this.#time, earliest)
    const due = [...this.timers].filter(({ at }) => at <= until)
    this.#time = until
    due[this.#random.below(due.length)]!.ring()
    return true
  }

  /** The world goes on meanwhile; what it did, the process finds out when it wakes. */
  #standStill(ms: number): void {
    if (this.#isStill) return
    this.#isStill = true
    this.goOn(this.#time + this.#tick(ms))
    this.wokeAt = this.#time
    this.#isStill = false
  }

  /** The world, until then. */
  protected goOn(until: number): void {
    for (let next = this.#nextOfWorld(until); next; next = this.#nextOfWorld(until)) {
      this.#time = Math.max(this.#time, next.at)
      next.ring()
    }
    this.#time = until
  }

  #nextOfWorld(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.timers)
      if (timer.isWorld && timer.at <= until && timer.at < (next?.at ?? Infinity)) next = timer
    return next
  }

  #tick(ms: number): number {
    return this.#options.whole ? Math.ceil(ms) : ms
  }
}
