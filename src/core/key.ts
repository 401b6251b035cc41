// The two levels of a key (decisions.md#keys-are-equal-at-two-levels), and a map by keys.

import type { Key, KeyAtom } from './types.ts'

/** The exact key: points are merged only if it is equal. */
export function exactOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.exact : key
}

/** The fence: points with an equal one are never in one batch or in flight together. */
export function fenceOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.fence : key
}

/** Few, for there is a map a table, and most of many tables have few keys at a time. At least 2. */
const FIRST_ENTRIES = 4
/** Numbers an entry has: the first entry of the bucket of its number, the entry after it in its chain, and its hash. In one array,
 *  because each array takes two hundred bytes besides. */
const STRIDE = 3
const NEXT = 1
const HASH = 2
/** Stands for no entry. */
const NONE = -1

/** A map for keys that come and go: chains of reused entries in flat tables. A `Map` that is filled and emptied all the time rebuilds
 *  its table again and again, and the old tables keep their contents alive in the old generation (bench: CPU and peak RSS). */
export class KeyMap<V extends object> {
  /** STRIDE numbers an entry. After a free entry comes the next free one. */
  #chains = emptyChains(FIRST_ENTRIES)
  #keys: KeyAtom[] = filled<KeyAtom>(FIRST_ENTRIES, 0)
  /** `undefined` when the entry is free. */
  #values: (V | undefined)[] = filled(FIRST_ENTRIES, undefined)
  /** There are 2 to this power buckets, and as many entries. */
  #bits = Math.log2(FIRST_ENTRIES)
  #free = NONE
  /** Entries from here on were never used. */
  #fresh = 0
  /** Odd, and secret, so that keys that collide cannot be chosen. */
  readonly #factor: number
  readonly #lapFactor: number

  /** @param seed any number of 32 bits; if it differs between processes, keys that collide cannot be chosen */
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
    this.#chains[entry * STRIDE + HASH] = hashOf(key, this.#factor)
    this.#values[entry] = value
    this.#link(entry)
    return entry
  }

  /** @param entry what `add` returned */
  replace(entry: number, value: V): void {
    this.#values[entry] = value
  }

  /** @param entry what `add` returned */
  delete(entry: number): void {
    this.#unlink(entry)
    this.#values[entry] = undefined
    this.#keys[entry] = 0
    this.#chains[entry * STRIDE + NEXT] = this.#free
    this.#free = entry
  }

  /** Yields values in no particular order. Nothing may be added or deleted during the iteration. */
  *values(): Generator<V> {
    for (const value of this.#values) if (value) yield value
  }

  #find(key: KeyAtom, hash: number): number {
    const chains = this.#chains
    let entry = chains[this.#bucket(hash)]!
    while (entry !== NONE && (chains[entry * STRIDE + HASH] !== hash || this.#keys[entry] !== key))
      entry = chains[entry * STRIDE + NEXT]!
    return entry
  }

  /** Consecutive numbers take consecutive buckets, without collisions and side by side in memory. Each lap around the buckets begins
   *  at another one, which depends on all bits of the lap, so that numbers with a common step are spread too.
   *  @returns where its first entry stands */
  #bucket(hash: number): number {
    const lap = Math.imul(hash >>> this.#bits, this.#lapFactor)
    return ((hash + (lap ^ (lap >>> (32 - this.#bits)))) & (this.#values.length - 1)) * STRIDE
  }

  /** Takes an entry that was free. */
  #take(): number {
    const free = this.#free
    if (free === NONE) {
      if (this.#fresh === this.#values.length) this.#grow()
      return this.#fresh++
    }
    this.#free = this.#chains[free * STRIDE + NEXT]!
    return free
  }

  /** Puts an entry first in its chain. */
  #link(entry: number): void {
    const chains = this.#chains
    const bucket = this.#bucket(chains[entry * STRIDE + HASH]!)
    chains[entry * STRIDE + NEXT] = chains[bucket]!
    chains[bucket] = entry
  }

  #unlink(entry: number): void {
    const chains = this.#chains
    let before = this.#bucket(chains[entry * STRIDE + HASH]!)
    while (chains[before] !== entry) before = chains[before]! * STRIDE + NEXT
    chains[before] = chains[entry * STRIDE + NEXT]!
  }

  /** Doubles the table, of which every entry is in use. */
  #grow(): void {
    const entries = this.#values.length
    const before = this.#chains
    const chains = (this.#chains = emptyChains(2 * entries))
    this.#keys = [...this.#keys, ...filled<KeyAtom>(entries, 0)]
    this.#values = [...this.#values, ...filled(entries, undefined)]
    this.#bits++
    for (let entry = 0; entry < entries; entry++) {
      chains[entry * STRIDE + HASH] = before[entry * STRIDE + HASH]!
      this.#link(entry)
    }
  }
}

function hashOf(key: KeyAtom, factor: number): number {
  if (typeof key === 'number') return key ^ Math.imul((key / 0x1_0000_0000) | 0, factor)
  let hash = key.length
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), factor)
  return hash ^ (hash >>> 15)
}

/** Mixes: every bit of the result depends on every bit given (the last step of MurmurHash3). */
export function mixed(seed: number): number {
  let bits = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

/** No bucket has an entry. */
function emptyChains(entries: number): Int32Array {
  return new Int32Array(entries * STRIDE).fill(NONE)
}

function filled<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}
