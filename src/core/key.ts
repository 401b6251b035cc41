// The two levels of a key (decisions.md#keys-are-equal-at-two-levels), and a map by keys.

import type { Key, KeyAtom } from './types.ts'

/** Points are merged only if this is equal. */
export function exactOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.exact : key
}

/** Points with the same fence are never in one batch or in flight together. */
export function fenceOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.fence : key
}

const FIRST_ENTRIES = 64
/** Stands for no entry. */
const NONE = -1

/** A map for keys that come and go: chains of reused entries in flat tables. A `Map` that is filled and emptied all the time rebuilds
 *  its table again and again, and the old tables keep their contents alive in the old generation (bench: CPU and peak RSS). */
export class KeyMap<V extends object> {
  /** The first entry of each bucket's chain. */
  #buckets = emptyBuckets(FIRST_ENTRIES)
  /** The entry after each entry in its chain; after a free entry, the next free one. */
  #nexts = new Int32Array(FIRST_ENTRIES)
  #hashes = new Int32Array(FIRST_ENTRIES)
  #keys: KeyAtom[] = filled<KeyAtom>(FIRST_ENTRIES, 0)
  /** Undefined for a free entry. */
  #values: (V | undefined)[] = filled(FIRST_ENTRIES, undefined)
  /** There are 2 to this power buckets, and as many entries. */
  #bits = Math.log2(FIRST_ENTRIES)
  #free = NONE
  /** Entries from here on were never used. */
  #fresh = 0
  /** Odd, and secret, so that nobody can choose keys that collide. */
  readonly #factor: number
  readonly #lapFactor: number

  /** @param seed any number of 32 bits; if it differs between processes, nobody can choose keys that collide */
  constructor(seed: number) {
    this.#factor = mixed(seed) | 1
    this.#lapFactor = mixed(seed + 1) | 1
  }

  get(key: KeyAtom): V | undefined {
    const entry = this.#find(key, hashOf(key, this.#factor))
    return entry === NONE ? undefined : this.#values[entry]
  }

  /** @param key must not be in the map
   *  @returns its entry, which finds it without a search until it is deleted */
  add(key: KeyAtom, value: V): number {
    const entry = this.#take()
    this.#keys[entry] = key
    this.#hashes[entry] = hashOf(key, this.#factor)
    this.#values[entry] = value
    this.#link(entry)
    return entry
  }

  replace(entry: number, value: V): void {
    this.#values[entry] = value
  }

  delete(entry: number): void {
    this.#unlink(entry, this.#bucket(this.#hashes[entry]!))
    this.#values[entry] = undefined
    this.#keys[entry] = 0
    this.#nexts[entry] = this.#free
    this.#free = entry
  }

  /** In no particular order. Nothing may be added or deleted during the iteration. */
  *values(): Generator<V> {
    for (const value of this.#values) if (value) yield value
  }

  #find(key: KeyAtom, hash: number): number {
    let entry = this.#buckets[this.#bucket(hash)]!
    while (entry !== NONE && (this.#hashes[entry] !== hash || this.#keys[entry] !== key)) entry = this.#nexts[entry]!
    return entry
  }

  /** Consecutive numbers take consecutive buckets, without collisions and side by side in memory. Each lap around the buckets begins
   *  at another one, which depends on all bits of the lap, so that numbers with a common step are spread too. */
  #bucket(hash: number): number {
    const lap = Math.imul(hash >>> this.#bits, this.#lapFactor)
    return (hash + (lap ^ (lap >>> (32 - this.#bits)))) & (this.#buckets.length - 1)
  }

  #take(): number {
    const free = this.#free
    if (free === NONE) {
      if (this.#fresh === this.#values.length) this.#grow()
      return this.#fresh++
    }
    this.#free = this.#nexts[free]!
    return free
  }

  #link(entry: number): void {
    const bucket = this.#bucket(this.#hashes[entry]!)
    this.#nexts[entry] = this.#buckets[bucket]!
    this.#buckets[bucket] = entry
  }

  #unlink(entry: number, bucket: number): void {
    let before = this.#buckets[bucket]!
    if (before === entry) {
      this.#buckets[bucket] = this.#nexts[entry]!
      return
    }
    while (this.#nexts[before] !== entry) before = this.#nexts[before]!
    this.#nexts[before] = this.#nexts[entry]!
  }

  /** Every entry is in use. */
  #grow(): void {
    const entries = this.#values.length
    this.#nexts = new Int32Array(2 * entries)
    this.#buckets = emptyBuckets(2 * entries)
    const hashes = this.#hashes
    this.#hashes = new Int32Array(2 * entries)
    this.#hashes.set(hashes)
    this.#keys = [...this.#keys, ...filled<KeyAtom>(entries, 0)]
    this.#values = [...this.#values, ...filled(entries, undefined)]
    this.#bits++
    for (let entry = 0; entry < entries; entry++) this.#link(entry)
  }
}

function hashOf(key: KeyAtom, factor: number): number {
  if (typeof key === 'number') return key ^ Math.imul((key / 0x1_0000_0000) | 0, factor)
  let hash = key.length
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), factor)
  return hash ^ (hash >>> 15)
}

/** Mixes: every bit of the result depends on every bit given. */
function mixed(seed: number): number {
  let bits = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

function emptyBuckets(buckets: number): Int32Array {
  return new Int32Array(buckets).fill(NONE)
}

function filled<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}
