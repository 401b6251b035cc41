// Points that were let go, to be used again: a point lives as long as its request, too long to be cheap garbage.

import { Point } from './point.ts'
import type { Segment } from './ledger.ts'
import type { RecordItem } from './types.ts'

/** Kept at most. */
const SPARE = 16_384

/** Makes points, of those given back while there are any. */
export class PointPool<O> {
  readonly #spare: Point<O>[] = []

  take(item: RecordItem<O>, segment: Segment, age: number): Point<O> {
    const spare = this.#spare.pop()
    if (!spare) return new Point(item, segment, age)
    spare.renew(item, segment, age)
    return spare
  }

  /** Nobody may hold on to the point afterwards. */
  give(point: Point<O>): void {
    if (this.#spare.length >= SPARE) return
    point.clear()
    this.#spare.push(point)
  }
}
