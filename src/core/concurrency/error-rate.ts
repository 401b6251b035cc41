// How many answers are bad: since the last decision about the limit (`Window`), and regardless of how much is sent
// (`BaselineErrorRate`).

import type { Outcome } from '../types.ts'
import { BASELINE, WINDOW } from './tuning.ts'

/** dead: every answer was bad · congested: too many were · uneasy: a few were, within tolerance · clean. */
export type Verdict = 'dead' | 'congested' | 'uneasy' | 'clean'

/** Counts attempts that started after the last change, because earlier ones say nothing about it. So there is one decision per
 *  round trip. */
export class Window {
  /** Attempts that started earlier do not count. */
  since = -Infinity
  openedAt = -Infinity
  /** Whether all permits were in use. */
  reached = false
  /** Whether an attempt had to wait for the learnt rate although a permit was free. */
  rateLimited = false
  /** Attempts that started in it, answered or not. */
  started = 0
  /** Whether any attempt succeeded while it was open, whenever that started. */
  isAlive = false
  #answers = 0
  /** Answers 429 and 503: the service said that it had no room. */
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

  /** The share of attempts that were answered 429 or 503. It is not the share of answers, because refusals come sooner than
   *  successes, so the first answers after a change are mostly refusals. */
  get shed(): number {
    return this.#shed === 0 ? 0 : this.#shed / Math.max(this.#answers, this.started)
  }

  /** @param generation how many answers make a window: about as many as there are permits
   *  @param baseline share of answers that is bad regardless of our load, if known; otherwise 0 */
  isOver(generation: number, baseline: number, now: number): boolean {
    if (this.#answers === 0 || now - this.openedAt < WINDOW.shortestMs) return false
    if (this.#answers >= generation) return true
    const isBad = this.#shed + this.#timeouts > 0 || this.#faults >= WINDOW.faultsAtLeast
    return baseline === 0 && isBad && this.#answers >= Math.min(generation, WINDOW.enough)
  }

  /** @param isOut whether nothing has succeeded for a while */
  verdict(baseline: number, isOut: boolean): Verdict {
    const refused = this.#shed + this.#timeouts
    const bad = refused + this.#faults
    if (bad === 0) return 'clean'
    if (bad === this.#answers && (isOut || !this.isAlive)) return 'dead'
    if (baseline > 0) {
      // more above the expected number than chance explains
      const expected = this.#answers * baseline
      return bad > expected + BASELINE.doubt * Math.sqrt(expected) + 1 ? 'congested' : 'clean'
    }
    if (refused > this.#answers * WINDOW.tolerated) return 'congested'
    if (this.#faults >= WINDOW.faultsAtLeast && this.#faults > this.#answers * WINDOW.faultsTolerated)
      return 'congested'
    return refused > 0 ? 'uneasy' : 'clean'
  }
}

/** Finds out whether bad answers depend on how much is sent. Some services answer 503 to every twentieth request at any load.
 *  Cutting because of that would end at one request every few seconds, and help nothing. So each cut is a test: if our load were
 *  the cause, the share of bad answers would fall, or as much would succeed as before. If neither happens, that share is the
 *  baseline. A false baseline would overrun a service, whereas a missed one only makes us slow. So two such tests are needed, and
 *  a baseline can be refuted later.
 *  See decisions.md#a-cut-that-does-not-help-is-taken-back. */
export class BaselineErrorRate {
  #share = 0
  #validUntil = -Infinity
  #blockedUntil = -Infinity
  #answers = 0
  #bad = 0
  #from = -Infinity
  /** Good answers per millisecond at the last measurement; 0 if there was none. */
  #speed = 0
  #measuredAt = -Infinity
  /** Cuts in a row that did not lower the share, and the greatest share since before the first of them. */
  #slower = 0
  #mostShare = 0

  /** The share of answers that is bad regardless of our load, with a margin; 0 if none is known. */
  share(now: number): number {
    return now < this.#validUntil ? this.#share : 0
  }

  /** Whether there was nothing bad lately, so that what is sent now is what later cuts are compared with. */
  get isIdle(): boolean {
    return this.#bad === 0 && this.#speed === 0
  }

  /** Counts an answer.
   *  @returns whether it completes the proof of a baseline, so that the cuts made meanwhile were useless */
  count(isBad: boolean, now: number): boolean {
    // a measurement starts with a bad answer: a burst of good ones before it shows nothing
    if (!isBad && this.isIdle) return false
    if (this.#answers++ === 0) this.#from = now
    if (isBad) this.#bad++
    if (this.#bad >= BASELINE.sample && now - this.#from >= BASELINE.sampleMs) return this.#measure(now)
    if (this.#answers >= BASELINE.sparse && this.#bad < BASELINE.sample) this.#reset()
    return false
  }

  /** More was bad than the baseline, so our load was the cause after all. */
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
    // neither slower nor faster: there was no cut, so this shows nothing
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
