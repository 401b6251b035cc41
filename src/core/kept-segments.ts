// What is still delivered of tracks that leave: the segments of which something was sent, those before them, and what goes
// out together with them. Knows no requests and no time.

import type { Point, Share } from './point.ts'
import type { Segment } from './ledger.ts'

interface Place {
  readonly line: number
  readonly at: number
}

/** @param lines segments of each track, oldest first
 *  @param unsent every point that is not in flight: what a segment has beside them was sent
 *  @returns of each line those up to the last that is kept: a row of it that is acknowledged has all rows before it
 *  acknowledged too. Linear in what is given. */
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
  /** So many of each line are kept. */
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
      // behind them nothing but places to go on
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
    // it goes out for a track that stays, or other parts of the reject may have gone
    if ((isOthers || point.isStandIn) && staysFor) this.#sent.push(staysFor)
  }

  #keep(segment: Segment): void {
    const place = this.#places.get(segment)
    if (!place) return
    const { line, at } = place
    for (; this.#counts[line]! <= at; this.#counts[line]!++) {
      const one = this.#lines[line]![this.#counts[line]!]!
      this.#kept.add(one)
      // what goes out for it was acknowledged, then, of others too
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
