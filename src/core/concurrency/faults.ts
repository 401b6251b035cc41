// Whether faults (a plain 503, 500, 502, 504, a lost connection) come of how much is sent, or are a share of all requests at any
// load. A small share is tolerated. A larger one is first taken for a limit: each fault is a refusal and cuts the rate, as it does
// for all clients of the service. If the rate comes down to 0.7 all the same, the question is asked: has the share stayed, and does
// less get through? Then it is the service's baseline, the rate is restored, and the share is tolerated for a
// while. Pure arithmetic. decisions.md#a-cut-that-does-not-help-is-taken-back, DESIGN.md#how-much-is-sent.

import { FAULTS, RATE } from './tuning.ts'

/** What follows from an answer. refused: the fault is to be taken for a refusal · a number: faults do not come of load, and
 *  this many attempts a second (Infinity: any number) were sent before they were taken for refusals. */
export type OfFaults = undefined | 'refused' | number

interface Measure {
  /** When it began. */
  readonly from: number
  answers: number
  faults: number
}

/** An attempt was answered, or failed. */
export interface AnswerSeen {
  readonly isFault: boolean
  /** When the attempt began, and ended. */
  readonly started: number
  readonly now: number
  /** Attempts a second that are allowed, Infinity if there is no limit. */
  readonly rate: number
  /** Whether permits or rate held anything back meanwhile: only then it can be they that are too high. */
  readonly isPressed: boolean
}

/** A limit that faults tell of, or are suspected to. */
interface Limit extends Measure {
  /** Attempts a second; 0: not yet known, as there was no rate before it. */
  perSecond: number
  /** How many of them got through. */
  good: number
  /** The rate that was allowed before it was suspected. */
  readonly before: number
  /** While it is asked whether it is one. */
  asked?: Asked | undefined
}

/** What is answered at less than a limit's rate, of attempts that began since. */
interface Asked {
  readonly since: number
  less?: Measure
}

export class FaultShare {
  /** The share of answers that fail whatever is sent; 0 if none is known. */
  #baseline = 0
  /** What it was when it was found. */
  #found = 0
  /** Until when it counts. */
  #believedUntil = 0
  #allowance: number = FAULTS.atOnce / 2
  /** Until when no baseline is believed in. */
  #doubtUntil = -Infinity
  /** The share, once the allowance is spent. */
  #share: Measure | undefined
  #limit: Limit | undefined

  /** Whether something is being measured, so that nothing else should change what is sent. */
  get isMeasuring(): boolean {
    return this.#share !== undefined || this.#limit?.asked !== undefined
  }

  count(answer: AnswerSeen): OfFaults {
    const { isFault, now, isPressed } = answer
    if (this.#limit) return this.#atLimit(this.#limit, answer)
    if (this.#share) return this.#measureShare(this.#share, answer)
    this.#allowance = Math.min(FAULTS.atOnce, this.#allowance + this.#tolerated)
    if (now >= this.#believedUntil) this.#baseline = 0
    if (!isFault || --this.#allowance >= 0) return undefined
    this.#allowance = FAULTS.atOnce
    if (isPressed) this.#share = measure(now)
    return undefined
  }

  /** An outage or a pause: what is being measured means nothing. */
  stop(): void {
    this.#share = undefined
    const limit = this.#limit
    if (!limit?.asked) return
    const perSecond = limit.perSecond * FAULTS.near
    this.#limit = { ...limit, perSecond, good: limit.good * FAULTS.near, before: perSecond, asked: undefined }
  }

  get #tolerated(): number {
    return Math.max(FAULTS.tolerated, Math.min(this.#baseline * FAULTS.margin, FAULTS.most))
  }

  #measureShare(seen: Measure, { isFault, now, rate }: AnswerSeen): OfFaults {
    add(seen, isFault)
    const ms = now - seen.from
    const share = shareOf(seen)
    const isKnown = this.#baseline > 0
    const sample = isKnown ? 2 * FAULTS.sample : FAULTS.sample
    const few = isKnown ? Math.min(this.#found * FAULTS.grown, FAULTS.most) : this.#tolerated
    const isEnough =
      (seen.faults >= sample && ms >= FAULTS.leastMs) ||
      (!isKnown && seen.faults >= FAULTS.sample / 4 && share > FAULTS.most)
    if (!isEnough && ms < FAULTS.mostMs && (share > few || seen.answers * few < sample)) return undefined
    this.#share = undefined
    if (share <= few) {
      if (isKnown) this.#baseline = Math.max(this.#baseline, share)
      return undefined
    }
    // a share that grew when more was sent comes of load, whatever it seemed to be
    if (isKnown) this.#doubtUntil = now + FAULTS.doubtMs
    this.#baseline = 0
    const perSecond = rate === Infinity ? 0 : rate
    this.#limit = { ...seen, perSecond, good: perSecond * (1 - share), before: rate }
    return isFault ? 'refused' : undefined
  }

  #atLimit(limit: Limit, answer: AnswerSeen): OfFaults {
    if (limit.asked) return this.#ask(limit, limit.asked, answer)
    const { isFault, now, rate, isPressed } = answer
    add(limit, isFault)
    if (limit.perSecond === 0 && rate < Infinity) limit.perSecond = limit.good = rate / RATE.kept
    if (rate < limit.perSecond * FAULTS.near) {
      limit.asked = { since: now }
      return undefined
    }
    if (!isFault || !isPressed) return undefined
    if (rate > limit.perSecond && rate < Infinity) {
      limit.good *= rate / limit.perSecond
      limit.perSecond = rate
    }
    return 'refused'
  }

  #ask(limit: Limit, asked: Asked, { isFault, started, now, rate }: AnswerSeen): OfFaults {
    if (started < asked.since) return undefined
    const less = (asked.less ??= measure(now))
    add(less, isFault)
    const ms = now - less.from
    const share = shareOf(limit)
    const isEnough = less.answers * share >= FAULTS.sample && ms >= FAULTS.leastMs
    if (!isEnough && ms < 2 * FAULTS.mostMs) return undefined
    const passing = ((less.answers - less.faults) / ms) * 1000
    const isSlower = isEnough && passing < limit.good * ((1 + FAULTS.near) / 2)
    const isSame = shareOf(less) > share * FAULTS.fallen && shareOf(less) <= FAULTS.most
    if (isSlower && isSame && now >= this.#doubtUntil) {
      this.#baseline = this.#found = (less.faults + limit.faults) / (less.answers + limit.answers)
      this.#believedUntil = now + FAULTS.believedMs
      this.#limit = undefined
      this.#allowance = FAULTS.atOnce
      return limit.before
    }
    this.#limit = { ...less, perSecond: rate, good: passing, before: rate }
    return undefined
  }
}

function measure(from: number): Measure {
  return { from, answers: 0, faults: 0 }
}

function add(to: Measure, isFault: boolean): void {
  to.answers++
  if (isFault) to.faults++
}

function shareOf({ faults, answers }: Measure): number {
  return faults / answers
}
