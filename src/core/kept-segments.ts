// Which records of revoked tracks are still delivered: all up to the last one that was sent, and whatever goes out with them.

import type { Point } from './body.ts'
import type { Segment } from './segment.ts'
import { sharesOf } from './shares.ts'

/** A track's segments, oldest first, and how many of the first are kept so far. */
interface Line {
  readonly segments: readonly Segment[]
  keptCount: number
}

interface SegmentPlace {
  readonly line: Line
  readonly at: number
  /** The points that are not in flight, and how many records of the segment they stand for. */
  readonly unsent: Point<unknown>[]
  unsentRecords: number
}

type Places = ReadonlyMap<Segment, SegmentPlace>

/** Finds the segments of revoked tracks that are still delivered, in linear time.
 *  @param tracks the segments of each track, oldest first
 *  @param unsent every point that is not in flight; all other records of the segments were sent
 *  @returns the beginning of each track: if a row of a segment is acknowledged, all rows before it must be, too */
export function keptSegments(
  tracks: readonly (readonly Segment[])[],
  unsent: Iterable<Point<unknown>>,
): ReadonlySet<Segment> {
  const lines = tracks.map((segments): Line => ({ segments, keptCount: 0 }))
  const places: Places = new Map(
    lines.flatMap((line) => line.segments.map((segment, at) => [segment, { line, at, unsent: [], unsentRecords: 0 }])),
  )
  const kept = new Set<Segment>()
  const toKeep = goingOut(places, unsent)
  for (let segment = toKeep.pop(); segment; segment = toKeep.pop()) {
    const { line, at } = places.get(segment)!
    while (line.keptCount <= at) {
      const one = line.segments[line.keptCount++]!
      kept.add(one)
      // its points are acknowledged for other segments too; one of a track that stays has no place
      for (const point of places.get(one)!.unsent)
        for (const { segment: other } of sharesOf(point)) if (places.has(other) && !kept.has(other)) toKeep.push(other)
    }
  }
  for (const { segments, keptCount } of lines) {
    // empty segments that follow are kept too, for their checkpoints
    for (let at = keptCount; segments[at]?.received === 0; at++) kept.add(segments[at]!)
  }
  return kept
}

/** Finds segments of which something goes out in any case, and notes in `places` what is unsent of each. */
function goingOut(places: Places, unsent: Iterable<Point<unknown>>): Segment[] {
  const found: Segment[] = []
  for (const point of unsent) {
    // a point is also sent for a track that stays; and where it is part of a reject, other parts may have been sent
    let isSentAnyway = point.isStandIn
    let oldest: Segment | undefined
    for (const { segment, count } of sharesOf(point)) {
      const place = places.get(segment)
      if (!place) {
        isSentAnyway = true
        continue
      }
      oldest = segment
      place.unsent.push(point)
      place.unsentRecords += count
    }
    if (isSentAnyway && oldest) found.push(oldest)
  }
  for (const [segment, { unsentRecords }] of places) if (segment.received > unsentRecords) found.push(segment)
  return found
}
