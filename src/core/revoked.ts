// Tracks that this process no longer owns: lost at once, or revoked in good order. The segments of a revoked track of which something was
// sent are still delivered and committed, and so are those before them and those that share points with them. What lies behind is
// dropped, because nothing of it was acknowledged.

import type { Ledger, Segment, TrackState } from './ledger.ts'
import type { Point, Share } from './body.ts'
import { isLost } from './shares.ts'
import type { ShareTest } from './shares.ts'
import type { SendQueue } from './send-queue.ts'
import type { Tables } from './tables.ts'
import type { UnassignedTrack, Track } from './types.ts'

/** The revoked tracks that are not settled yet; also drops lost ones. Never throws, never waits. */
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
    for (const share of this.#tables.forget(matches)) this.#ledger.drop(share.segment, share.count)
    this.#queue.forget(now)
    for (const state of states) this.#ledger.closeIfDone(state)
  }
}

interface SegmentPlace {
  readonly line: number
  readonly at: number
}

/** Finds the segments of revoked tracks that are still delivered, in linear time.
 *  @param lines the segments of each track, oldest first
 *  @param unsent every point that is not in flight; all other records of the segments were sent
 *  @returns the beginning of each line: if a row of a segment is acknowledged, all rows before it must be, too */
export function keptSegments(
  lines: readonly (readonly Segment[])[],
  unsent: Iterable<Point<unknown>>,
): ReadonlySet<Segment> {
  return new KeptSegments(lines, unsent).find()
}

class KeptSegments {
  readonly #lines: readonly (readonly Segment[])[]
  readonly #places = new Map<Segment, SegmentPlace>()
  /** The points that wait, by segment, and how many of its records they stand for. */
  readonly #waiting = new Map<Segment, Point<unknown>[]>()
  readonly #records = new Map<Segment, number>()
  /** How many segments of each line are kept. */
  readonly #counts: number[]
  readonly #kept = new Set<Segment>()
  readonly #sent: Segment[] = []

  constructor(lines: readonly (readonly Segment[])[], unsent: Iterable<Point<unknown>>) {
    this.#lines = lines
    this.#counts = lines.map(() => 0)
    for (const [line, segments] of lines.entries())
      for (const [at, segment] of segments.entries()) this.#places.set(segment, { line, at })
    for (const point of unsent) this.#wait(point)
    for (const segment of this.#places.keys()) {
      const received = segment.unsettled + segment.written + segment.rejected
      if (received > (this.#records.get(segment) ?? 0)) this.#sent.push(segment)
    }
  }

  find(): ReadonlySet<Segment> {
    for (let segment = this.#sent.pop(); segment; segment = this.#sent.pop()) this.#keep(segment)
    for (const [line, segments] of this.#lines.entries()) {
      // empty segments that follow are kept too, for their checkpoints
      let next = segments[this.#counts[line]!]
      for (; next && isEmpty(next); next = segments[++this.#counts[line]!]) this.#kept.add(next)
    }
    return this.#kept
  }

  #wait(point: Point<unknown>): void {
    let staysFor: Segment | undefined
    let isOthers = false
    for (const share of sharesOf(point)) {
      const { segment, count } = share
      if (!this.#places.has(segment)) {
        isOthers = true
        continue
      }
      staysFor = segment
      this.#records.set(segment, (this.#records.get(segment) ?? 0) + count)
      const points = this.#waiting.get(segment)
      if (points) points.push(point)
      else this.#waiting.set(segment, [point])
    }
    // it is sent in any case for a track that stays, or other parts of the reject may have been sent
    if ((isOthers || point.isStandIn) && staysFor) this.#sent.push(staysFor)
  }

  #keep(segment: Segment): void {
    const place = this.#places.get(segment)
    if (!place) return
    const { line, at } = place
    for (; this.#counts[line]! <= at; this.#counts[line]!++) {
      const one = this.#lines[line]![this.#counts[line]!]!
      this.#kept.add(one)
      // its points are acknowledged for other segments too
      for (const point of this.#waiting.get(one) ?? [])
        for (const share of sharesOf(point)) if (!this.#kept.has(share.segment)) this.#sent.push(share.segment)
    }
  }
}

function isEmpty({ unsettled, written, rejected }: Segment): boolean {
  return unsettled + written + rejected === 0
}

function* sharesOf(point: Point<unknown>): Generator<Share> {
  for (let share: Share | undefined = point; share; share = share.older) yield share
}
