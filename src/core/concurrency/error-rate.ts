// How many answers are bad: since the last decision (`Window`), and whatever is sent (`BaselineErrorRate`). The evidence for
// the next decision about the limit.

import type { Outcome } from '../types.ts'
import { BASELINE, WINDOW } from './tuning.ts'

/** dead: answers came and every one was bad · congested · uneasy: a few bad ones, within tolerance · clean. */
export type Verdict = 'dead' | 'congested' | 'uneasy' | 'clean'

/** Counts attempts that started after the last decision that changed something: what was sent before it shows nothing
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
    if (this.#answers === 0 || now - this.openedAt < WINDOW.shortestMs) return false
    if (this.#answers >= generation) return true
    const isBad = this.#shed + this.#timeouts > 0 || this.#faults >= WINDOW.faultsAtLeast
    return baseline === 0 && isBad && this.#answers >= Math.min(generation, WINDOW.enough)
  }

  /** @param isOut nothing has succeeded for a while */
  verdict(baseline: number, isOut: boolean): Verdict {
    const refused = this.#shed + this.#timeouts
    const bad = refused + this.#faults
    if (bad === 0) return 'clean'
    if (bad === this.#answers && (isOut || !this.isAlive)) return 'dead'
    if (baseline > 0) {
      // more than chance above what is expected
      const expected = this.#answers * baseline
      return bad > expected + BASELINE.doubt * Math.sqrt(expected) + 1 ? 'congested' : 'clean'
    }
    if (refused > this.#answers * WINDOW.tolerated) return 'congested'
    if (this.#faults >= WINDOW.faultsAtLeast && this.#faults > this.#answers * WINDOW.faultsTolerated)
      return 'congested'
    return refused > 0 ? 'uneasy' : 'clean'
  }
}

/** Whether bad answers have anything to do with how much is sent. Some services answer 503 to every twentieth request whatever
 *  the load: cutting because of that would end at one request in seconds and change nothing. So a cut is an experiment: were
 *  it our load, the share refused would fall, or as much would pass as before; if neither, the share is a baseline. A wrong
 *  yes would overrun a service, a wrong no is only slow: hence proof twice, and a proof that can be refuted.
 *  See decisions.md#a-cut-that-does-not-help-is-taken-back. */
export class BaselineErrorRate {
  #share = 0
  #validUntil = -Infinity
  #blockedUntil = -Infinity
  #answers = 0
  #bad = 0
  #from = -Infinity
  /** Good answers a millisecond, at the last measurement; 0: there was none. */
  #speed = 0
  #measuredAt = -Infinity
  /** Steps down in a row whose share was no better, and the greatest share since before the first of them. */
  #slower = 0
  #mostShare = 0

  /** The share of answers that is bad whatever we send, with a margin; 0: none known. */
  share(now: number): number {
    return now < this.#validUntil ? this.#share : 0
  }

  /** Nothing bad was seen lately: what is sent now is what is to be compared with. */
  get isIdle(): boolean {
    return this.#bad === 0 && this.#speed === 0
  }

  /** An answer to an attempt.
   *  @returns whether it completes the proof that bad answers are the baseline: the cuts made meanwhile did not help */
  count(isBad: boolean, now: number): boolean {
    // a measurement starts with a bad answer: a burst that passed before it shows nothing
    if (!isBad && this.isIdle) return false
    if (this.#answers++ === 0) this.#from = now
    if (isBad) this.#bad++
    if (this.#bad >= BASELINE.sample && now - this.#from >= BASELINE.sampleMs) return this.#measure(now)
    if (this.#answers >= BASELINE.sparse && this.#bad < BASELINE.sample) this.#reset()
    return false
  }

  /** More was bad than the baseline: it was our load after all. */
  refute(now: number): void {
    if (this.share(now) === 0) return
    this.#validUntil = -Infinity
    this.#blockedUntil = now + BASELINE.refutedMs
  }

  #reset(): void {
    this.#answers = 0
    this.#bad = 0
    this.#speed = 0
    this.#slower = 0
  }

  #measure(now: number): boolean {
    const share = this.#bad / this.#answers
    const speed = (this.#answers - this.#bad) / (now - this.#from)
    this.#answers = 0
    this.#bad = 0
    const isSame =
      share <= BASELINE.most &&
      share >= this.#mostShare * BASELINE.same &&
      now - this.#measuredAt <= 2 * BASELINE.validMs
    const isSlower = speed <= Math.max(this.#speed * BASELINE.slower, BASELINE.slowest)
    this.#measuredAt = now
    // neither slower nor faster: no cut was tried, nothing is shown
    if (isSame && !isSlower && speed * BASELINE.slower <= this.#speed) return false
    this.#slower = isSame && isSlower ? this.#slower + 1 : 0
    this.#speed = speed
    this.#mostShare = this.#slower === 0 ? share : Math.max(this.#mostShare, share)
    if (this.#slower < BASELINE.times || now < this.#blockedUntil) return false
    this.#share = Math.min(1, share * BASELINE.margin)
    this.#validUntil = now + BASELINE.validMs
    this.#reset()
    return true
  }
}
