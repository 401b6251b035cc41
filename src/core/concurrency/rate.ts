// How many attempts per second the service lets through, learnt from what it refuses. A refusal cuts the rate to less than what passes.
// While attempts wait for the rate and none is refused, it grows, slowly at first. Pure arithmetic on the `now` that callers pass.

import { DOUBTED_MS, LIMIT, RATE, SECOND_MS } from './tuning.ts'

export interface RateRefusal {
  /** Why the attempt was refused, in words. `undefined` when it is not known. */
  readonly cause?: string | undefined
  /** Whether it may have been chance: a plain fault. */
  readonly isSuspected: boolean
  /** Milliseconds for which it kept attempts from being made: those of a pause, or of the wait for an answer that did not come. */
  readonly costMs: number
  /** Whether these are of a pause, in which nothing passes. */
  readonly isPause?: boolean
}

/** The rate that the service lets through. A number of permits cannot express it: two of them exceed 200 a second if the service
 *  answers in a millisecond. See decisions.md#processes-at-one-service-meet-at-equal-rates. */
export class LearntRate {
  /** Attempts per second. Infinity when nothing was refused yet, or that is forgotten. */
  perSecond = Infinity
  /** When `perSecond` last became less than Infinity. */
  since = -Infinity
  /** The last refusal. `undefined` when there was none. */
  refusal: RateRefusal | undefined
  /** When the rate was last cut, or an outage or a pause ended. Refusals of attempts that began before say nothing new. */
  cutAt = -Infinity
  readonly #passed = new LastSecond()
  /** When the first attempt passed; Infinity before that. */
  #firstAt = Infinity
  /** Whether an attempt passed that began since the last cut, so that a refusal may cut the rate again. */
  #isProven = true
  /** The rate that was too much at the last cut, the rate before that cut, and the least that may be left after it. */
  #refusedRate = 0
  #rateBefore = Infinity
  #leastRate: number = RATE.slowest
  /** Milliseconds of growth since the last refusal: those in which attempts waited for the rate, and those that were skipped. */
  #unrefusedMs = 0
  /** When attempts last waited for the rate, or it was cut, or an outage or a pause ended. */
  #usedAt = -Infinity

