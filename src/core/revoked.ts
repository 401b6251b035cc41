// Tracks (streams or partitions) that this process no longer owns: lost at once, or revoked, with time to end in good order. Of a revoked
// track, the beginning is still delivered and committed, up to the last record that was sent or must be sent anyway (`keptSegments`).
// What lies behind is dropped, because nothing of it was sent. Either way the track's `settled` tells its source, once, that all is over.

import type { Point } from './body.ts'
import type { Ledger } from './ledger.ts'
import type { Segment, TrackState } from './segment.ts'
import type { SendQueue } from './send-queue.ts'
import { isLost, sharesOf, type ShareTest } from './shares.ts'
import type { Tables } from './tables.ts'
import type { UnassignedTrack, Track } from './types.ts'

/** Lets tracks go, and keeps those that are revoked until they are settled. Never throws, never waits. */
export class RevokedTracks<O> {
  readonly #ledger: Ledger<unknown>
  readonly #tables: Tables<O>
  readonly #queue: SendQueue<O>
  readonly #revoked = new Map<Track, UnassignedTrack>()

  constructor(ledger: Ledger<unknown>, tables: Tables<O>, queue: SendQueue<O>) {
    this.#ledger = ledger
    this.#tables = tables
    this.#queue = queue
  }

  /** Whether any revoked track still has something to be delivered or committed. */
  get isAny(): boolean {
    return this.#revoked.size > 0
  }

  get all(): readonly UnassignedTrack[] {
    return [...this.#revoked.values()]
  }

  /** Drops everything of the tracks at once, except what is in flight. */
  lose(tracks: readonly UnassignedTrack[], now: number): void {
    const states = tracks.map((lost) => this.#ledger.close(lost.track, 'lost', () => lost.settled()))
    for (const { track } of tracks) this.#revoked.delete(track)
    // a point may stand for records of several tracks, and is kept until all of them are lost
    this.#letGo(states, isLost, now)
  }

  /** Drops what need not be delivered, and makes what is kept due at once. */
  revoke(tracks: readonly UnassignedTrack[], now: number): void {
    const states = tracks.map((revoked) => this.#ledger.close(revoked.track, 'revoked', () => this.#done(revoked)))
    const lines = states.map(({ track }) => this.#ledger.segments(track))
    const kept = keptSegments(lines, this.#tables.unsent())
    const behind = new Set<Segment>(lines.flat().filter((segment) => !kept.has(segment)))
    this.#ledger.forget([...behind])
    for (const revoked of tracks) this.#revoked.set(revoked.track, revoked)
    this.#tables.expire(({ segment }) => segment.state.phase === 'revoked')
    this.#letGo(states, ({ segment }) => behind.has(segment), now)
  }

  #done(revoked: UnassignedTrack): void {
    this.#revoked.delete(revoked.track)
    revoked.settled()
  }

  #letGo(states: readonly TrackState[], matches: ShareTest, now: number): void {
    for (const share of this.#tables.forget(matches)) this.#ledger.drop(share)
    this.#queue.forget(now)
    for (const state of states) this.#ledger.closeIfDone(state)
  }
}

/** The segments of a revoked track (its records between two checkpoints), oldest first, and how many from the front are kept so far. */
interface Line {
  readonly segments: readonly Segment[]
  keptCount: number
}

/** A segment's line, and its index there. */
interface SegmentPlace {
  readonly line: Line
  readonly at: number
  /** The points that are not in flight, and how many records of the segment they stand for. */
  readonly unsent: Point<unknown>[]
  unsentRecords: number
}

type PlacesBySegment = ReadonlyMap<Segment, SegmentPlace>

/** Finds the segments of revoked tracks that are still delivered, in linear time. If a record is stored, all records before it in its
 *  track must be. And a point that is sent stores all records that it stands for, which may be of several segments, even of several tracks.
 *  @param tracks the segments of each track, oldest first
 *  @param unsent every point that is not in flight; all other records of the segments were sent
 *  @returns the segments at the beginning of each track */
export function keptSegments(
  tracks: readonly (readonly Segment[])[],
  unsent: Iterable<Point<unknown>>,
): ReadonlySet<Segment> {
  const lines = tracks.map((segments): Line => ({ segments, keptCount: 0 }))
  const places: PlacesBySegment = new Map(
    lines.flatMap((line) => line.segments.map((segment, at) => [segment, { line, at, unsent: [], unsentRecords: 0 }])),
  )
  const kept = new Set<Segment>()
  const toKeep = sentAnyway(places, unsent)
  for (let segment = toKeep.pop(); segment; segment = toKeep.pop()) {
    const { line, at } = places.get(segment)!
    while (line.keptCount <= at) {
      const newlyKept = line.segments[line.keptCount++]!
      kept.add(newlyKept)
      // the other segments that its points stand for must be kept too; those of a track that stays are not in `places`
      for (const point of places.get(newlyKept)!.unsent)
        for (const { segment: other } of sharesOf(point)) if (places.has(other) && !kept.has(other)) toKeep.push(other)
    }
  }
  for (const { segments, keptCount } of lines) {
    // empty segments that follow are kept too, for their checkpoints
    for (let at = keptCount; segments[at]?.received === 0; at++) kept.add(segments[at]!)
  }
  return kept
}

/** Lists segments of which something was sent, or will be in any case, and notes in `places` what is unsent of each. */
function sentAnyway(places: PlacesBySegment, unsent: Iterable<Point<unknown>>): Segment[] {
  const found: Segment[] = []
  for (const point of unsent) {
    // a point is sent anyway if it also stands for a track that stays, or if it is part of a reject, as other parts may have been sent
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
    // one of its segments is enough, because `keptSegments` finds the others from it
    if (isSentAnyway && oldest) found.push(oldest)
  }
  // the other records of a segment were sent already
  for (const [segment, { unsentRecords }] of places) if (segment.received > unsentRecords) found.push(segment)
  return found
}
