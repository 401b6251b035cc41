// How many attempts passed in the last second.

import { RATE, SECOND_MS } from './tuning.ts'

const SLOT_MS = SECOND_MS / RATE.slots

/** Counts events in the second that ends with the newest of them. It counts by slots, which takes constant memory, and no work while
 *  nothing happens. */
export class LastSecond {
  readonly #counts = new Uint32Array(RATE.slots)
  #slot = -Infinity
  #at = -Infinity
  #total = 0

  get total(): number {
    return this.#total
  }

  /** Does not fall while nothing happens, so that it is still known after an outage. Meaningful after a second. */
  get perSecond(): number {
    return (this.#total * 1000) / (this.#at - (this.#slot - RATE.slots + 1) * SLOT_MS)
  }

  add(now: number): void {
    const slot = Math.floor(now / SLOT_MS)
    if (slot > this.#slot) this.#advance(slot)
    this.#counts[this.#slot & (RATE.slots - 1)]!++
    this.#total++
    this.#at = now
  }

  #advance(slot: number): void {
    // removes what is older than a second, slot by slot
    for (let old = Math.max(this.#slot + 1, slot - RATE.slots + 1); old <= slot; old++) {
      const index = old & (RATE.slots - 1)
      this.#total -= this.#counts[index]!
      this.#counts[index] = 0
    }
    this.#slot = slot
  }
}
