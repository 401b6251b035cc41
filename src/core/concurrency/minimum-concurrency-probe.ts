// Whether a process that is busy all the time would be as busy with a handful of permits: then more of them only push what is
// in flight out of the processor's cache (bench: small-long). Found out by trying, for its own queue looks like a slow service.
// Knows no limit but the one it is given.

/** Nothing to anybody, and enough for a service that answers at once. */
const HANDFUL = 6
/** Busy for this part of a window a process holds the flow up itself: no more permits, and a try with the handful. */
export const FULLY_BUSY = 0.97
/** Still for this part of it, and the handful is enough. */
const STILL_BUSY = 0.85
/** Answers that take longer take so long elsewhere. */
const QUICK_MS = 50
/** Between two tries: each may cost a window's speed. */
const EVERY_MS = 10_000
/** Where few are enough. Busy for AMPLE of a window: fewer again; for ENOUGH: as many; for less than SLACK: few are not enough
 *  any more; between: one more. */
const AMPLE = 0.95
const ENOUGH = 0.9
const SLACK = 0.6
const FEWER = 0.85

export class MinimumConcurrencyProbe {
  /** What to go back to if the handful is not enough; 0: no try is on. */
  #before = 0
  #isEnough = false
  #nextAt = -Infinity

  /** After a clean window whose permits were all in use.
   *  @param busy the part of it that the process was busy
   *  @param meanMs what an answer took
   *  @returns the limit to go on with; undefined: whatever it would be without this */
  judge(limit: number, busy: number, meanMs: number, now: number): number | undefined {
    if (this.#before > 0) return this.#end(limit, busy, now)
    if (this.#isEnough) return this.#keep(limit, busy, now)
    if (busy < FULLY_BUSY || meanMs > QUICK_MS || limit <= HANDFUL || now < this.#nextAt) return undefined
    this.#before = limit
    return HANDFUL
  }

  /** Something else has changed the limit. */
  restart(): void {
    this.#before = 0
    this.#isEnough = false
  }

  #end(limit: number, busy: number, now: number): number {
    const before = this.#before
    this.#before = 0
    this.#isEnough = busy >= STILL_BUSY
    this.#nextAt = now + EVERY_MS
    return this.#isEnough ? limit : before
  }

  #keep(limit: number, busy: number, now: number): number | undefined {
    if (busy < SLACK) {
      this.#isEnough = false
      this.#nextAt = now + EVERY_MS
      return undefined
    }
    if (busy >= AMPLE) return Math.max(Math.min(limit, HANDFUL), limit * FEWER)
    return busy >= ENOUGH ? limit : limit + 1
  }
}
