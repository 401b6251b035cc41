// Where the newest superseded versions of a point were read.

import type { Segment } from './ledger.ts'
import type { SupersededPlace } from './types.ts'

/** Places kept at most; a hot key may be superseded a million times. */
const KEPT = 10
/** Bytes of memory that each takes, with an origin that holds no more than a place. */
const COST = 128

interface KeptPlace<O> {
  segment: Segment
  origin: O
  /** The next newer one; for the newest, the oldest. */
  newer: KeptPlace<O>
}

/** Where the newest of a point's superseded versions were read, to be reported if the point is refused. A ring: adding one to ten
 *  overwrites the oldest and allocates nothing. */
export class SupersededPlaces<O> {
  #newest: KeptPlace<O> | undefined = undefined
  #count = 0

  /** Bytes of memory that they take. */
  get cost(): number {
    return COST * this.#count
  }

  /** @param segment of the superseded record
   *  @param origin what `placeOf` gave for it */
  add(segment: Segment, origin: O): void {
    const newest = this.#newest
    if (newest !== undefined && this.#count === KEPT) {
      const oldest = newest.newer
      oldest.segment = segment
      oldest.origin = origin
      this.#newest = oldest
      return
    }
    const kept = { segment, origin } as KeptPlace<O>
    kept.newer = newest?.newer ?? kept
    if (newest) newest.newer = kept
    this.#newest = kept
    this.#count++
  }

  /** Forgets places of records that were dropped, not superseded. */
  drop(matches: (segment: Segment) => boolean): void {
    const kept = this.#oldestFirst().filter(({ segment }) => !matches(segment))
    this.#newest = undefined
    this.#count = 0
    for (const { segment, origin } of kept) this.add(segment, origin)
  }

  newestFirst(): SupersededPlace<O>[] {
    const places = this.#oldestFirst().map(({ segment, origin }) => ({ track: segment.state.track, origin }))
    return places.reverse()
  }

  #oldestFirst(): KeptPlace<O>[] {
    const found: KeptPlace<O>[] = []
    for (let kept = this.#newest; found.length < this.#count;) found.push((kept = kept!.newer))
    return found
  }
}
