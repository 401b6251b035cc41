// How many distinct keys each of many tables has: exact while they are few in all, then of the largest tables an estimate. Keys are
// compared by 64 bits of a hash. Pure; memory stays below 64 MB, however many tables there are.

import type { KeyAtom } from '../../core/types.ts'

/** Keys of all tables together that are counted one by one. */
const MOST_EXACT = 2_000_000
/** Of all estimates together. The keys counted one by one take 50 MB at most, while a table grows. */
const SKETCH_BYTES = 12 * 1024 * 1024

interface Distinct {
  readonly count: number
  /** An estimate is off by less than this share: five deviations. 0: it is exact. */
  readonly off: number
}

export class DistinctKeys<T> {
  readonly #tables = new Map<T, KeySet | Sketch>()
  readonly #hash: KeyHash
  readonly #most: number
  /** Keys in sets. */
  #held = 0
  readonly #sketchBytes: number
  #sketches = 0
  /** The most registers that leave room for all estimates: 2 to the power of it. */
  #bits = BITS
  /** That of the last key: most come table by table. */
  #last: { readonly table: T; readonly keys: KeySet | Sketch } | undefined

  /** @param seed any number of 32 bits; if it differs between processes, nobody can choose keys that collide */
  constructor(seed: number, most = MOST_EXACT, sketchBytes = SKETCH_BYTES) {
    this.#hash = new KeyHash(seed)
    this.#most = most
    this.#sketchBytes = sketchBytes
  }

  add(table: T, key: KeyAtom): void {
    this.#hash.of(key)
    const { high, low } = this.#hash
    const keys = this.#last?.table === table ? this.#last.keys : this.#of(table)
    if (!keys.add(high, low) || keys instanceof Sketch) return
    if (++this.#held > this.#most) this.#estimateLargest()
  }

  of(table: T): Distinct {
    const keys = this.#tables.get(table)
    return { count: keys?.count ?? 0, off: keys instanceof Sketch ? keys.off : 0 }
  }

  #of(table: T): KeySet | Sketch {
    const keys = this.#tables.get(table) ?? new KeySet()
    this.#tables.set(table, keys)
    this.#last = { table, keys }
    return keys
  }

  #estimateLargest(): void {
    let largest: [T, KeySet] | undefined
    for (const [table, keys] of this.#tables)
      if (keys instanceof KeySet && keys.count > (largest?.[1].count ?? 0)) largest = [table, keys]
    const [table, keys] = largest!
    if (++this.#sketches * 2 ** this.#bits > this.#sketchBytes) this.#coarsen()
    const sketch = new Sketch(this.#bits)
    keys.each((high, low) => sketch.add(high, low))
    this.#tables.set(table, sketch)
    this.#held -= keys.count
    this.#last = undefined
  }

  /** Half the registers for each estimate. */
  #coarsen(): void {
    this.#bits--
    for (const [table, keys] of this.#tables) if (keys instanceof Sketch) this.#tables.set(table, keys.half())
    this.#last = undefined
  }
}

const FIRST_SLOTS = 16
const LOAD = 0.75

/** A flat table with open addressing: two halves of a hash a slot, both 0 if it is free. */
class KeySet {
  count = 0
  #slots = new Int32Array(2 * FIRST_SLOTS)

  /** @returns whether it is new */
  add(high: number, low: number): boolean {
    if (!put(this.#slots, high, low)) return false
    if (++this.count > (this.#slots.length / 2) * LOAD) this.#grow()
    return true
  }

  each(visit: (high: number, low: number) => void): void {
    const slots = this.#slots
    for (let at = 0; at < slots.length; at += 2)
      if ((slots[at]! | slots[at + 1]!) !== 0) visit(slots[at]!, slots[at + 1]!)
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.#slots.length)
    this.each((high, low) => put(larger, high, low))
    this.#slots = larger
  }
}

function put(slots: Int32Array, high: number, low: number): boolean {
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

const BITS = 16

/** HyperLogLog, with the estimator of O. Ertl (2017), which has no bias for any number of keys. With 2^16 registers its deviation is
 *  0.41 %; with half as many, it is 1.4 times that. */
class Sketch {
  readonly #bits: number
  readonly #registers: Uint8Array

  constructor(bits: number) {
    this.#bits = bits
    this.#registers = new Uint8Array(2 ** bits)
  }

  get off(): number {
    return 0.02 * 2 ** ((BITS - this.#bits) / 2)
  }

  add(high: number, low: number): boolean {
    const bits = this.#bits
    const rest = (high << bits) >>> bits
    const rank = rest === 0 ? Math.clz32(low) + 33 - bits : Math.clz32(rest) - bits + 1
    return this.#raise(high >>> (32 - bits), rank)
  }

  /** As if it had been made with half as many registers. */
  half(): Sketch {
    const half = new Sketch(this.#bits - 1)
    for (const [register, rank] of this.#registers.entries())
      // the bit that chose between the two is the first of the rest now
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
    const most = 64 - this.#bits
    const counts = new Float64Array(most + 2)
    for (const rank of this.#registers) counts[rank]!++
    let sum = all * tau(1 - counts[most + 1]! / all)
    for (let rank = most; rank >= 1; rank--) sum = (sum + counts[rank]!) / 2
    sum += all * sigma(counts[0]! / all)
    return Math.round(all ** 2 / (2 * Math.LN2 * sum))
  }
}

/** Of the share of registers that are empty: x + Σ x^(2^k) 2^(k-1). */
function sigma(share: number): number {
  if (share === 1) return Infinity
  let [sum, before] = [share, -1]
  for (let [power, factor] = [share, 1]; sum !== before; factor *= 2) {
    power **= 2
    before = sum
    sum += power * factor
  }
  return sum
}

/** Of the share of registers that are not full: (1 - x - Σ (1 - x^(2^-k))² 2^-k) / 3. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0
  let [sum, before] = [1 - share, -1]
  for (let [root, factor] = [share, 1]; sum !== before;) {
    root = Math.sqrt(root)
    before = sum
    factor /= 2
    sum -= (1 - root) ** 2 * factor
  }
  return sum / 3
}

/** Two lanes of 32 bits over a key's characters, each mixed to its end. Keeps the last hash, because an object a key would be garbage. */
class KeyHash {
  high = 0
  /** Never 0 together with `high`. */
  low = 0
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  of(key: KeyAtom): void {
    let [a, b] = [this.#seed | 0, ~this.#seed]
    if (typeof key === 'number') {
      // no text has a length of -1
      const upper = Math.floor(key / 2 ** 32)
      a = Math.imul(Math.imul(a ^ -1, A) ^ key, A) ^ Math.imul(upper, B)
      b = Math.imul(Math.imul(b ^ -1, B) ^ key, B) ^ Math.imul(upper, A)
    } else {
      a = Math.imul(a ^ key.length, A)
      b = Math.imul(b ^ key.length, B)
      for (let at = 0; at < key.length; at++) {
        const code = key.charCodeAt(at)
        a = Math.imul(((a << 13) | (a >>> 19)) ^ code, A)
        b = Math.imul(((b << 17) | (b >>> 15)) ^ code, B)
      }
    }
    this.high = mixed(a ^ Math.imul(b >>> 15, A))
    this.low = mixed(b ^ Math.imul(a >>> 13, B))
    if ((this.high | this.low) === 0) this.low = 1
  }
}

const A = 0x9e3779b1
const B = 0x85ebca77

/** The end of MurmurHash3: every bit depends on all. */
function mixed(lane: number): number {
  let hash = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
