// Where the newest of the versions stood that a point superseded, for whoever is told that it was refused. A hot key is
// superseded a million times, so no more than a few are kept.

import type { Segment } from '../ledger.ts'
import type { SupersededPlace } from '../types.ts'

/** At most. */
const KEPT = 10
/** Bytes that one costs, with an origin that is no more than a place. */
const COST = 128

interface Kept<O> {
  segment: Segment
  origin: O
  /** The next newer one; of the newest, the oldest. */
  newer: Kept<O>
}

/** In a ring, so that adding one to ten writes over the oldest and allocates nothing. */
export class SupersededPlaces<O> {
  #newest: Kept<O> | undefined = undefined
  #count = 0

  /** Bytes that holding them costs. */
  get cost(): number {
    return COST * this.#count
  }

  /** @param segment of the record that was superseded
   *  @param origin its place and no more */
  add(segment: Segment, origin: O): void {
    const newest = this.#newest
    if (newest !== undefined && this.#count === KEPT) {
      const oldest = newest.newer
      oldest.segment = segment
      oldest.origin = origin
      this.#newest = oldest
      return
    }
    const kept = { segment, origin } as Kept<O>
    kept.newer = newest?.newer ?? kept
    if (newest) newest.newer = kept
    this.#newest = kept
    this.#count++
  }

  /** Forgets those of records that are not superseded any more, but dropped. */
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

  #oldestFirst(): Kept<O>[] {
    const found: Kept<O>[] = []
    for (let kept = this.#newest; found.length < this.#count;) found.push((kept = kept!.newer))
    return found
  }
}
