// How many things happened in the second before the last of them. Knows no clock but the `now` it is given.

/** A power of two. */
const SLOTS = 16
const SLOT_MS = 1000 / SLOTS

/** Counts in slots of a sixteenth of a second: constant memory, and no work while nothing happens. */
export class LastSecond {
  readonly #counts = new Uint32Array(SLOTS)
  #slot = -Infinity
  #total = 0

  /** Does not fall while nothing happens: an outage says nothing about the rate before it. */
  get total(): number {
    return this.#total
  }

  add(now: number): void {
    const slot = Math.floor(now / SLOT_MS)
    if (slot > this.#slot) this.#advance(slot)
    this.#counts[this.#slot & (SLOTS - 1)]!++
    this.#total++
  }

  #advance(slot: number): void {
    // what is older than a second leaves, slot by slot
    for (let old = Math.max(this.#slot + 1, slot - SLOTS + 1); old <= slot; old++) {
      const index = old & (SLOTS - 1)
      this.#total -= this.#counts[index]!
      this.#counts[index] = 0
    }
    this.#slot = slot
  }
}