  /** Notes that an attempt passed: the service took the request, or refused it for its content.
   *  @param started when it began */
  pass(started: number, now: number): void {
    if (started >= this.cutAt) this.#isProven = true
    // a rate that has held nothing back for a while is forgotten
    if (now - this.#usedAt > DOUBTED_MS) this.perSecond = Infinity
    this.#firstAt = Math.min(this.#firstAt, now)
    this.#passed.add(now)
  }

  /** Lowers the rate, because the service refused an attempt.
   *  @param inFlight attempts without an answer, which count as passing within the first second, because refusals come before successes */
  cut(inFlight: number, now: number, refusal: RateRefusal): void {
    // a service that counts by the second refuses everything in the rest of one, whatever the rate
    if (!this.#isProven) return
    if (this.perSecond === Infinity) this.since = now
    this.refusal = refusal
    // for a new rate it is unknown how much is allowed. It may be far more, so the rate skips its slow beginning and grows fast
    const isNew = this.perSecond === Infinity || now - this.#firstAt < SECOND_MS
    this.#unrefusedMs = isNew ? RATE.doubtMs : refusal.isSuspected ? RATE.suspectedMs : 0
    // nothing has passed yet that could show a rate
    if (this.#firstAt === Infinity) return
    const before = (this.#rateBefore = this.perSecond)
    const passing = this.#passing(now, inFlight)
    const caution = refusal.isPause === true ? cautionAfter(refusal) : 1
    this.#leastRate = isNew ? RATE.slowest : Math.max(RATE.slowest, (before * RATE.keptAtLeast) / caution)
    // where less passed than the rate allowed, what passed is the measure, because the rate grew without being tried
    const isUsedUp = passing > before * RATE.keptOfPassing
    const refusedRate = (this.#refusedRate = isUsedUp ? before : Math.max(passing, this.#leastRate))
    // where a refusal costs more time than passed since the last cut, a lower rate costs less: it is cut several times over
    const betweenMs = now - this.cutAt
    const times = refusal.costMs > betweenMs ? refusal.costMs / betweenMs : 1
    const kept = Math.max(RATE.keptAtLeast, RATE.keptOfPassing ** times)
    this.perSecond = Math.max(RATE.slowest, refusedRate * kept)
    this.#usedAt = this.cutAt = now
    this.#isProven = false
  }

  /** To be called when an outage is over: answers from before it say nothing any more, and a cut by suspected refusals is taken back. */
  endOutage(now: number): void {
    if (!this.#isProven && this.refusal?.isSuspected === true) this.perSecond = this.#rateBefore
    this.#usedAt = this.cutAt = now
  }

  /** To be called when a pause that the service asked for is over. All that was sent before is answered by now, so no more is allowed than
   *  passed in the second before the pause. */
  endPause(now: number): void {
    if (this.refusal && this.#firstAt < Infinity) {
      if (this.perSecond === Infinity) this.since = now
      const passing = this.#passed.perSecond * RATE.keptOfPassing
      this.perSecond = Math.min(this.perSecond, Math.max(this.#leastRate, passing))
    }
    this.#usedAt = this.cutAt = now
  }

  /** Raises the rate, as attempts waited for it for `ms` and nothing was refused. It grows by the cube of the time since the last refusal
   *  (if that was costly, more slowly up to the refused rate), but not beyond `mostAhead` times what passes: what hangs has no answer. */
  waited(ms: number, now: number): void {
    if (this.perSecond === Infinity) return
    this.#usedAt = now
    const beforeMs = this.#unrefusedMs
    const isBeyondRefused = this.perSecond > this.#refusedRate / RATE.keptOfPassing
    const afterMs = (this.#unrefusedMs += isBeyondRefused ? ms : ms / cautionAfter(this.refusal!))
    const faster = Math.exp((afterMs / RATE.growMs) ** 3 - (beforeMs / RATE.growMs) ** 3)
    const most = Math.max(this.perSecond, this.#passed.perSecond * RATE.mostAhead)
    this.perSecond = Math.min(this.perSecond * faster, most) + (RATE.step * (afterMs - beforeMs)) / SECOND_MS
  }

  /** How many pass per second. Within the first second that is estimated, from those in flight too. */
  #passing(now: number, inFlight: number): number {
    const seconds = (now - this.#firstAt) / SECOND_MS
    const { perSecond, total } = this.#passed
    return seconds >= 1 ? perSecond : (total + inFlight) / Math.max(LIMIT.shortestMs / SECOND_MS, seconds)
  }
}

/** Factor by which a refusal slows growth, and a pause lets cuts go deeper: the root of the seconds that it costs, 1 at least. */
function cautionAfter({ costMs }: RateRefusal): number {
  return Math.sqrt(Math.max(1, costMs / SECOND_MS))
}

const SLOT_MS = SECOND_MS / RATE.slots

/** Counts events in the second that ends with the newest one, by slots of time: in constant memory, without work while nothing happens. */
export class LastSecond {
  readonly #counts = new Uint32Array(RATE.slots)
  /** The slot and the time of the newest event. */
  #slot = -Infinity
  #at = -Infinity

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** Events a second; too few within the first second. Stays while nothing happens, so that it is still known after an outage. */
  get perSecond(): number {
    const oldestSlotAt = (this.#slot - RATE.slots + 1) * SLOT_MS
    return (this.total * SECOND_MS) / (this.#at - oldestSlotAt)
  }

  add(now: number): void {
    const slot = Math.floor(now / SLOT_MS)
    // empties the slots that begin since the last event, so that what is older than a second goes
    for (let old = Math.max(this.#slot + 1, slot - RATE.slots + 1); old <= slot; old++)
      this.#counts[old % RATE.slots] = 0
    this.#counts[slot % RATE.slots]!++
    this.#slot = slot
    this.#at = now
  }
}
