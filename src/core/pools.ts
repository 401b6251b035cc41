// Pools of bodies (of requests) and points (row versions), which are used again and again, so that a record makes no garbage.

import { Body, NOTHING, Point } from './body.ts'
import type { Segment } from './segment.ts'
import type { RecordItem } from './types.ts'

/** Bodies kept at most: as many as can be under way and waiting at once. */
const SPARE_BODIES = 256
/** Bytes kept at most in the buffers of these. */
const SPARE_BYTES = 32 * 1024 * 1024
/** Buffers of so many bytes are not kept but freed at once, because until garbage is collected, the next body would take as much again. */
const LONG = 8 * 1024 * 1024

/** Gives the memory of a body's buffer back at once; every view of the buffer becomes empty. */
function freeBuffer(body: Body<unknown>): void {
  if (body.bytes.buffer instanceof ArrayBuffer) body.bytes.buffer.transfer(0)
  body.bytes = NOTHING
}

/** Reuses bodies with their buffers, which are then still in the processor's cache. As garbage, they would stay in memory for seconds,
 *  as they live long enough in flight to be moved to the old generation (rows small-long and rss-stalled of `npm run bench`). */
export class BodyPool<O> {
  readonly #spare: Body<O>[] = []
  #bytes = 0

  /** @returns an open body without points, with room for `capacity` bytes */
  take(capacity: number): Body<O> {
    const spare = this.#spare.pop()
    if (!spare) return new Body<O>(capacity)
    this.#bytes -= spare.bytes.length
    spare.renew(capacity)
    return spare
  }

  /** Takes a body back, which the caller must not use afterwards.
   *  @param isReusable whether nothing reads its buffer any more (`Transport.isQuiet`); if not, only the body is kept */
  give(body: Body<O>, isReusable: boolean): void {
    body.clear()
    if (isReusable && body.bytes.length >= LONG) freeBuffer(body)
    if (this.#spare.length >= SPARE_BODIES) return
    if (!isReusable || this.#bytes + body.bytes.length > SPARE_BYTES) body.bytes = NOTHING
    this.#bytes += body.bytes.length
    this.#spare.push(body)
  }
}

const MOST_SPARE_POINTS = 16_384

/** Reuses points, because they live as long as a request, which is too long to be cheap garbage. */
export class PointPool<O> {
  readonly #spare: Point<O>[] = []

  /** @param age when the item arrived, in milliseconds of the engine's clock; -Infinity when the point is due at once */
  take(item: RecordItem<O>, segment: Segment, age: number): Point<O> {
    const spare = this.#spare.pop()
    if (!spare) return new Point(item, segment, age)
    spare.renew(item, segment, age)
    return spare
  }

  /** Takes a point back, which the caller must not use afterwards. */
  give(point: Point<O>): void {
    if (this.#spare.length >= MOST_SPARE_POINTS) return
    point.clear()
    this.#spare.push(point)
  }
}
