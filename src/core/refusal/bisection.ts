// A refused request, taken apart until it is known which points the service refuses: depth first, two parts at a time.
// Decides what is tried next; knows no permits, no time and nothing of what becomes of a refused point.

import type { Body } from '../body.ts'

/** So many parts of one request are under way at most: more would be tried that a first answer makes needless. */
const AT_ONCE = 2
/** When of the points known so many are bad, with good ones taken for granted so that a few in a row don't count as most,
 *  one by one takes fewer requests than halving. */
const MOST = 0.3
const GRANTED = 25

/** Two halves of a refused request, of which one was delivered: the other holds what was refused. */
interface Pair {
  isHalfClean: boolean
}

/** Some of the points of a refused request. */
export interface Part<O> {
  readonly body: Body<O>
  /** When an attempt last ended that held these points and got no answer. */
  readonly ambiguousAt: number | undefined
  readonly pair: Pair | undefined
}

export type Cut<O> = (body: Body<O>, size: number) => readonly Body<O>[]

/** Never throws, never waits. See decisions.md#a-refused-request-is-bisected. */
export class Bisection<O> {
  readonly #cut: Cut<O>
  /** Of equally small ones the last is next. */
  readonly #parts: Part<O>[] = []
  #underWay = 0
  #good = 0
  #bad = 0

  /** @param cut makes bodies of so many points each, in order, of one of them */
  constructor(cut: Cut<O>) {
    this.#cut = cut
  }

  get isOver(): boolean {
    return this.#underWay === 0 && this.#parts.length === 0
  }

  /** A body of which nothing is known. */
  begin(body: Body<O>, ambiguousAt: number | undefined): void {
    this.#parts.push({ body, ambiguousAt, pair: undefined })
  }

  /** The next part to try; to be followed by one of `delivered`, `refused`, `tooLarge`. */
  next(): Part<O> | undefined {
    if (this.#underWay >= AT_ONCE) return undefined
    let part = this.#smallest()
    while (part && part.body.points.length > 1) {
      if (this.#isMostlyBad()) this.#push(this.#cut(part.body, 1), part.ambiguousAt, undefined)
      // the other half was clean, so this one is not: it need not be tried
      else if (part.pair?.isHalfClean === true) this.halve(part.body, part.ambiguousAt, true)
      else break
      part = this.#smallest()
    }
    if (part) this.#underWay++
    return part
  }

  delivered({ pair, body }: Part<O>): void {
    this.#underWay--
    this.#good += body.points.length
    if (pair) pair.isHalfClean = true
  }

  refused({ body }: Part<O>, ambiguousAt: number | undefined): void {
    this.#underWay--
    if (body.points.length > 1) this.halve(body, ambiguousAt, true)
    else this.#bad++
  }

  /** It was too large, which says nothing about its points. */
  tooLarge({ body }: Part<O>, ambiguousAt: number | undefined): void {
    this.#underWay--
    if (body.points.length > 1) this.halve(body, ambiguousAt, false)
  }

  /** It is not sent any more. */
  dropped(): void {
    this.#underWay--
  }

  /** @param isRefused at least one of the points is refused */
  halve(body: Body<O>, ambiguousAt: number | undefined, isRefused: boolean): void {
    const halves = this.#cut(body, Math.ceil(body.points.length / 2))
    this.#push(halves, ambiguousAt, isRefused ? { isHalfClean: false } : undefined)
  }

  /** Depth first in whatever order answers come: a half whose refusal was long in coming must not go before the points
   *  that are nearly told apart. */
  #smallest(): Part<O> | undefined {
    let found = this.#parts.length - 1
    for (let at = found - 1; at >= 0; at--)
      if (this.#parts[at]!.body.points.length < this.#parts[found]!.body.points.length) found = at
    return this.#parts.splice(found, 1)[0]
  }

  #push(bodies: readonly Body<O>[], ambiguousAt: number | undefined, pair: Pair | undefined): void {
    for (const body of bodies.toReversed()) this.#parts.push({ body, ambiguousAt, pair })
  }

  #isMostlyBad(): boolean {
    return this.#bad / (this.#bad + this.#good + GRANTED) >= MOST
  }
}
