// The body of one request, and what has happened to it in its attempts so far: deliver.ts counts them, retry.ts judges them. A body has
// at least one point.

import type { Body, Point } from './body.ts'
import type { Request, Table, Track } from './types.ts'

/** O: where its records were read (types.ts). */
export class Batch<O> {
  readonly body: Body<O>
  readonly table: Table
  /** The track of its first point, for messages. */
  readonly track: Track
  request: Request
  /** When its first attempt began; Infinity before that. */
  firstAt = Infinity
  /** Attempts that have begun. */
  attempts = 0
  /** When the last ambiguous attempt ended (`Outcome`, types.ts). `undefined` when none was. */
  ambiguousAt: number | undefined
  /** Whether an earlier attempt's connection was found stale (`Outcome`). */
  wasStale = false

  /** Finishes the body.
   *  @param ambiguousAt that of the batch it is a part of, which was refused or too large: its points may still arrive late */
  constructor(body: Body<O>, ambiguousAt?: number) {
    const point = body.points[0]!
    this.body = body
    this.table = point.table
    this.track = point.segment.state.track
    this.request = requestOf(body)
    this.ambiguousAt = ambiguousAt
  }

  /** Removes points that must not be sent again, but not all, and finishes the body anew, which may be repeated.
   *  @returns a body of the removed points, without bytes */
  leaveOut(gone: ReadonlySet<Point<O>>): Body<O> {
    const out = this.body.detach(gone)
    this.request = requestOf(this.body)
    return out
  }
}

function requestOf(body: Body<unknown>): Request {
  return { table: body.points[0]!.table.name, body: body.finish(), points: body.points.length }
}
