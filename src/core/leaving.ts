// Tracks that are taken away: at once (abandoned), or in good order (given away). Of a track that is given away, what was sent
// is still delivered and committed: the segments of which something was sent, those before them, and what goes out together
// with them. Nothing of what lies behind was acknowledged, so it is dropped.

import type { Ledger, Segment, TrackState } from './ledger.ts'
import { isAbandoned } from './point.ts'
import type { Point, Share, ShareTest } from './point.ts'
import type { SendQueue } from './send-queue.ts'
import type { Tables } from './tables.ts'
import type { TakenTrack, Track } from './types.ts'

/** Tracks that leave, and how tracks are dropped. Never throws, never waits. */
export class LeavingTracks<O> {
  readonly #ledger: Ledger<unknown>
  readonly #tables: Tables<O>
  readonly #queue: SendQueue<O>
  readonly #leaving = new Map<Track, TakenTrack>()

  constructor(ledger: Ledger<unknown>, tables: Tables<O>, queue: SendQueue<O>) {
    this.#ledger = ledger
    this.#tables = tables
    this.#queue = queue
  }

  /** Whether there are tracks that leave of which something is still to be delivered. */
  get isAny(): boolean {
    return this.#leaving.size > 0
  }

  /** The tracks that leave. */
  get taken(): readonly TakenTrack[] {
    return [...this.#leaving.values()]
  }

  /** Everything of them is dropped at once, but for what is in flight. */
  abandon(taken: readonly TakenTrack[], now: number): void {
    const states = taken.map((one) => this.#ledger.close(one.track, 'abandoned', () => one.settled()))
    for (const { track } of taken) this.#leaving.delete(track)
    // a point may stand for records of several tracks: what was kept for one of them goes with the last
    this.#letGo(states, isAbandoned, now)
  }

  giveAway(taken: readonly TakenTrack[], now: number): void {
    const states = taken.map((one) => this.#ledger.close(one.track, 'leaving', () => this.#left(one)))
    const lines = states.map(({ track }) => this.#ledger.segments(track))
    const kept = keptSegments(lines, this.#tables.unsent())
    const behind = new Set<Segment>(lines.flat().filter((segment) => !kept.has(segment)))
    this.#ledger.forget([...behind])
    for (const one of taken) this.#leaving.set(one.track, one)
    this.#tables.expire(({ segment }) => segment.state.phase === 'leaving')
    this.#letGo(states, ({ segment }) => behind.has(segment), now)
  }

  #left(one: TakenTrack): void {
    this.#leaving.delete(one.track)
    one.settled()
  }

  #letGo(states: readonly TrackState[], matches: ShareTest, now: number): void {
    for (const share of this.#tables.forget(matches)) this.#ledger.drop(share.segment, share.count)
    this.#queue.forget(now)
    for (const state of states) this.#ledger.closeIfDone(state)
  }
}

interface Place {
  readonly line: number
  readonly at: number
}

/** Which segments of leaving tracks are still delivered.
 *  @param lines segments of each track, oldest first
 *  @param unsent every point that is not in flight: what a segment has beside them was sent
 *  @returns of each line those up to the last that is kept: when a row of it is acknowledged, all rows
 *  before it are too. Linear in the input. */
export function keptSegments(
  lines: readonly (readonly Segment[])[],
  unsent: Iterable<Point<unknown>>,
): ReadonlySet<Segment> {
  return new Kept(lines, unsent).find()
}

class Kept {
  readonly #lines: readonly (readonly Segment[])[]
  readonly #places = new Map<Segment, Place>()
  /** Of each segment the points that wait, and of how many of its records. */
  readonly #waiting = new Map<Segment, Point<unknown>[]>()
  readonly #records = new Map<Segment, number>()
  /** How many of each line are kept. */
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
      // then come empty segments: only checkpoints
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
    // it is sent for a track that stays, or other parts of the reject may have been sent
    if ((isOthers || point.isStandIn) && staysFor) this.#sent.push(staysFor)
  }

  #keep(segment: Segment): void {
    const place = this.#places.get(segment)
    if (!place) return
    const { line, at } = place
    for (; this.#counts[line]! <= at; this.#counts[line]!++) {
      const one = this.#lines[line]![this.#counts[line]!]!
      this.#kept.add(one)
      // a point that is sent for it is then acknowledged for other segments too
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
