// How many attempts per second the service lets through, learnt from what it refuses.

import { LastSecond } from './last-second.ts'
import { LIMIT, RATE, SECOND_MS } from './tuning.ts'

export interface RateRefusal {
  /** Why it is known, in words. `undefined` when it is not known. */
  readonly cause?: string | undefined
  /** Whether it may be chance: a plain fault. */
  readonly isSuspected: boolean
  /** Milliseconds for which it keeps attempts from being made: a pause, an answer that does not come. */
  readonly costMs: number
  /** Whether that is a pause, in which nothing passed that could say how much may. */
  readonly isPause?: boolean
}

/** The rate that the service lets through. A number of permits cannot express it: two of them exceed 200 a second if the service
 *  answers in a millisecond. decisions.md#processes-at-one-service-meet-at-equal-rates. */
export class LearntRate {
  readonly #passed = new LastSecond()
  #firstAt = Infinity
  /** Attempts per second; Infinity if nothing was refused yet. */
  perSecond = Infinity
  /** When it was learnt: at the first refusal since there was none. */
  since = -Infinity
  /** What was refused last. */
  refusal: RateRefusal | undefined
  /** When it was last cut, or an outage or a pause ended. Refusals of attempts that began before say nothing new. */
  cutAt = -Infinity
  /** Whether anything passed that began since the last cut. */
  #isProven = true
  /** What was too much then, and what the rate was. */
  #refused = 0
  #before = Infinity
  /** How low that refusal may cut it. */
  #least: number = RATE.slowest
  /** Milliseconds since the last refusal in which attempts waited for the rate. */
  #unrefusedMs = 0
  /** When attempts last waited for it. */
  #usedAt = -Infinity

  /** The service accepted a request, or refused it for its content, which counts as well.
   *  @returns whether the rate is forgotten by now */
  pass(started: number, now: number): boolean {
    if (started >= this.cutAt) this.#isProven = true
    const isUnused = this.perSecond < Infinity && now - this.#usedAt > RATE.unusedMs
    if (isUnused) this.perSecond = Infinity
    this.#firstAt = Math.min(this.#firstAt, now)
    this.#passed.add(now)
    return isUnused
  }

  /** The service refused an attempt because of load.
   *  @param inFlight attempts without an answer: refusals come sooner than successes */
  cut(inFlight: number, now: number, refusal: RateRefusal): void {
    // a service that counts by the second refuses everything in the rest of one, whatever the rate
    if (!this.#isProven) return
    if (this.perSecond === Infinity) this.since = now
    this.refusal = refusal
    // what is allowed is unknown before the first second is over, and may be far more: it grows fast at once
    const isNew = this.perSecond === Infinity || now - this.#firstAt < SECOND_MS
    this.#unrefusedMs = isNew ? RATE.doubtMs : refusal.isSuspected ? RATE.suspectedMs : 0
    if (this.#firstAt === Infinity) return
    const before = (this.#before = this.perSecond)
    const passing = this.#passing(now, inFlight)
    const caution = refusal.isPause === true ? cautionOf(refusal) : 1
    this.#least = isNew ? RATE.slowest : Math.max(RATE.slowest, (before * RATE.keptAtLeast) / caution)
    // of a rate that is used less has passed, as it grew meanwhile
    const refused = (this.#refused = passing > before * RATE.keptOfPassing ? before : Math.max(passing, this.#least))
    // pauses longer than the time between them cost more than a lower rate
    const betweenMs = now - this.cutAt
    const times = refusal.costMs > betweenMs ? refusal.costMs / betweenMs : 1
    const kept = Math.max(RATE.keptAtLeast, RATE.keptOfPassing ** times)
    this.perSecond = Math.max(RATE.slowest, refused * kept)
    this.#usedAt = this.cutAt = now
    this.#isProven = false
  }

  /** An outage is over: what was answered before says nothing any more. */
  endOutage(now: number): void {
    if (!this.#isProven && this.refusal?.isSuspected === true) this.perSecond = this.#before
    this.#restart(now)
  }

  /** A pause is over. All that was sent before it is answered by now, so no more is allowed than what passed in its last second. */
  endPause(now: number): void {
    if (this.refusal && this.#firstAt < Infinity) {
      if (this.perSecond === Infinity) this.since = now
      const passing = this.#passed.perSecond * RATE.keptOfPassing
      this.perSecond = Math.min(this.perSecond, Math.max(this.#least, passing))
    }
    this.#restart(now)
  }

  #restart(now: number): void {
    this.cutAt = now
    this.#usedAt = Math.max(this.#usedAt, now)
  }

  /** Attempts waited for the rate for so long, and nothing was refused. It grows, but not beyond twice of what passes: what hangs
   *  is not answered yet. */
  waited(ms: number, now: number): void {
    if (this.perSecond === Infinity) return
    this.#usedAt = now
    const before = this.#unrefusedMs
    const isBeyond = this.perSecond > this.#refused / RATE.keptOfPassing
    const after = (this.#unrefusedMs += isBeyond ? ms : ms / cautionOf(this.refusal!))
    const faster = Math.exp((after / RATE.growMs) ** 3 - (before / RATE.growMs) ** 3)
    const most = Math.max(this.perSecond, this.#passed.perSecond * RATE.mostAhead)
    this.perSecond = Math.min(this.perSecond * faster, most) + (RATE.step * (after - before)) / SECOND_MS
  }

  /** How many pass per second. Within the first second it is estimated. */
  #passing(now: number, inFlight: number): number {
    const seconds = (now - this.#firstAt) / SECOND_MS
    const { perSecond, total } = this.#passed
    return seconds >= 1 ? perSecond : (total + inFlight) / Math.max(LIMIT.shortestMs / SECOND_MS, seconds)
  }
}

/** How many times as careful a refusal makes: the root of how many seconds it costs. */
function cautionOf({ costMs }: RateRefusal): number {
  return Math.sqrt(Math.max(1, costMs / SECOND_MS))
}
