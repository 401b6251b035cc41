// How many attempts a second: the rate an origin lets through, learnt from its 429s and 503s (`LearntRate`), and the
// limiter that keeps to it, or to the user's rate (`RateLimiter`).

import { RATE } from './tuning.ts'

/** The rate an origin lets through. A number of permits cannot express it: a service that answers in a millisecond and allows
 *  200 a second is overrun by two. */
export class LearntRate {
  readonly #passed = new LastSecond()
  #firstAt = Infinity
  /** Attempts a second; Infinity: nothing was refused yet. */
  perSecond = Infinity
  /** Where it was refused last. */
  #known = Infinity
  /** Milliseconds of clean sending at the rate since it was cut. */
  #age = 0
  #cutAt = -Infinity
  /** Milliseconds of pauses so far. */
  #rested = 0
  /** The limit may be far above. */
  #isUnsure = true

  /** A pause is over in which nothing was sent: its time does not count, or what passed in the last second would show
   *  less than the service lets through. */
  rested(ms: number): void {
    this.#rested += ms
  }

  /** The service took a request (or refused it for what it is, which takes a place as well). */
  pass(at: number): void {
    const now = at - this.#rested
    this.#firstAt = Math.min(this.#firstAt, now)
    this.#passed.add(now)
  }

  /** @param shed share of the window's answers that were refusals for lack of room
   *  @param inFlight attempts that are not answered yet */
  cut(shed: number, inFlight: number, at: number): void {
    const now = at - this.#rested
    const before = this.perSecond
    if (before === Infinity) return this.#learn(inFlight, now)
    const kept = Math.max(RATE.leastKept, (1 - shed) * RATE.stepBack)
    // what was just let through is let through again: without this a limiter that counts by the second, and refuses
    // everything in what is left of one, would drive the rate to nothing
    let after = Math.max(before * kept, this.#passing(now) * RATE.stepBack)
    if (after >= before) {
      if (now - this.#cutAt < RATE.settledMs) return
      after = before * RATE.stepBack
    }
    // what passed in a second confirms it
    this.#isUnsure = after > this.#passing(now) * RATE.confirmed
    this.#set(after, now)
  }

  /** A clean window in which attempts waited for the rate. */
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

  /** The cut did not help. */
  restore(perSecond: number): void {
    this.perSecond = Math.max(this.perSecond, perSecond)
    this.#known = this.perSecond
    this.#age = 0
    this.#isUnsure = true
  }

  /** The service was down: what it lets through now is not known. */
  doubt(): void {
    this.#isUnsure = true
  }

  #learn(inFlight: number, now: number): void {
    if (this.#firstAt < Infinity) this.#set(this.#passing(now, inFlight) * RATE.stepBack, now)
  }

  /** What passes a second. In the first second it is taken from what there is of it, and what is in flight counts: refusals come
   *  at once, successes take their time. */
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

/** Spaces attempts evenly: a rate means the time between two, never a second's worth at once. */
export class RateLimiter {
  /** Milliseconds between attempts; 0: no cap. */
  #spacing = 0
  #at = -Infinity

  /** Attempts a second at most from now on; Infinity: no cap. */
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

  /** An attempt starts. At most one spacing, or `makeUpMs` of them, is made up for. */
  spend(now: number): void {
    if (this.#spacing === 0) return
    this.#at = Math.max(this.#at, now - Math.max(this.#spacing, RATE.makeUpMs)) + this.#spacing
  }
}

const SLOT_MS = 1000 / RATE.slots

/** How many things happened in the second before the last of them, counted in slots: constant memory, and no work while
 *  nothing happens. */
export class LastSecond {
  readonly #counts = new Uint32Array(RATE.slots)
  #slot = -Infinity
  #total = 0

  /** Does not fall while nothing happens: an outage changes nothing about the rate before it. */
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
    // what is older than a second leaves, slot by slot
    for (let old = Math.max(this.#slot + 1, slot - RATE.slots + 1); old <= slot; old++) {
      const index = old & (RATE.slots - 1)
      this.#total -= this.#counts[index]!
      this.#counts[index] = 0
    }
    this.#slot = slot
  }
}
