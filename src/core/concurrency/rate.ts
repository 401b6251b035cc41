// How many attempts per second the service lets through, learnt from what it refuses. Refusals cut the rate to less than what passes;
// while attempts wait for it and none is refused, it grows, slowly at first. Pure arithmetic on the `now` that callers pass.

import { DOUBTED_MS, LIMIT, RATE, SECOND_MS } from './tuning.ts'

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
  /** Attempts per second. Infinity when nothing was refused yet, or that is forgotten. */
  perSecond = Infinity
  /** When it became less than Infinity. */
  since = -Infinity
  /** The last refusal. */
  refusal: RateRefusal | undefined
  /** When it was last cut, or an outage or a pause ended. Refusals of attempts that began before say nothing new. */
  cutAt = -Infinity
  readonly #passed = new LastSecond()
  /** When the first attempt passed. */
  #firstAt = Infinity
  /** Whether anything passed that began since the last cut. */
  #isProven = true
  /** The last cut: the rate that was too much, the rate before it, and how low it may go by it. */
  #refused = 0
  #before = Infinity
  #least: number = RATE.slowest
  /** Milliseconds since the last refusal in which attempts waited for the rate. */
  #unrefusedMs = 0
  /** When attempts last waited for it. */
  #usedAt = -Infinity

  /** Notes that an attempt passed: the service took the request, or refused it for its content.
   *  @param started when it began */
  pass(started: number, now: number): void {
    if (started >= this.cutAt) this.#isProven = true
    // it has held nothing back for a while
    if (now - this.#usedAt > DOUBTED_MS) this.perSecond = Infinity
    this.#firstAt = Math.min(this.#firstAt, now)
    this.#passed.add(now)
  }

  /** Lowers the rate, because the service refused an attempt.
   *  @param inFlight attempts without an answer, because refusals come sooner than successes */
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
    const caution = refusal.isPause === true ? cautionAfter(refusal) : 1
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

  /** To be called when an outage is over: what was answered before it says nothing any more. */
  endOutage(now: number): void {
    if (!this.#isProven && this.refusal?.isSuspected === true) this.perSecond = this.#before
    this.#usedAt = this.cutAt = now
  }

  /** To be called when a pause is over. All that was sent before it is answered by now, so no more is allowed than what passed in the
   *  second before it. */
  endPause(now: number): void {
    if (this.refusal && this.#firstAt < Infinity) {
      if (this.perSecond === Infinity) this.since = now
      const passing = this.#passed.perSecond * RATE.keptOfPassing
      this.perSecond = Math.min(this.perSecond, Math.max(this.#least, passing))
    }
    this.#usedAt = this.cutAt = now
  }

  /** Raises the rate: attempts waited for it for so long, and nothing was refused. Not beyond twice of what passes, because what
   *  hangs is not answered yet. It grows with the cube of the time since the last refusal. */
  waited(ms: number, now: number): void {
    if (this.perSecond === Infinity) return
    this.#usedAt = now
    const before = this.#unrefusedMs
    const isBeyond = this.perSecond > this.#refused / RATE.keptOfPassing
    const after = (this.#unrefusedMs += isBeyond ? ms : ms / cautionAfter(this.refusal!))
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

/** Factor by which a refusal makes cuts deeper and growth slower: the root of the seconds that it costs. */
function cautionAfter({ costMs }: RateRefusal): number {
  return Math.sqrt(Math.max(1, costMs / SECOND_MS))
}

const SLOT_MS = SECOND_MS / RATE.slots

/** Counts events in the second that ends with the newest of them, in slots: these take constant memory, and no work while nothing
 *  happens. */
export class LastSecond {
  readonly #counts = new Uint32Array(RATE.slots)
  #slot = -Infinity
  #at = -Infinity

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** Events a second, right after the first second. Stays while nothing happens, so that it is still known after an outage. */
  get perSecond(): number {
    return (this.total * SECOND_MS) / (this.#at - (this.#slot - RATE.slots + 1) * SLOT_MS)
  }

  add(now: number): void {
    const slot = Math.floor(now / SLOT_MS)
    // what is older than a second goes
    for (let old = Math.max(this.#slot + 1, slot - RATE.slots + 1); old <= slot; old++)
      this.#counts[old % RATE.slots] = 0
    this.#counts[slot % RATE.slots]!++
    this.#slot = slot
    this.#at = now
  }
}
