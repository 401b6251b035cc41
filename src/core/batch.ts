// A cut body on its way through its attempts. Knows what has happened to it, decides nothing.

import type { Body } from './body.ts'
import type { Request, Table, Track } from './types.ts'

export class Batch<O> {
  readonly body: Body<O>
  readonly table: Table
  /** Of its first point: for messages. */
  readonly track: Track
  readonly request: Request
  readonly firstAt: number
  attempts: number
  /** When the last attempt ended whose body may have arrived without an answer. */
  ambiguousAt: number | undefined
  /** Whether an attempt found its connection stale. */
  wasStale: boolean

  /** @param before the batch it was split off, whose attempts count on */
  constructor(body: Body<O>, bytes: Uint8Array, now: number, before?: Batch<O>) {
    const point = body.points[0]!
    this.body = body
    this.table = point.table
    this.track = point.segment.state.track
    this.request = { table: point.table.name, body: bytes, points: body.points.length }
    this.firstAt = before?.firstAt ?? now
    this.attempts = before?.attempts ?? 0
    this.ambiguousAt = before?.ambiguousAt
    this.wasStale = before?.wasStale ?? false
  }
}
