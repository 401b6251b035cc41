// A point while the engine holds it, and which records it stands for. Knows nothing of bytes on their way out.

import type { Body } from './body.ts'
import type { Segment } from './segment.ts'
import type { KeyAtom, Table } from './types.ts'

/** Records of one segment that a point stands for. */
export interface Share {
  segment: Segment
  count: number
  next: Share | undefined
}

/** One row version on its way: in a body (pending or in flight) or waiting aside behind its fence.
 *  Points of one fence form a chain in arrival order; only the first may be in a body. */
export class Point<O> {
  readonly table: Table
  readonly exact: KeyAtom | undefined
  readonly fence: KeyAtom | undefined
  /** When the oldest version it stands for arrived; superseding keeps it. */
  age: number
  origin: O
  held: number
  /** The records it stands for, newest segment first: its own and every one it superseded. */
  share: Share
  body: Body<O> | undefined = undefined
  /** Its range in `body.bytes`, without the comma behind it. */
  from = 0
  to = 0
  /** Its bytes while it waits aside. */
  aside: Uint8Array | undefined = undefined
  /** The next of the same fence, in arrival order. */
  next: Point<O> | undefined = undefined
  /** Kept on the first of a chain of two or more: the newest. */
  last: Point<O> | undefined = undefined

  constructor(
    table: Table,
    exact: KeyAtom | undefined,
    fence: KeyAtom | undefined,
    share: Share,
    age: number,
    origin: O,
    held: number,
  ) {
    this.table = table
    this.exact = exact
    this.fence = fence
    this.share = share
    this.age = age
    this.origin = origin
    this.held = held
  }

  /** Takes the place of the version it was: a newer record of `segment` with its origin; place and age stay. */
  supersede(segment: Segment, origin: O, held: number): void {
    if (this.share.segment === segment) this.share.count++
    else this.share = { segment, count: 1, next: this.share }
    this.origin = origin
    this.held = held
  }

  /** How many older versions it stands for (assumptions 31). */
  superseded(): number {
    let records = -1
    for (let share: Share | undefined = this.share; share; share = share.next) records += share.count
    return records
  }
}

export type ShareTest = (share: Share) => boolean

/** Whether the point stands for a record of a matching share. */
export function holds(point: Point<unknown>, matches: ShareTest): boolean {
  for (let share: Share | undefined = point.share; share; share = share.next) if (matches(share)) return true
  return false
}

/** Takes the matching shares off a point, into `dropped`; none when the point's bytes are a matching record's and go out
 *  for others all the same.
 *  @returns whether nothing is left of it */
export function dropShares(point: Point<unknown>, matches: ShareTest, dropped: Share[]): boolean {
  const shares: Share[] = []
  for (let share: Share | undefined = point.share; share; share = share.next) shares.push(share)
  const kept = shares.filter((share) => !matches(share))
  if (kept.length > 0 && kept[0] !== point.share) return false
  dropped.push(...shares.filter(matches))
  if (kept.length === 0) return true
  kept.forEach((share, index) => (share.next = kept[index + 1]))
  return false
}
