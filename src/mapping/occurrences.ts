// How often the same record came before, in bounded memory. Knows 64-bit fingerprints and times, not records.

const FIRST_SLOTS = 1 << 12
const MAX_SLOTS = 1 << 19
const LOAD = 0.75

/** Open addressing over two Int32 halves of a fingerprint. */
class Generation {
  #halves = new Int32Array(2 * FIRST_SLOTS)
  #counts = new Uint32Array(FIRST_SLOTS)
  #mask = FIRST_SLOTS - 1
  #used = 0
  /** The newest time among its entries. */
  newest = -Infinity

  get isFull(): boolean {
    return this.#used >= MAX_SLOTS * LOAD
  }

  /** Counts one more of a known fingerprint.
   *  @returns how many there were before; 0 when it is unknown */
  again(high: number, low: number): number {
    const slot = this.#slot(high, low)
    return this.#counts[slot] === 0 ? 0 : this.#counts[slot]!++
  }

  add(high: number, low: number, count: number, time: number): void {
    if (this.#used >= this.#counts.length * LOAD) this.#resize(this.#counts.length * 2)
    this.#put(high, low, count)
    if (time > this.newest) this.newest = time
  }

  #put(high: number, low: number, count: number): void {
    const slot = this.#slot(high, low)
    this.#halves[2 * slot] = high
    this.#halves[2 * slot + 1] = low
    this.#counts[slot] = count
    this.#used++
  }

  #slot(high: number, low: number): number {
    let slot = low & this.#mask
    while (this.#counts[slot] !== 0 && (this.#halves[2 * slot] !== high || this.#halves[2 * slot + 1] !== low))
      slot = (slot + 1) & this.#mask
    return slot
  }

  #resize(slots: number): void {
    const [halves, counts] = [this.#halves, this.#counts]
    this.#halves = new Int32Array(2 * slots)
    this.#counts = new Uint32Array(slots)
    this.#mask = slots - 1
    this.#used = 0
    counts.forEach((count, slot) => {
      if (count > 0) this.#put(halves[2 * slot]!, halves[2 * slot + 1]!, count)
    })
  }
}

/** Counts equal records by fingerprint. Memory is bounded by two generations of entries: when one is full the older is
 *  dropped, and whatever is not newer than the newest dropped entry can no longer be told to be the first of its kind.
 *  A source stamps rising times, so in practice only times long past are. Assumptions 15. */
export class Occurrences {
  #current = new Generation()
  #previous: Generation | undefined
  #forgottenUntil = -Infinity

  /** @param time of the record; equal records have equal times
   *  @returns how many equal ones came before; undefined when that is no longer known */
  before(high: number, low: number, time: number): number | undefined {
    const known = this.#current.again(high, low) || this.#previous?.again(high, low)
    if (known) return known
    if (time <= this.#forgottenUntil) return undefined
    if (this.#current.isFull) this.#rotate()
    this.#current.add(high, low, 1, time)
    return 0
  }

  #rotate(): void {
    this.#forgottenUntil = Math.max(this.#forgottenUntil, this.#previous?.newest ?? -Infinity)
    this.#previous = this.#current
    this.#current = new Generation()
  }
}
