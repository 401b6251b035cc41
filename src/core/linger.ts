// How long an open body (a request's body that still takes points) waits for more of them while permits are free. Many tables with few
// records each would make a request of nearly every record, so bodies wait longer where more than 60 bodies a second are sent less
// than half full (decisions.md#a-batch-is-cut-by-count-bytes-or-age). Time is the `now` that callers pass, in milliseconds.

/** Bodies less than half full, in a second, that are no reason to wait longer: about as many as one table makes. */
const SMALL_PER_SECOND = 60
/** Least time over which they are counted. */
const WINDOW_MS = 250

/** Points of a full body, and the longest and the shortest wait. */
interface LingerLimits {
  readonly maxPoints: number
  readonly maxWaitMs: number
  readonly lingerMs: number
}

export class Linger {
  /** Milliseconds that an open body waits now: at least `lingerMs`, at most `maxWaitMs` if that is more. */
  ms: number
  readonly #limits: LingerLimits
  /** Bodies less than half full since `#since`. */
  #small = 0
  /** When the present window began. `undefined` before the first body. */
  #since: number | undefined

  constructor(limits: LingerLimits) {
    this.#limits = limits
    this.ms = limits.lingerMs
  }

  /** Counts a body of so many points as it is sent for the first time. Retries, and parts of refused requests, are not counted, because how
   *  many there are does not depend on how long a body waited. */
  cut(points: number, now: number): void {
    const { lingerMs, maxPoints, maxWaitMs } = this.#limits
    if (points * 2 < maxPoints) this.#small++
    const windowMs = now - (this.#since ??= now)
    // bodies that began to wait before `ms` changed say nothing about the new one
    if (windowMs < Math.max(WINDOW_MS, 2 * this.ms)) return
    // many such tables send one small body each in every `ms`, so twice the wait halves their number
    const wanted = (this.ms * this.#small * 1000) / windowMs / SMALL_PER_SECOND
    this.ms = Math.max(lingerMs, Math.min(wanted, maxWaitMs))
    this.#small = 0
    this.#since = now
  }
}
