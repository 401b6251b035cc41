// Where the newest superseded versions of a point were read.

import type { Segment } from './segment.ts'
import type { SupersededPlace } from './types.ts'

/** Places kept at most; a hot key may be superseded a million times. */
const MOST_KEPT = 10
/** Bytes of memory that each takes, with an origin that holds no more than a place. */
const COST = 128

interface KeptPlace<O> {
  segment: Segment
  origin: O
}

/** The places where the newest of a point's superseded versions were read, to be reported if the point is refused. Once there are enough, an
 *  added place takes the object of the oldest, and nothing is allocated. */
export class SupersededPlaces<O> {
  /** Oldest first. */
  #kept: KeptPlace<O>[] = []

  /** Bytes of memory that they take. */
  get cost(): number {
    return COST * this.#kept.length
  }

  /** @param segment of the superseded record
   *  @param origin what `placeOf` gave for it */
  add(segment: Segment, origin: O): void {
    if (this.#kept.length < MOST_KEPT) {
      // not by push, which takes memory for 17 at once
      this.#kept = this.#kept.concat({ segment, origin })
      return
    }
    const oldest = this.#kept.shift()!
    oldest.segment = segment
    oldest.origin = origin
    this.#kept.push(oldest)
  }

  /** Forgets places of records that were dropped, not superseded. */
  drop(matches: (segment: Segment) => boolean): void {
    this.#kept = this.#kept.filter(({ segment }) => !matches(segment))
  }

  newestFirst(): SupersededPlace<O>[] {
    return this.#kept.toReversed().map(({ segment, origin }) => ({ track: segment.state.track, origin }))
  }
}
