// Whether a fault (a plain 503, 500, 502, 504, a lost connection) is chance, or a refusal, which says that too much is sent. Answers are
// counted in stretches of time. In the slowest of the last few stretches least was sent, so what failed there is chance. One and a half
// times that share is tolerated, and a fault beyond it is a refusal. Pure arithmetic on numbers of tuning.ts (`FAULTS`).
// See decisions.md#a-cut-that-does-not-help-is-taken-back, DESIGN.md#how-much-is-sent.

import { FAULTS, SECOND_MS } from './tuning.ts'

/** Answers in a row: how many a second, and the share of them that may be faults by chance. */
interface Stretch {
  readonly perSecond: number
  readonly chance: number
}

/** An allowance of faults: each answer adds the tolerated share, a fault takes one, and a fault that finds less than one is a refusal. */
export class FaultAllowance {
  /** Share of the answers that may be faults. */
  #tolerated: number = FAULTS.mostTolerated
  #allowance: number = FAULTS.atOnce
  /** The last stretches that are over, oldest first. */
  #stretches: readonly Stretch[] = []
  /** The present stretch: when it began (`undefined` before the first answer), its answers, and how many of them were faults. */
  #from: number | undefined
  #answers = 0
  #faults = 0
  /** When a fault was last found to be a refusal. */
  #refusedAt = -Infinity

  /** Counts an answer. To be called for all of them, but not while nothing succeeds at all.
   *  @param now milliseconds, monotonic
   *  @returns whether it is a refusal. At most one a second is, as a limiter that counts by the second refuses all in the rest of it */
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
    // a stretch of few answers may by luck have fewer faults than usual, so a few more are counted than were seen
    const chance = ((this.#faults + FAULTS.unseen) / this.#answers) * FAULTS.margin
    const ended = { perSecond: (this.#answers * SECOND_MS) / ms, chance }
    this.#stretches = [...this.#stretches, ended].slice(-FAULTS.stretches)
    const slowest = this.#stretches.reduce((found, one) => (one.perSecond < found.perSecond ? one : found))
    this.#tolerated = Math.max(FAULTS.leastTolerated, Math.min(slowest.chance, FAULTS.mostTolerated))
    this.#from = now
    this.#answers = this.#faults = 0
  }
}
