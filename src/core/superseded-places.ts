// Where the newest superseded versions of a point were read.

import type { Segment } from './segment.ts'
import type { SupersededPlace } from './types.ts'

/** Places kept at most; a hot key may be superseded a million times. */
const MOST_KEPT = 10
/** Bytes of memory that each takes, with an origin that holds no more than a place. */
const COST_BYTES = 128

interface KeptPlace<O> {
  segment: Segment
  origin: O
}

/** The places where the newest of a point's superseded versions were read, to be reported if the point is refused. A ring: once it is full, an
 *  added place overwrites the oldest, and nothing is allocated. */
export class SupersededPlaces<O> {
  #ring: readonly KeptPlace<O>[] = []
  /** Index of the next one. */
  #next = 0

  /** Bytes of memory that they take. */
  get cost(): number {
    return COST_BYTES * this.#ring.length
  }

  /** @param segment of the superseded record
   *  @param origin what `placeOf` gave for it */
  add(segment: Segment, origin: O): void {
    const oldest = this.#ring[this.#next]
    if (oldest) {
      oldest.segment = segment
      oldest.origin = origin
      // not by push, which takes memory for 17 at once
    } else this.#ring = this.#ring.concat({ segment, origin })
    this.#next = (this.#next + 1) % MOST_KEPT
  }

  /** Forgets places of records that were dropped, not superseded. */
  drop(matches: (segment: Segment) => boolean): void {
    const kept = this.#oldestFirst().filter(({ segment }) => !matches(segment))
    this.#ring = []
    this.#next = 0
    for (const { segment, origin } of kept) this.add(segment, origin)
  }

  newestFirst(): SupersededPlace<O>[] {
    const places = this.#oldestFirst().map(({ segment, origin }) => ({ track: segment.state.track, origin }))
    return places.reverse()
  }

  #oldestFirst(): readonly KeptPlace<O>[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }
}
