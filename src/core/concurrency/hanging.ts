// Which attempts in flight hang.

import { SECOND_MS } from './tuning.ts'

/** Finds attempts that hang: one that began at least a second later has passed. Such an attempt holds no permit. */
export class Hanging {
  /** When the attempts in flight began, oldest first. */
  readonly #starts: number[] = []
  /** How many hang; they are the oldest. */
  count = 0

  begin(now: number): void {
    this.#starts.push(now)
  }

  /** Forgets an attempt that has ended.
   *  @param sent when it was sent: at its `begin` or somewhat later, for many are sent in one turn
   *  @returns the time of its `begin` */
  end(sent: number): number {
    // give or take what is lost in floating point
    const found = this.#starts.findLastIndex((start) => start < sent + 0.01)
    const index = Math.max(0, found)
    const [started = sent] = this.#starts.splice(index, 1)
    if (index < this.count) this.count--
    return started
  }

  /** Notes that an attempt has passed.
   *  @param started what its `end` returned
   *  @returns how many more attempts are known to hang by that */
  pass(started: number): number {
    const before = this.count
    while (this.#starts[this.count]! <= started - SECOND_MS) this.count++
    return this.count - before
  }
}
