// Counts the distinct keys of each of many tables: exactly while they are few in all, then by an estimate for the largest tables. Keys are
// equal if 64 bits of a hash are. Pure; memory stays below 64 MB, however many tables there are.

import { mixed } from '../../core/key.ts'
import type { KeyAtom } from '../../core/types.ts'

/** The most keys of all tables together that are counted exactly. */
const MOST_EXACT = 2_000_000
/** The most bytes of all estimates together. The keys counted exactly take 50 MB at most, while a set grows. */
const SKETCH_BYTES = 12 * 1024 * 1024
/** An estimate has 2 ** BITS registers, and half as many each time that all of them together would take more than SKETCH_BYTES. */
const BITS = 16
/** A set grows when it has more keys than this for each number of its array. A key takes two, so three quarters are filled then. */
const MOST_FILLED = 0.375

/** Odd numbers whose bits are well mixed. */
const MULTIPLIER_1 = 0x9e3779b1
const MULTIPLIER_2 = 0x85ebca77

/** The two halves of the last hash, which `hash` sets, never both 0. An object for each key would be garbage. */
let hashHigh = 0
let hashLow = 0

/** Hashes a text into `hashHigh` and `hashLow`, which are made side by side of all its characters. */
function hash(text: string, seed: number): void {
  let [a, b] = [seed ^ text.length, ~seed ^ text.length]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(((a << 13) | (a >>> 19)) ^ code, MULTIPLIER_1)
    b = Math.imul(((b << 17) | (b >>> 15)) ^ code, MULTIPLIER_2)
  }
  hashHigh = mixed(a ^ Math.imul(b >>> 15, MULTIPLIER_1))
  hashLow = mixed(b ^ Math.imul(a >>> 13, MULTIPLIER_2))
  if ((hashHigh | hashLow) === 0) hashLow = 1
}

interface Distinct {
  readonly count: number
  /** The share by which an estimate may be off, which is five standard deviations; 0 when the count is exact. */
  readonly off: number
}

export class DistinctKeys<T> {
  readonly #tables = new Map<T, KeySet | Sketch>()
  readonly #seed: number
  readonly #mostExact: number
  readonly #sketchBytes: number
  /** Keys in all sets together. */
  #exactKeys = 0
  #bits = BITS

  /** @param seed any number of 32 bits; if it differs between processes, colliding keys cannot be chosen */
  constructor(seed: number, mostExact = MOST_EXACT, sketchBytes = SKETCH_BYTES) {
    this.#seed = seed
    this.#mostExact = mostExact
    this.#sketchBytes = sketchBytes
  }

  add(table: T, key: KeyAtom): void {
    let keys = this.#tables.get(table)
    if (!keys) this.#tables.set(table, (keys = new KeySet()))
    // sets `hashHigh` and `hashLow`; a number is hashed as its digits, which no text key equals, as it has a mark in front
    hash(`${key}`, this.#seed)
    const isNew = keys.add(hashHigh, hashLow)
    if (isNew && keys instanceof KeySet && ++this.#exactKeys > this.#mostExact) this.#estimateLargest()
  }

  /** Counts the distinct keys of a table. */
  of(table: T): Distinct {
    const keys = this.#tables.get(table)
    return { count: keys?.count ?? 0, off: keys instanceof Sketch ? keys.off : 0 }
  }

  /** Replaces the set of the largest table that still has one by an estimate. */
  #estimateLargest(): void {
    let [largest, largestSet]: [T?, KeySet?] = []
    let sketchesWithNew = 1
    for (const [table, keys] of this.#tables)
      if (keys instanceof Sketch) sketchesWithNew++
      else if (keys.count > (largestSet?.count ?? 0)) [largest, largestSet] = [table, keys]
    if (sketchesWithNew * 2 ** this.#bits > this.#sketchBytes) {
      this.#bits--
      for (const [table, keys] of this.#tables) if (keys instanceof Sketch) this.#tables.set(table, keys.half())
    }
    const sketch = new Sketch(this.#bits)
    largestSet!.each((high, low) => sketch.add(high, low))
    this.#tables.set(largest!, sketch)
    this.#exactKeys -= largestSet!.count
  }
}

/** A set of hashes in an array with open addressing. A slot is two numbers, the halves of a hash; both are 0 if it is free. */
class KeySet {
  count = 0
  #slots = new Int32Array(32)

  /** Adds a hash. @returns whether it is new */
  add(high: number, low: number): boolean {
    if (!put(this.#slots, high, low)) return false
    if (++this.count > this.#slots.length * MOST_FILLED) {
      const larger = new Int32Array(2 * this.#slots.length)
      this.each((high, low) => put(larger, high, low))
      this.#slots = larger
    }
    return true
  }

  each(visit: (high: number, low: number) => void): void {
    const slots = this.#slots
    for (let at = 0; at < slots.length; at += 2)
      if ((slots[at]! | slots[at + 1]!) !== 0) visit(slots[at]!, slots[at + 1]!)
  }
}

/** Puts a hash into slots. @returns whether it is new */
function put(slots: Int32Array, high: number, low: number): boolean {
  // the length is a power of two, and a slot begins at an even place
  const mask = slots.length - 1
  for (let at = (low << 1) & mask; ; at = (at + 2) & mask) {
    if ((slots[at]! | slots[at + 1]!) === 0) {
      slots[at] = high
      slots[at + 1] = low
      return true
    }
    if (slots[at] === high && slots[at + 1] === low) return false
  }
}

/** HyperLogLog, with the estimator of O. Ertl (2017), which has no bias for any number of keys. The first bits of a hash choose a register
 *  (a byte), which keeps the highest rank: the place of the first 1 among the bits behind. With 2^16 registers the standard deviation is
 *  0.41 %; with half as many, it is 1.4 times that. */
class Sketch {
  readonly #bits: number
  readonly #registers: Uint8Array

  constructor(bits: number) {
    this.#bits = bits
    this.#registers = new Uint8Array(2 ** bits)
  }

  /** Five standard deviations, as a share of the count: about 2 % with 2 ** BITS registers. */
  get off(): number {
    return 0.02 * 2 ** ((BITS - this.#bits) / 2)
  }

  add(high: number, low: number): boolean {
    const bits = this.#bits
    const behind = (high << bits) >>> bits
    const rank = behind === 0 ? Math.clz32(low) + 33 - bits : Math.clz32(behind) - bits + 1
    return this.#raise(high >>> (32 - bits), rank)
  }

  /** Returns the sketch that half as many registers would have made. */
  half(): Sketch {
    const half = new Sketch(this.#bits - 1)
    for (const [register, rank] of this.#registers.entries())
      // two registers become one, and the bit that chose between them is now the first of those behind
      if (rank > 0) half.#raise(register >>> 1, register % 2 === 1 ? 1 : rank + 1)
    return half
  }

  #raise(register: number, rank: number): boolean {
    if (this.#registers[register]! >= rank) return false
    this.#registers[register] = rank
    return true
  }

  get count(): number {
    const all = this.#registers.length
    const counts = new Float64Array(65 - this.#bits)
    for (const rank of this.#registers) counts[rank]!++
    const sum = counts.subarray(1).reduceRight((sum, count) => (sum + count) / 2, 0)
    return Math.round(all / (2 * Math.LN2 * (sum / all + sigma(counts[0]! / all))))
  }
}

/** The estimator's sum for empty registers, of which x is the share: x + Σ x^(2^k) 2^(k-1), k from 1. */
function sigma(share: number): number {
  let sum = share
  for (let [power, factor] = [share ** 2, 1]; power * factor > 0; power **= 2, factor *= 2) sum += power * factor
  return sum
}
