// Whether refusals have anything to do with how much we send. Some services answer 503 to every twentieth request whatever
// the load: cutting because of that would end at one request in seconds and change nothing. So a cut is an experiment:
// were it our load, the share refused would fall, or as much would pass as before; if neither, the share is a baseline.
// A wrong yes would overrun a service, a wrong no is only slow: hence proof twice, and a proof that can be refuted.

/** So many bad answers, over at least so long, measure a share and a speed: what was sent before a cut comes back for a
 *  round trip. */
const SAMPLE = 8
const SAMPLE_MS = 500
/** If so many answers hold fewer, there is nothing to measure: less than one in a hundred. */
const SPARSE = 800
/** A baseline: with at most `SLOWER` of what passed before, still at least `SAME` of the share is bad, so many times in a
 *  row: the first time it may have been a limiter's saved-up burst that came to its end. */
const SLOWER = 0.8
const SAME = 0.6
const TIMES = 2
/** Good answers a millisecond that nobody need be slower than: there is no cutting below one attempt a second. */
const SLOWEST = 0.002
/** More than that is no baseline but an origin that is down, or the rest of a limiter's second. */
const MOST = 0.6
/** Above what was measured that much is still it. */
const MARGIN = 1.5
/** It is measured anew after this time: it may be over. */
const VALID_MS = 30_000

export class BaselineErrorRate {
  #share = 0
  #validUntil = -Infinity
  #blockedUntil = -Infinity
  #answers = 0
  #bad = 0
  #from = -Infinity
  /** The measurement to compare with; 0: none. Speed: good answers a millisecond. */
  #lastShare = 0
  #speed = 0
  #measuredAt = -Infinity
  /** Steps down in a row whose share was no better. */
  #slower = 0

  /** The share of answers that is bad whatever we send, with a margin; 0: none known. */
  share(now: number): number {
    return now < this.#validUntil ? this.#share : 0
  }

  /** Nothing bad was seen lately: what is sent now is what is to be compared with. */
  get isIdle(): boolean {
    return this.#bad === 0 && this.#speed === 0
  }

  /** An answer to an attempt.
   *  @returns whether it completes the proof that bad answers are the baseline: what was cut meanwhile was cut in vain */
  count(isBad: boolean, now: number): boolean {
    // a measurement starts with a bad answer: a burst that passed before it says nothing
    if (!isBad && this.isIdle) return false
    if (this.#answers++ === 0) this.#from = now
    if (isBad) this.#bad++
    if (this.#bad >= SAMPLE && now - this.#from >= SAMPLE_MS) return this.#measure(now)
    if (this.#answers >= SPARSE && this.#bad < SAMPLE) this.#reset()
    return false
  }

  /** More was bad than the baseline: it was our load after all. */
  refute(now: number): void {
    if (this.share(now) === 0) return
    this.#validUntil = -Infinity
    this.#blockedUntil = now + VALID_MS
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
    const isSame = share <= MOST && share >= this.#lastShare * SAME && now - this.#measuredAt <= 2 * VALID_MS
    const isSlower = speed <= Math.max(this.#speed * SLOWER, SLOWEST)
    this.#measuredAt = now
    // neither slower nor faster: no cut was tried, nothing is shown
    if (isSame && !isSlower && speed * SLOWER <= this.#speed) return false
    this.#slower = isSame && isSlower ? this.#slower + 1 : 0
    this.#speed = speed
    this.#lastShare = share
    if (this.#slower < TIMES || now < this.#blockedUntil) return false
    this.#share = Math.min(1, share * MARGIN)
    this.#validUntil = now + VALID_MS
    this.#reset()
    return true
  }
}
