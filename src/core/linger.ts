// How long an open body waits for more points while permits are free. Many tables with few records each would make a request of nearly
// every record, so bodies wait longer where more than 60 bodies a second are cut less than half full
// (decisions.md#a-batch-is-cut-by-count-bytes-or-age). Bodies are counted as they are cut: what is sent again, and the parts of a
// refused request, do not depend on how long a body waited. Time is the `now` that callers pass.

/** Bodies that are less than half full, in a second: about as many as one table makes. */
const SMALL_PER_SECOND = 60
/** Least time over which they are counted. */
const WINDOW_MS = 250

interface LingerLimits {
  readonly maxPoints: number
  readonly maxWaitMs: number
  readonly lingerMs: number
}

/** Never throws, never waits. */
export class Linger {
  /** Milliseconds to wait: at least `lingerMs`, at most `maxWaitMs` if that is more. */
  ms: number
  readonly #limits: LingerLimits
  /** Bodies less than half full since `#since`. `undefined` before the first body. */
  #small = 0
  #since: number | undefined

  constructor(limits: LingerLimits) {
    this.#limits = limits
    this.ms = limits.lingerMs
  }

  /** Counts a body that is cut from a table. */
  cut(points: number, now: number): void {
    const { lingerMs, maxPoints, maxWaitMs } = this.#limits
    if (points * 2 < maxPoints) this.#small++
    const past = now - (this.#since ??= now)
    // bodies cut before `ms` changed say nothing about it
    if (past < Math.max(WINDOW_MS, 2 * this.ms)) return
    // each of so many tables sends one in that time
    const wanted = (this.ms * this.#small * 1000) / past / SMALL_PER_SECOND
    this.ms = Math.max(lingerMs, Math.min(wanted, maxWaitMs))
    this.#small = 0
    this.#since = now
  }
}
