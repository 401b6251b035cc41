// The rate limit of the local service (`serve --rate-limit`, `/_local/settings`), and when a client may come again.

interface Bucket {
  tokens: number
  at: number
}

/** A token bucket for each client, holding at most one second's worth. */
export class RateLimit {
  readonly #perSecond: number
  readonly #buckets = new Map<number, Bucket>()

  /** Infinity: no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Counts a request, unless it has to wait.
   *  @param now milliseconds
   *  @returns whole seconds; 0 when it may pass */
  secondsToWait(clientId: number, now: number): number {
    if (this.#perSecond === Infinity) return 0
    const capacity = Math.max(1, this.#perSecond)
    const bucket = this.#buckets.get(clientId) ?? { tokens: capacity, at: now }
    this.#buckets.set(clientId, bucket)
    bucket.tokens = Math.min(capacity, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond))
    bucket.tokens -= 1
    return 0
  }
}
