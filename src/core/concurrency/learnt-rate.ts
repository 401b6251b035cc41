// How many attempts a second an origin lets through, learnt from its 429s and 503s. A number of permits cannot say it: a
// service that answers in a millisecond and allows 200 a second is overrun by two. Knows no pause and no permit.

import { LastSecond } from './last-second.ts'

/** After a refusal the rate is this part of what was let through: small, as that is known and need not be guessed. */
const STEP_BACK = 0.95
/** A single refusal's window never takes more than half: it may be a burst of others. */
const LEAST_KEPT = 0.5
/** So long after a cut the rate is back where it was refused, and goes beyond (CUBIC, RFC 9438: flat around the known
 *  limit, then ever faster). About one probe in ten seconds: it costs a few refusals, or one pause of Retry-After. */
const PLATEAU_MS = 4000
/** A rate is known when it is at most so many times what passed within a second. */
const CONFIRMED = 1.1
/** While the limit is not known, the rate doubles in this time. */
const DOUBLING_MS = 2000
/** A rate measured over less than this after a cut still shows what was before the cut. */
const SETTLED_MS = 1000
/** The shortest beginning that is taken for a rate, in seconds. */
const SHORTEST_S = 0.05
/** Never fewer than one attempt a second: somebody has to see that there is room again
 *  (decisions.md#a-permit-is-for-one-attempt). */
const SLOWEST = 1

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

  /** A pause is over in which nothing was sent: its time does not count, or what passed in the last second would say
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

  /** @param shed share of the window's answers that were refusals for lack of room */
  cut(shed: number, at: number): void {
    const now = at - this.#rested
    const before = this.perSecond
    if (before === Infinity) return this.#learn(now)
    const kept = Math.max(LEAST_KEPT, (1 - shed) * STEP_BACK)
    // what was just let through is let through again: without this a limiter that counts by the second, and refuses
    // everything in what is left of one, would drive the rate to nothing
    let after = Math.max(before * kept, this.#passing(now) * STEP_BACK)
    if (after >= before) {
      if (now - this.#cutAt < SETTLED_MS) return
      after = before * STEP_BACK
    }
    // what passed in a second confirms it
    this.#isUnsure = after > this.#passing(now) * CONFIRMED
    this.#set(after, now)
  }

  /** A clean window in which attempts waited for the rate. */
  grow(elapsedMs: number): void {
    if (this.perSecond === Infinity) return
    const ms = Math.min(elapsedMs, SETTLED_MS)
    if (this.#isUnsure) {
      this.perSecond *= 2 ** (ms / DOUBLING_MS)
      return
    }
    this.#age += ms
    const beyond = (this.#age - PLATEAU_MS) / PLATEAU_MS
    this.perSecond = Math.max(this.perSecond, this.#known * (1 + (1 - STEP_BACK) * beyond ** 3))
  }

  /** What was cut was cut in vain. */
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

  #learn(now: number): void {
    const passing = this.#passing(now)
    if (passing > 0) this.#set(passing * STEP_BACK, now)
  }

  /** What passes a second; in the first second from what there is of it. */
  #passing(now: number): number {
    return this.#passed.total / Math.min(1, Math.max(SHORTEST_S, (now - this.#firstAt) / 1000))
  }

  #set(perSecond: number, now: number): void {
    this.perSecond = Math.max(SLOWEST, perSecond)
    this.#known = this.perSecond / STEP_BACK
    this.#age = 0
    this.#cutAt = now
  }
}
