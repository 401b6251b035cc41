// One request's body on its way through its attempts: what is sent, and what has happened so far, by which retry.ts decides when it is sent
// again. A body has at least one point (row version), and all are of one table. Times are milliseconds of the engine's clock.

import type { Body, Point } from './body.ts'
import type { Request, Table, Track } from './types.ts'

/** O: where a record was read, as the source notes it (types.ts). */
export class Batch<O> {
  readonly body: Body<O>
  readonly table: Table
  /** The track of its first point, for messages. */
  readonly track: Track
  /** The bytes to send. The same object at each attempt, unless `leaveOut` was called in between. */
  request: Request
  /** When its first attempt began; Infinity before that. */
  firstAt = Infinity
  /** Attempts that have begun. */
  attempts = 0
  /** When the last ambiguous attempt ended: one without an answer, whose request may have arrived. `undefined` when none was. */
  ambiguousAt: number | undefined
  /** Whether an attempt found its connection stale: closed while it was idle. */
  wasStale = false

  /** Ends the body's JSON array, so that nothing can be added any more.
   *  @param ambiguousAt that of the larger batch, if this is a part of one: points of the larger one may still arrive late */
  constructor(body: Body<O>, ambiguousAt?: number) {
    const point = body.points[0]!
    this.body = body
    this.table = point.table
    this.track = point.segment.state.track
    this.request = requestOf(body)
    this.ambiguousAt = ambiguousAt
  }

  /** Takes points that must not be sent again out of the body and the request. At least one must be left. May be called more than once.
   *  @returns a body of the points taken out, without bytes */
  leaveOut(gone: ReadonlySet<Point<O>>): Body<O> {
    const out = this.body.detach(gone)
    this.request = requestOf(this.body)
    return out
  }
}

function requestOf(body: Body<unknown>): Request {
  return { table: body.points[0]!.table.name, body: body.finish(), points: body.points.length }
}
