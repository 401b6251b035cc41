// Pools of bodies and points, which are used again and again: a record then makes no garbage.

import { Body, NOTHING, Point } from './body.ts'
import type { Segment } from './segment.ts'
import type { RecordItem } from './types.ts'

/** Bodies kept at most: as many as can be under way and waiting at once. */
const SPARE_BODIES = 256
/** Bytes of their buffers at most. */
const SPARE_BYTES = 32 * 1024 * 1024
/** A buffer of so many bytes is freed at once; otherwise it might stay in memory beside the next one until garbage is collected. */
const LONG = 8 * 1024 * 1024

/** Gives its buffer back at once; every view of it becomes empty. */
function free(body: Body<unknown>): void {
  if (body.bytes.buffer instanceof ArrayBuffer) body.bytes.buffer.transfer(0)
  body.bytes = NOTHING
}

/** Reuses bodies. Their buffers are then still in the processor's cache, and leave no garbage (bench: small-long). Buffers in flight
 *  live long enough to be moved to the old generation, where garbage stays for seconds (bench: rss-stalled). */
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

  /** The caller must not use the body afterwards.
   *  @param isReusable whether nothing reads its buffer any more (Transport.isQuiet) */
  give(body: Body<O>, isReusable: boolean): void {
    body.clear()
    if (isReusable && body.bytes.length >= LONG) free(body)
    if (this.#spare.length >= SPARE_BODIES) return
    if (!isReusable || this.#bytes + body.bytes.length > SPARE_BYTES) body.bytes = NOTHING
    this.#bytes += body.bytes.length
    this.#spare.push(body)
  }
}

/** Points kept at most. */
const SPARE_POINTS = 16_384

/** Reuses points, because they live as long as a request, which is too long to be cheap garbage. */
export class PointPool<O> {
  readonly #spare: Point<O>[] = []

  take(item: RecordItem<O>, segment: Segment, age: number): Point<O> {
    const spare = this.#spare.pop()
    if (!spare) return new Point(item, segment, age)
    spare.renew(item, segment, age)
    return spare
  }

  /** The caller must not use the point afterwards. */
  give(point: Point<O>): void {
    if (this.#spare.length >= SPARE_POINTS) return
    point.clear()
    this.#spare.push(point)
  }
}
