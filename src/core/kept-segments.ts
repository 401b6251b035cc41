// Which records of revoked tracks are still delivered: all up to the last one that was sent, and whatever goes out with them.

import type { Point } from './body.ts'
import type { Segment } from './segment.ts'
import { sharesOf } from './shares.ts'

/** Finds the segments of revoked tracks that are still delivered, in linear time.
 *  @param tracks the segments of each track, oldest first
 *  @param unsent every point that is not in flight; all other records of the segments were sent
 *  @returns the beginning of each track: if a row of a segment is acknowledged, all rows before it must be, too */
export function keptSegments(
  tracks: readonly (readonly Segment[])[],
  unsent: Iterable<Point<unknown>>,
): ReadonlySet<Segment> {
  return new KeptSegments(tracks, unsent).find()
}

/** A track's segments, oldest first, and how many of the first are kept so far. */
interface Line {
  readonly segments: readonly Segment[]
  kept: number
}

interface SegmentPlace {
  readonly line: Line
  readonly at: number
  /** The points that are not in flight, and how many records of the segment they stand for. */
  readonly unsent: Point<unknown>[]
  unsentRecords: number
}

class KeptSegments {
  readonly #lines: readonly Line[]
  readonly #places = new Map<Segment, SegmentPlace>()
  readonly #kept = new Set<Segment>()
  /** Segments of which something goes out in any case: they are kept, with all before them. */
  readonly #toKeep: Segment[] = []

  constructor(tracks: readonly (readonly Segment[])[], unsent: Iterable<Point<unknown>>) {
    this.#lines = tracks.map((segments) => ({ segments, kept: 0 }))
    for (const line of this.#lines)
      for (const [at, segment] of line.segments.entries())
        this.#places.set(segment, { line, at, unsent: [], unsentRecords: 0 })
    for (const point of unsent) this.#note(point)
    for (const [segment, { unsentRecords }] of this.#places)
      if (segment.received > unsentRecords) this.#toKeep.push(segment)
  }

  find(): ReadonlySet<Segment> {
    for (let segment = this.#toKeep.pop(); segment; segment = this.#toKeep.pop()) this.#keep(segment)
    for (const { segments, kept } of this.#lines) {
      // empty segments that follow are kept too, for their checkpoints
      for (let at = kept; segments[at]?.received === 0; at++) this.#kept.add(segments[at]!)
    }
    return this.#kept
  }

  #note(point: Point<unknown>): void {
    let staysFor: Segment | undefined
    let isOthers = false
    for (const { segment, count } of sharesOf(point)) {
      const place = this.#places.get(segment)
      if (!place) {
        isOthers = true
        continue
      }
      staysFor = segment
      place.unsent.push(point)
      place.unsentRecords += count
    }
    // it is sent in any case for a track that stays, or other parts of the reject may have been sent
    if ((isOthers || point.isStandIn) && staysFor) this.#toKeep.push(staysFor)
  }

  #keep(segment: Segment): void {
    const place = this.#places.get(segment)
    if (!place) return
    const { line, at } = place
    while (line.kept <= at) {
      const one = line.segments[line.kept++]!
      this.#kept.add(one)
      // its points are acknowledged for other segments too
      for (const point of this.#places.get(one)!.unsent)
        for (const share of sharesOf(point)) if (!this.#kept.has(share.segment)) this.#toKeep.push(share.segment)
    }
  }
}
