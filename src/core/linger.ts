// How long a body waits for more points while permits are free. A topic of many tables would make many small requests: where they
// are many, bodies wait longer, at most as long as a record may (decisions.md#a-batch-is-cut-by-count-bytes-or-age).

import type { Clock, DeliveryWatch, Request } from '../core/types.ts'

export const LINGER_MS = 20
/** Requests that are less than half full, in a second: about as many as one table makes. */
const SMALL_PER_SECOND = 60
const WINDOW_MS = 250

interface AdjustedLimits {
  lingerMs: number
  readonly maxPoints: number
  readonly maxWaitMs: number
}

export class Linger implements DeliveryWatch<unknown> {
  readonly #limits: AdjustedLimits
  readonly #clock: Pick<Clock, 'now'>
  #small = 0
  #since: number

  /** @param limits of the engine: `lingerMs` is set here */
  constructor(limits: AdjustedLimits, clock: Pick<Clock, 'now'>) {
    this.#limits = limits
    this.#clock = clock
    this.#since = clock.now()
  }

  attemptEnded({ points }: Request): void {
    const { lingerMs, maxPoints, maxWaitMs } = this.#limits
    if (points * 2 < maxPoints) this.#small++
    const now = this.#clock.now()
    const past = now - this.#since
    // what was sent before it was changed says nothing
    if (past < Math.max(WINDOW_MS, 2 * lingerMs)) return
    // of so many tables, each sends one in that time
    const wanted = (lingerMs * this.#small * 1000) / past / SMALL_PER_SECOND
    this.#limits.lingerMs = Math.max(LINGER_MS, Math.min(wanted, maxWaitMs))
    this.#small = 0
    this.#since = now
  }

  attemptBegan(): void {}
  committed(): void {}
  readingEnded(): void {}
}
