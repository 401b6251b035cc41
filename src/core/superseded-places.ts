// Where the superseded versions of a point (those that a newer version of its row replaced before they were sent) were read.

import type { Segment } from './segment.ts'
import type { SupersededPlace } from './types.ts'

/** Places kept at most: a row that changes often may have a million superseded versions. */
const MOST_KEPT = 10
/** Bytes of memory that a place takes. */
const COST_BYTES = 128

interface KeptPlace<O> {
  segment: Segment
  origin: O
}

/** The places where the newest of a point's superseded versions were read, to be reported if the point is refused. A ring: once it is
 *  full, an added place overwrites the oldest one, and nothing is allocated. */
export class SupersededPlaces<O> {
  #ring: readonly KeptPlace<O>[] = []
  /** Index at which the next place is put. */
  #next = 0

  /** Bytes of memory that they take. */
  get cost(): number {
    return COST_BYTES * this.#ring.length
  }

  /** @param segment that of the superseded record
   *  @param origin the place that `Rejects.placeOf` gave for it */
  add(segment: Segment, origin: O): void {
    const oldest = this.#ring[this.#next]
    // `concat`, because `push` takes memory for 17 places at once
    if (!oldest) this.#ring = this.#ring.concat({ segment, origin })
    else {
      oldest.segment = segment
      oldest.origin = origin
    }
    this.#next = (this.#next + 1) % MOST_KEPT
  }

  /** Forgets the places of records that were dropped. */
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
