// How soon to fetch again after an empty answer. A healthy broker waits before it sends one. One that does not, or a proxy in front of
// it, would be asked thousands of times a second.

/** Least time from fetch to fetch. Less than brokers are asked to wait (maxWaitMs, group-member.ts), so it delays no fetch if they do. */
const LEAST_MS = 50

/** The pace of one connection. */
export class FetchPace {
  readonly #now: () => number
  #askedAt = -Infinity
  #hadNothing = false

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A fetch is about to be sent. @returns milliseconds that it has to wait */
  asked(): number {
    const now = this.#now()
    const rest = this.#hadNothing ? Math.max(0, this.#askedAt + LEAST_MS - now) : 0
    this.#askedAt = now + rest
    this.#hadNothing = false
    return rest
  }

  /** A fetch was answered. @param withNothing without a batch */
  answered(withNothing: boolean): void {
    this.#hadNothing = withNothing
  }
}
