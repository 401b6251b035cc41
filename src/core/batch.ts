// A cut body on its way through its attempts, and what has happened to it so far.

import type { Body } from './body.ts'
import type { Point } from './point.ts'
import type { Request, Table, Track } from './types.ts'

export class Batch<O> {
  readonly body: Body<O>
  readonly table: Table
  /** Of its first point: for messages. */
  readonly track: Track
  request: Request
  firstAt: number
  attempts: number
  /** When the last attempt ended whose body may have arrived without an answer. */
  ambiguousAt: number | undefined
  /** Whether an attempt found its connection stale. */
  wasStale: boolean

  /** Its first attempt is still to come; a part of one that was refused or too large begins anew, for that was an answer.
   *  @param ambiguousAt of the batch it is a part of */
  constructor(body: Body<O>, bytes: Uint8Array, now: number, ambiguousAt?: number) {
    const point = body.points[0]!
    this.body = body
    this.table = point.table
    this.track = point.segment.state.track
    this.request = requestOf(body, bytes)
    this.firstAt = now
    this.attempts = 0
    this.ambiguousAt = ambiguousAt
    this.wasStale = false
  }

  /** Some of its points are not to be sent again: the others go on as they were.
   *  @returns a body of those that are out of it, without bytes */
  leaveOut(gone: ReadonlySet<Point<O>>): Body<O> {
    const out = this.body.detach(gone)
    this.request = requestOf(this.body, this.body.finish())
    return out
  }
}

function requestOf(body: Body<unknown>, bytes: Uint8Array): Request {
  return { table: body.points[0]!.table.name, body: bytes, points: body.points.length }
}
