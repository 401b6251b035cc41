// Breaks off the attempts to one address whose deadline has passed, or whose signal aborts. There is one timer for all of them, and one
// listener for each signal: one of both per attempt would cost more than the attempt's own work (bench: small records).

import type { Attempt } from './attempt.ts'

/** A linked list of attempts (`before` and `behind` of Attempt), the earliest deadline first: an attempt that is added must not have an
 *  earlier deadline. A Set that is filled and emptied all the time would keep requests alive into the old generation (a third more CPU). */
export class InFlight {
  readonly #now: () => number
  readonly #watched = new WeakSet<AbortSignal>()
  #first: Attempt | undefined
  #last: Attempt | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param now milliseconds, monotonic */
  constructor(now: () => number) {
    this.#now = now
  }

  add(attempt: Attempt): void {
    attempt.before = this.#last
    if (this.#last) this.#last.behind = attempt
    else this.#first = attempt
    this.#last = attempt
    this.#watch(attempt.signal)
    if (!this.#timer) this.#setTimer(attempt.deadline)
  }

  /** Removes an attempt that has ended. */
  delete(attempt: Attempt): void {
    const { before, behind } = attempt
    if (before) before.behind = behind
    else this.#first = behind
    if (behind) behind.before = before
    else this.#last = before
    attempt.before = attempt.behind = undefined
  }

  /** Stops the timer: attempts go on, and deadlines no longer count. */
  stop(): void {
    clearTimeout(this.#timer)
  }

  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return
    this.#watched.add(signal)
    signal.addEventListener('abort', () => this.#abort(signal), { once: true })
  }

  #abort(signal: AbortSignal): void {
    for (let attempt = this.#first; attempt;) {
      const { behind } = attempt
      if (attempt.signal === signal) attempt.breakOff('aborted')
      attempt = behind
    }
  }

  #setTimer(until: number): void {
    this.#timer = setTimeout(() => this.#breakOffLate(), Math.max(1, Math.ceil(until - this.#now())))
    // the timer alone must not keep the process; an attempt in flight has its socket
    this.#timer.unref()
  }

  #breakOffLate(): void {
    this.#timer = undefined
    const now = this.#now()
    while (this.#first && this.#first.deadline <= now) this.#first.breakOff('timeout')
    if (this.#first) this.#setTimer(this.#first.deadline)
  }
}
