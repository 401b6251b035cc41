// How many attempts per second: the rate that the service lets through, learnt from its 429s and 503s (`LearntRate`), and the
// limiter for it or for the user's rate (`RateLimiter`).

import { RATE } from './tuning.ts'

/** The rate that the service lets through. A number of permits cannot express it: two of them exceed 200 a second if the service
 *  answers in a millisecond. */
export class LearntRate {
  readonly #passed = new LastSecond()
  #firstAt = Infinity
  /** Attempts per second; Infinity if nothing was refused yet. */
  perSecond = Infinity
  /** The rate that was refused last. */
  #known = Infinity
  /** Milliseconds of sending without refusals since the last cut. */
  #age = 0
  #cutAt = -Infinity
  /** Milliseconds of pauses so far. */
  #rested = 0
  /** Whether the service may allow far more. */
  #isUnsure = true

  /** A pause in which nothing was sent is over. Its time is not counted, or the last second would show less than the service lets
   *  through. */
  rested(ms: number): void {
    this.#rested += ms
  }

  /** The service accepted a request, or refused it for its content, which counts as well. */
  pass(at: number): void {
    const now = at - this.#rested
    this.#firstAt = Math.min(this.#firstAt, now)
    this.#passed.add(now)
  }

  /** @param shed share of attempts that were answered 429 or 503
   *  @param inFlight attempts without an answer */
  cut(shed: number, inFlight: number, at: number): void {
    const now = at - this.#rested
    const before = this.perSecond
    if (before === Infinity) return this.#learn(inFlight, now)
    const kept = Math.max(RATE.leastKept, (1 - shed) * RATE.stepBack)
    // never below what was just let through: a service that counts per second, and refuses everything in the rest of a second,
    // would drive the rate to nothing
    let after = Math.max(before * kept, this.#passing(now) * RATE.stepBack)
    if (after >= before) {
      if (now - this.#cutAt < RATE.settledMs) return
      after = before * RATE.stepBack
    }
    // the rate is sure if about as much passed in the last second
    this.#isUnsure = after > this.#passing(now) * RATE.confirmed
    this.#set(after, now)
  }

  /** Call this after a clean window in which attempts waited for the rate. */
  grow(elapsedMs: number): void {
    if (this.perSecond === Infinity) return
    const ms = Math.min(elapsedMs, RATE.settledMs)
    if (this.#isUnsure) {
      this.perSecond *= 2 ** (ms / RATE.doublingMs)
      return
    }
    this.#age += ms
    const beyond = (this.#age - RATE.plateauMs) / RATE.plateauMs
    this.perSecond = Math.max(this.perSecond, this.#known * (1 + (1 - RATE.stepBack) * beyond ** 3))
  }

  /** Takes back cuts that did not help. */
  restore(perSecond: number): void {
    this.perSecond = Math.max(this.perSecond, perSecond)
    this.#known = this.perSecond
    this.#age = 0
    this.#isUnsure = true
  }

  /** The service was down, so what it allows now is unknown. */
  doubt(): void {
    this.#isUnsure = true
  }

  #learn(inFlight: number, now: number): void {
    if (this.#firstAt < Infinity) this.#set(this.#passing(now, inFlight) * RATE.stepBack, now)
  }

  /** How many pass per second. Within the first second it is estimated, and attempts in flight count, because refusals come sooner
   *  than successes. */
  #passing(now: number, inFlight = 0): number {
    const seconds = (now - this.#firstAt) / 1000
    const { total } = this.#passed
    return seconds >= 1 ? total : (total + inFlight) / Math.max(RATE.shortestS, seconds)
  }

  #set(perSecond: number, now: number): void {
    this.perSecond = Math.max(RATE.slowest, perSecond)
    this.#known = this.perSecond / RATE.stepBack
    this.#age = 0
    this.#cutAt = now
  }
}

/** Spaces attempts evenly. A rate means the time between two attempts, never a second's worth at once. */
export class RateLimiter {
  /** Milliseconds between attempts; 0: no limit. */
  #spacing = 0
  #at = -Infinity

  /** @param perSecond the most attempts per second; Infinity: no limit */
  constructor(perSecond: number) {
    this.set(perSecond)
  }

  /** When the next attempt may start, in the caller's milliseconds. */
  get at(): number {
    return this.#at
  }

  set(perSecond: number): void {
    this.#spacing = perSecond === Infinity ? 0 : 1000 / perSecond
    if (this.#spacing === 0) this.#at = -Infinity
  }

  /** An attempt starts. Lost time is made up for, up to one spacing or `makeUpMs`, whichever is more. */
  spend(now: number): void {
    if (this.#spacing === 0) return
    this.#at = Math.max(this.#at, now - Math.max(this.#spacing, RATE.makeUpMs)) + this.#spacing
  }
}

const SLOT_MS = 1000 / RATE.slots

/** Counts events in the second before the last one. Counts by slots, which takes constant memory, and no work while nothing
 *  happens. */
export class LastSecond {
  readonly #counts = new Uint32Array(RATE.slots)
  #slot = -Infinity
  #total = 0

  /** Does not fall while nothing happens, so that it is still known after an outage. */
  get total(): number {
    return this.#total
  }

  add(now: number): void {
    const slot = Math.floor(now / SLOT_MS)
    if (slot > this.#slot) this.#advance(slot)
    this.#counts[this.#slot & (RATE.slots - 1)]!++
    this.#total++
  }

  #advance(slot: number): void {
    // removes what is older than a second, slot by slot
    for (let old = Math.max(this.#slot + 1, slot - RATE.slots + 1); old <= slot; old++) {
      const index = old & (RATE.slots - 1)
      this.#total -= this.#counts[index]!
      this.#counts[index] = 0
    }
    this.#slot = slot
  }
}
