// When the next attempt may start under a rate. Knows no clock but the `now` it is given, and not where the rate comes from.

/** What a late caller may make up for, in milliseconds: timers are a few milliseconds late and then several attempts
 *  are due; a process that slept for seconds is not owed a burst. */
const MAKE_UP_MS = 10

/** Spaces attempts evenly: a rate means the time between two, never a second's worth at once. */
export class RateLimiter {
  /** Milliseconds between attempts; 0: no cap. */
  #spacing = 0
  #at = -Infinity

  /** Attempts a second at most from now on; Infinity: no cap. */
  constructor(perSecond: number) {
    this.set(perSecond)
  }

  /** When the next attempt may start, in the caller's milliseconds. */
  get at(): number {
    return this.#at
  }

  set(perSecond: number): void {
    this.#spacing = perSecond === Infinity ? 0 : 1000 / perSecond
    if (this.#spacing === 0) this.#at = -Infinity
  }

  /** An attempt starts. At most one spacing, or `MAKE_UP_MS` of them, is made up for. */
  spend(now: number): void {
    if (this.#spacing === 0) return
    this.#at = Math.max(this.#at, now - Math.max(this.#spacing, MAKE_UP_MS)) + this.#spacing
  }
}
