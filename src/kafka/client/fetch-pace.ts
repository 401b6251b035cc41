// How soon a broker is asked for records again that had none: one that is well waits before it says so, and one that does not
// (or a proxy before it) would be asked thousands of times a second.

import { fetchedLogs } from '../log/fetch-answer.ts'

/** From fetch to fetch. Less than a fetch asks to be kept waiting (maxWaitMs, group-member.ts): of a broker that does, nothing
 *  is held. */
const LEAST_MS = 50

/** One connection's. */
export class FetchPace {
  readonly #now: () => number
  #askedAt = -Infinity
  #hadNothing = false

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A fetch is about to go out. @returns milliseconds it has to wait for */
  asked(): number {
    const now = this.#now()
    const rest = this.#hadNothing ? Math.max(0, this.#askedAt + LEAST_MS - now) : 0
    this.#askedAt = now + rest
    this.#hadNothing = false
    return rest
  }

  /** @param frame a whole answer to a fetch, of FETCH_VERSION */
  answered(frame: Buffer): void {
    this.#hadNothing = holdsNothing(frame)
  }
}

function holdsNothing(frame: Buffer): boolean {
  try {
    for (const { from, to } of fetchedLogs(frame)) if (to > from) return false
    return true
  } catch (error) {
    // an answer that ends too early: the client says so
    if (error instanceof RangeError) return false
    throw error
  }
}
