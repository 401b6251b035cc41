// Detects a kafkajs client that fell silent: it may stop without an error, after a half-open connection or a rejoin that never comes. Its
// session tells the watchdog what it hears, and asks for a `problem` about once a second. Times are milliseconds of one monotonic clock.

export class ClientWatchdog {
  readonly #limitMs: number
  readonly #joinLimitMs: number
  #heardAt: number
  /** When `problem` was called last. */
  #askedAt: number
  /** Since when this process has not been suspended: silence before that does not count. */
  #awakeSince: number
  /** When the join under way began. `undefined` when there is none. */
  #joinAt: number | undefined
  /** When the latest join was broken off. `undefined` when it was not. */
  #brokenAt: number | undefined

  /** @param limitMs how long the client may be silent
   *  @param joinLimitMs how long a join may take: the group waits for all its members, and assigns them partitions */
  constructor(limitMs: number, joinLimitMs: number, now: number) {
    this.#limitMs = limitMs
    this.#joinLimitMs = joinLimitMs
    this.#heardAt = now
    this.#askedAt = now
    this.#awakeSince = now
  }

  /** A broker answered something, or the client began something new. */
  heard(now: number): void {
    this.#heardAt = now
  }

  /** A join began: until `joinEnded` or `joinBroken`, only the limit of joins applies. */
  joinBegan(now: number): void {
    this.#joinAt = now
    this.#brokenAt = undefined
  }

  /** The connection of the join closed. kafkajs may then go on as if nothing had happened. */
  joinBroken(now: number): void {
    if (this.#joinAt === undefined) return
    this.#joinAt = undefined
    this.#brokenAt = now
  }

  joinEnded(now: number): void {
    this.#joinAt = undefined
    this.#brokenAt = undefined
    this.#heardAt = now
  }

  /** Says what is wrong. Call it at least every quarter of the limit: twice as long a pause is taken for a suspended process.
   *  @param unansweredSince when the oldest fetch without an answer was sent; `undefined` when there is none
   *  @returns why the client must be replaced; `undefined` when it is alive */
  problem(now: number, unansweredSince: number | undefined): string | undefined {
    const wasSuspended = now - this.#askedAt > this.#limitMs / 2
    // the limits begin anew, because answers that arrived meanwhile are only read now
    if (wasSuspended) this.#awakeSince = now
    this.#askedAt = now
    if (this.#joinAt !== undefined)
      return this.#isOver(this.#joinAt, now, this.#joinLimitMs) ? 'the group formed no generation' : undefined
    if (this.#isOver(this.#brokenAt, now)) return 'a rejoin was broken off'
    if (this.#isOver(this.#heardAt, now)) return 'the Kafka client fell silent'
    // answers of other brokers must not hide one that hangs
    return this.#isOver(unansweredSince, now) ? 'a broker does not answer' : undefined
  }

  #isOver(since: number | undefined, now: number, limitMs = this.#limitMs): boolean {
    return since !== undefined && now - Math.max(since, this.#awakeSince) > limitMs
  }
}
