// Whether a fault (a plain 503, 500, 502, 504, a lost connection) is to be taken for a refusal. Answers are counted in stretches of
// time. In the slowest of the last few, least is sent: what fails there is chance, and half as much again is tolerated. What fails
// beyond is a refusal. Pure arithmetic.
// decisions.md#a-cut-that-does-not-help-is-taken-back, DESIGN.md#how-much-is-sent.

import { FAULTS, SECOND_MS } from './tuning.ts'

/** Answers in a row: how many a second, and the share of them that may be faults by chance. */
interface Stretch {
  readonly perSecond: number
  readonly chance: number
}

/** An allowance of faults: each answer adds the share that is tolerated, a fault takes one. */
export class FaultAllowance {
  #tolerated: number = FAULTS.mostTolerated
  #allowance: number = FAULTS.atOnce
  /** The last ones that are over, oldest first. */
  #stretches: readonly Stretch[] = []
  /** The one that is not over: when it began, its answers, and how many of them were faults. */
  #from: number | undefined
  #answers = 0
  #faults = 0
  #refusedAt = -Infinity

  /** Counts an answer. To be called for all of them, but not while nothing succeeds at all.
   *  @param now milliseconds, monotonic
   *  @returns whether it is a fault that is to be taken for a refusal: at most one a second is, for a limiter that counts by the second
   *  refuses all the rest of one */
  count(isFault: boolean, now: number): boolean {
    this.#measure(isFault, now)
    this.#allowance = Math.min(FAULTS.atOnce, this.#allowance + this.#tolerated)
    if (!isFault) return false
    if (this.#allowance >= 1) {
      this.#allowance--
      return false
    }
    if (now - this.#refusedAt < SECOND_MS) return false
    this.#refusedAt = now
    return true
  }

  /** Counts the answer in its stretch; at the end of a stretch, finds the share of faults that is tolerated from now on. */
  #measure(isFault: boolean, now: number): void {
    this.#from ??= now
    this.#answers++
    if (isFault) this.#faults++
    const ms = now - this.#from
    if (ms < FAULTS.stretchMs || this.#answers < FAULTS.stretchAnswers) return
    // of few answers, fewer may have failed than usually do: so a few faults more are supposed than were seen
    const chance = ((this.#faults + FAULTS.unseen) / this.#answers) * FAULTS.margin
    const ended = { perSecond: (this.#answers * SECOND_MS) / ms, chance }
    this.#stretches = [...this.#stretches, ended].slice(-FAULTS.stretches)
    const slowest = this.#stretches.reduce((least, one) => (one.perSecond < least.perSecond ? one : least))
    this.#tolerated = Math.max(FAULTS.leastTolerated, Math.min(slowest.chance, FAULTS.mostTolerated))
    this.#from = now
    this.#answers = this.#faults = 0
  }
}
