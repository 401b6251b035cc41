// Tracks that this process no longer owns: lost at once, or revoked in good order. Of a revoked track, what was sent, what lies before
// that, and what goes out with it (`keptSegments`) is still delivered and committed. What lies behind is dropped, because nothing of
// it was acknowledged. Either way the track's `settled` is called once, by the ledger.

import type { Point } from './body.ts'
import type { Ledger } from './ledger.ts'
import type { Segment, TrackState } from './segment.ts'
import type { SendQueue } from './send-queue.ts'
import { isLost, sharesOf, type ShareTest } from './shares.ts'
import type { Tables } from './tables.ts'
import type { UnassignedTrack, Track } from './types.ts'

/** Lets tracks go, and has those that were revoked and are not settled yet. Never throws, never waits. */
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

  /** Whether a revoked track has something to be delivered or committed. */
  get isAny(): boolean {
    return this.#revoked.size > 0
  }

  get all(): readonly UnassignedTrack[] {
    return [...this.#revoked.values()]
  }

  /** Drops everything of the tracks at once, except what is in flight. */
  lose(tracks: readonly UnassignedTrack[], now: number): void {
    const states = tracks.map((one) => this.#ledger.close(one.track, 'lost', () => one.settled()))
    for (const { track } of tracks) this.#revoked.delete(track)
    // a point may stand for records of several tracks, and is kept until all of them are lost
    this.#letGo(states, isLost, now)
  }

  /** Drops what need not be delivered, and makes the rest due at once. */
  revoke(tracks: readonly UnassignedTrack[], now: number): void {
    const states = tracks.map((one) => this.#ledger.close(one.track, 'revoked', () => this.#done(one)))
    const lines = states.map(({ track }) => this.#ledger.segments(track))
    const kept = keptSegments(lines, this.#tables.unsent())
    const behind = new Set<Segment>(lines.flat().filter((segment) => !kept.has(segment)))
    this.#ledger.forget([...behind])
    for (const one of tracks) this.#revoked.set(one.track, one)
    this.#tables.expire(({ segment }) => segment.state.phase === 'revoked')
    this.#letGo(states, ({ segment }) => behind.has(segment), now)
  }

  #done(one: UnassignedTrack): void {
    this.#revoked.delete(one.track)
    one.settled()
  }

  #letGo(states: readonly TrackState[], matches: ShareTest, now: number): void {
    for (const share of this.#tables.forget(matches)) this.#ledger.drop(share)
    this.#queue.forget(now)
    for (const state of states) this.#ledger.closeIfDone(state)
  }
}

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
