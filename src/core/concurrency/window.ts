// What the answers since the last decision come to: the evidence for the next one. Decides nothing about limits.

import type { Outcome } from '../types.ts'

/** Of what a window's answers may be 429, 503 or timeouts before it counts as congested: at thousands a second a lone one
 *  says nothing; in windows of less than a hundred answers each one counts. */
const TOLERATED = 0.01
/** Of what a window's answers may be other faults (500, 502, resets). Lone ones are about one request, not about load. */
const FAULTS_TOLERATED = 0.1
const FAULTS_AT_LEAST = 4
/** No decision sooner, however fast the service answers: a few milliseconds of answers are chance. */
const SHORTEST_MS = 50
/** So many answers let a bad one end the window early. */
const ENOUGH = 4

/** dead: answers came and every one was bad · congested · uneasy: a few bad ones, within tolerance · clean. */
export type Verdict = 'dead' | 'congested' | 'uneasy' | 'clean'

/** Counts attempts that started after the last decision that changed something: what was sent before it says nothing
 *  about it. That alone makes it one decision a round trip. */
export class Window {
  /** Attempts that started earlier don't count. */
  since = -Infinity
  openedAt = -Infinity
  /** All permits were in use. */
  reached = false
  /** An attempt had to wait for the learnt rate although a permit was free. */
  rateLimited = false
  /** Attempts that started in it, answered or not. */
  started = 0
  /** Something succeeded while it was open, whenever it started. */
  isAlive = false
  #answers = 0
  /** 429 and 503: the service answered that it had no room. */
  #shed = 0
  #timeouts = 0
  #faults = 0

  open(now: number, isFresh: boolean): void {
    if (isFresh) {
      this.since = now
      this.started = 0
    } else this.started = Math.max(0, this.started - this.#answers)
    this.openedAt = now
    this.reached = false
    this.rateLimited = false
    this.isAlive = false
    this.#answers = 0
    this.#shed = 0
    this.#timeouts = 0
    this.#faults = 0
  }

  count(outcome: Outcome): void {
    this.#answers++
    if (outcome.status !== 'retry') return
    if (!outcome.congestion) this.#faults++
    else if (outcome.cause === 'timeout') this.#timeouts++
    else this.#shed++
  }

  /** Share of the attempts that were answered 429 or 503. Not of the answers: a refusal comes at once, a success takes its
   *  time, and the first answers after a change are mostly refusals. */
  get shed(): number {
    return this.#shed === 0 ? 0 : this.#shed / Math.max(this.#answers, this.started)
  }

  /** @param generation how many answers make a window: about as many as there are permits
   *  @param baseline share of bad answers that is known to be none of our doing; 0: none */
  isOver(generation: number, baseline: number, now: number): boolean {
    if (this.#answers === 0 || now - this.openedAt < SHORTEST_MS) return false
    if (this.#answers >= generation) return true
    const isBad = this.#shed + this.#timeouts > 0 || this.#faults >= FAULTS_AT_LEAST
    return baseline === 0 && isBad && this.#answers >= Math.min(generation, ENOUGH)
  }

  /** @param isOut nothing has succeeded for a while */
  verdict(baseline: number, isOut: boolean): Verdict {
    const refused = this.#shed + this.#timeouts
    const bad = refused + this.#faults
    if (bad === 0) return 'clean'
    if (bad === this.#answers && (isOut || !this.isAlive)) return 'dead'
    if (baseline > 0) {
      // two standard deviations of chance above what is expected
      const expected = this.#answers * baseline
      return bad > expected + 2 * Math.sqrt(expected) + 1 ? 'congested' : 'clean'
    }
    if (refused > this.#answers * TOLERATED) return 'congested'
    if (this.#faults >= FAULTS_AT_LEAST && this.#faults > this.#answers * FAULTS_TOLERATED) return 'congested'
    return refused > 0 ? 'uneasy' : 'clean'
  }
}
