// Counts how often the same record came before, in bounded memory. Records are given as 64-bit fingerprints with times, in any unit.

const FIRST_SLOTS = 1 << 12
/** 98,304 entries in 1.5 MiB, which fits into a processor's cache, so that lookups are fast. */
const MAX_SLOTS = 1 << 17
/** The most of the slots that are filled, as a share. */
const LOAD = 0.75
/** Numbers a slot has: the two halves of a fingerprint (`high`, `low`) and its count, which is 0 in a free slot. */
const STRIDE = 3
const COUNT = 2

/** Fingerprints with their counts, in a flat table with open addressing, so that a lookup reads one place in memory. */
class Generation {
  #table = new Int32Array(FIRST_SLOTS * STRIDE)
  #mask = FIRST_SLOTS - 1
  #used = 0
  /** The newest time among its entries. */
  newest = -Infinity

  /** @param slots as many as it may grow to */
  isFull(slots: number): boolean {
    return this.#used >= slots * LOAD
  }

  /** Counts one more of a fingerprint that is there. @returns how many were counted before; 0 if it is not there */
  countAgain(high: number, low: number): number {
    const countAt = this.#at(high, low) + COUNT
    return this.#table[countAt] === 0 ? 0 : this.#table[countAt]!++
  }

  add(high: number, low: number, time: number): void {
    if (this.#used >= (this.#mask + 1) * LOAD) this.#grow()
    this.#put(high, low, 1)
    if (time > this.newest) this.newest = time
  }

  /** Empties the table, and keeps its memory. */
  clear(): void {
    this.#table.fill(0)
    this.#used = 0
    this.newest = -Infinity
  }

  #put(high: number, low: number, count: number): void {
    const at = this.#at(high, low)
    this.#table[at] = high
    this.#table[at + 1] = low
    this.#table[at + COUNT] = count
    this.#used++
  }

  #at(high: number, low: number): number {
    const table = this.#table
    let slot = low & this.#mask
    let at = slot * STRIDE
    while (table[at + COUNT] !== 0 && (table[at] !== high || table[at + 1] !== low)) {
      slot = (slot + 1) & this.#mask
      at = slot * STRIDE
    }
    return at
  }

  #grow(): void {
    const table = this.#table
    this.#table = new Int32Array(table.length * 2)
    this.#mask = 2 * this.#mask + 1
    this.#used = 0
    for (let at = 0; at < table.length; at += STRIDE) {
      if (table[at + COUNT] !== 0) this.#put(table[at]!, table[at + 1]!, table[at + COUNT]!)
    }
  }
}

/** Counts equal records by fingerprint. Memory is bounded by two generations of entries. When one is full, the older one is dropped,
 *  and for records not newer than its newest entry it is no longer known how many came before. Times from a source rise, so in
 *  practice that concerns only times long past. See decisions.md#in-append-every-record-is-a-row. */
export class Occurrences {
  readonly #slots: number
  #current = new Generation()
  #previous: Generation | undefined
  /** The newest time of any entry that was dropped. */
  #forgottenUntil = -Infinity
  #newest = -Infinity

  /** @param slots of a generation at most, of which three quarters are filled */
  constructor(slots = MAX_SLOTS) {
    this.#slots = slots
  }

  /** Counts a record.
   *  @param time that of the record; equal records have equal times
   *  @returns how many equal ones came before; `undefined` when that is no longer known */
  before(high: number, low: number, time: number): number | undefined {
    // a record that is newer than all others had no equal before
    const before = time > this.#newest ? 0 : this.#countAgain(high, low, time)
    if (before > 0) return before
    if (time <= this.#forgottenUntil) return undefined
    if (time > this.#newest) this.#newest = time
    if (this.#current.isFull(this.#slots)) this.#rotate()
    this.#current.add(high, low, time)
    return 0
  }

  #countAgain(high: number, low: number, time: number): number {
    const before = this.#current.countAgain(high, low)
    if (before > 0 || !this.#previous || time > this.#previous.newest) return before
    return this.#previous.countAgain(high, low)
  }

  /** Starts a new generation, in the memory of the one that is dropped. */
  #rotate(): void {
    this.#forgottenUntil = Math.max(this.#forgottenUntil, this.#previous?.newest ?? -Infinity)
    const fresh = this.#previous ?? new Generation()
    this.#previous = this.#current
    this.#current = fresh
    fresh.clear()
  }
}
