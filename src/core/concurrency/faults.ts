// Whether a fault (a plain 503, 500, 502, 504, a lost connection) is to be taken for a refusal. Answers are counted in stretches of
// time. In the slowest of the last few, least is sent: what fails there is chance, and half as much again is tolerated. What fails
// beyond is a refusal. Pure arithmetic.
// decisions.md#a-cut-that-does-not-help-is-taken-back, DESIGN.md#how-much-is-sent.

import { FAULTS, SECOND_MS } from './tuning.ts'

/** Answers in a row, and how many of them were faults. */
interface Stretch {
  readonly from: number
  /** Answers a second. Infinity while it is not over. */
  perSecond: number
  answers: number
  faults: number
}

/** An allowance of faults: each answer adds the share that is tolerated, a fault takes one. */
export class FaultAllowance {
  #tolerated: number = FAULTS.mostTolerated
  #allowance: number = FAULTS.atOnce
  /** Oldest first; the last is not over. */
  #stretches: readonly Stretch[] = []
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
    const last = this.#stretches.at(-1) ?? this.#begin(now)
    last.answers++
    if (isFault) last.faults++
    const ms = now - last.from
    if (ms < FAULTS.stretchMs || last.answers < FAULTS.stretchAnswers) return
    last.perSecond = (last.answers * SECOND_MS) / ms
    const slowest = this.#stretches.reduce((least, one) => (one.perSecond < least.perSecond ? one : least))
    // of few answers, fewer may have failed than usually do: so a few faults more are supposed than were seen
    const chance = ((slowest.faults + FAULTS.unseen) / slowest.answers) * FAULTS.margin
    this.#tolerated = Math.max(FAULTS.leastTolerated, Math.min(chance, FAULTS.mostTolerated))
    this.#begin(now)
  }

  #begin(from: number): Stretch {
    const stretch: Stretch = { from, perSecond: Infinity, answers: 0, faults: 0 }
    this.#stretches = [...this.#stretches, stretch].slice(-FAULTS.stretches)
    return stretch
  }
}
