// Takes a refused request apart until it is known which of its points (row versions) the service refuses (`Bisection`).

import type { Body } from '../body.ts'

/** Parts of one request under way at most. With more, the first answer would make many of them needless. */
const AT_ONCE = 2
/** From this share of refused points on, sending points one by one takes fewer requests than halving. So many are assumed to have been
 *  accepted besides those that were, lest a few refused ones at the beginning decide. */
const MOSTLY_BAD = 0.3
const ASSUMED_GOOD = 25

/** The two halves of a refused body. */
interface Pair {
  /** Whether one half was delivered, so that the other one must contain what was refused. */
  isHalfClean: boolean
}

/** Some of the points of a refused request. */
export interface Part<O> {
  readonly body: Body<O>
  /** When the last ambiguous attempt with these points ended: one without an answer, which may still arrive. `undefined` when none was. */
  readonly ambiguousAt: number | undefined
  /** The pair that it is a half of. `undefined` when it is no half, or the whole was too large and not refused. */
  readonly pair: Pair | undefined
}

/** Cuts a sent body into bodies of `size` points, in order. */
export type Cut<O> = (body: Body<O>, size: number) => readonly Body<O>[]

/** Splits a body until it is known which points the service refuses: depth first, two parts at a time. It begins by `begin` with a body
 *  that was not sent yet, or by `halve`. Then `next` gives the parts to send, and each of them ends by `delivered`, `refused`, `tooLarge`
 *  or `dropped`. Never throws, never waits. See decisions.md#a-refused-request-is-bisected. */
export class Bisection<O> {
  readonly #cut: Cut<O>
  /** Parts to send: the smallest one is next; of equally small ones, the last. */
  readonly #parts: Part<O>[] = []
  #underWay = 0
  #acceptedPoints = 0
  #refusedPoints = 0

  constructor(cut: Cut<O>) {
    this.#cut = cut
  }

  get isOver(): boolean {
    return this.#underWay === 0 && this.#parts.length === 0
  }

  begin(body: Body<O>): void {
    this.#parts.push({ body, ambiguousAt: undefined, pair: undefined })
  }

  /** Takes the next part to send. `undefined` when there is none before an answer. */
  next(): Part<O> | undefined {
    if (this.#underWay >= AT_ONCE) return undefined
    let part = this.#smallest()
    while (part && part.body.points.length > 1) {
      if (this.#isMostlyBad()) this.#push(this.#cut(part.body, 1), part.ambiguousAt, undefined)
      // the other half was delivered, so this one will be refused and need not be sent
      else if (part.pair?.isHalfClean === true) this.halve(part.body, part.ambiguousAt, 'refused')
      else break
      part = this.#smallest()
    }
    if (part) this.#underWay++
    return part
  }

  delivered({ pair, body }: Part<O>): void {
    this.#underWay--
    this.#acceptedPoints += body.points.length
    if (pair) pair.isHalfClean = true
  }

  refused({ body }: Part<O>, ambiguousAt: number | undefined): void {
    this.#underWay--
    if (body.points.length > 1) this.halve(body, ambiguousAt, 'refused')
    else this.#refusedPoints++
  }

  /** Notes that a part was too large, which says nothing about which of its points are refused. */
  tooLarge({ body }: Part<O>, ambiguousAt: number | undefined): void {
    this.#underWay--
    if (body.points.length > 1) this.halve(body, ambiguousAt, 'too-large')
  }

  /** Notes that a part will not be sent again. */
  dropped(): void {
    this.#underWay--
  }

  /** Halves a body that was sent. Only if it was refused, and not too large, is it known that one of the halves will be refused. */
  halve(body: Body<O>, ambiguousAt: number | undefined, cause: 'refused' | 'too-large'): void {
    const halves = this.#cut(body, Math.ceil(body.points.length / 2))
    this.#push(halves, ambiguousAt, cause === 'refused' ? { isHalfClean: false } : undefined)
  }

  /** Removes and returns the smallest part, so that the search is depth first in whatever order answers come. */
  #smallest(): Part<O> | undefined {
    let smallest = this.#parts.length - 1
    for (let at = smallest - 1; at >= 0; at--)
      if (this.#parts[at]!.body.points.length < this.#parts[smallest]!.body.points.length) smallest = at
    return this.#parts.splice(smallest, 1)[0]
  }

  #push(bodies: readonly Body<O>[], ambiguousAt: number | undefined, pair: Pair | undefined): void {
    // reversed, because of equally small parts the last one is next
    for (const body of bodies.toReversed()) this.#parts.push({ body, ambiguousAt, pair })
  }

  #isMostlyBad(): boolean {
    return this.#refusedPoints / (this.#refusedPoints + this.#acceptedPoints + ASSUMED_GOOD) >= MOSTLY_BAD
  }
}
