// The two levels of a row's key (decisions.md#keys-are-equal-at-two-levels), and a map by one of them (`KeyMap`).

import type { Key, KeyAtom } from './types.ts'

/** The exact key: points (row versions that the engine holds) are merged only if it is equal. `undefined` when the row equals no other. */
export function exactOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.exact : key
}

/** The fence: points with an equal one are never in one batch or in flight together. `undefined` when the row equals no other. */
export function fenceOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.fence : key
}

/** Entries of a new map: few, as there is a map for each table, and most of many tables have few keys at a time. A power of 2 above 1. */
const FIRST_ENTRIES = 4
/** A KeyMap has as many buckets as entries, both known by an index, and keeps STRIDE numbers for each index in one array, because every
 *  further array would take 200 bytes more. The first is the bucket's first entry. At NEXT and HASH behind it are two numbers of the
 *  entry: the next one in its chain, and its hash. */
const STRIDE = 3
const NEXT = 1
const HASH = 2
/** Stands for no entry: the end of a chain. */
const NONE = -1

/** A map for keys that come and go: chains of entries in flat arrays, which are used again. A `Map` that is filled and emptied all the time
 *  rebuilds its table, and the old tables keep their contents alive in V8's old generation (bench: CPU and peak RSS). */
export class KeyMap<V extends object> {
  /** STRIDE numbers for each index. Free entries form a chain too, by NEXT. */
  #chains = emptyChains(FIRST_ENTRIES)
  #keys: KeyAtom[] = filled<KeyAtom>(FIRST_ENTRIES, 0)
  /** `undefined` when the entry is free. */
  #values: (V | undefined)[] = filled(FIRST_ENTRIES, undefined)
  /** The binary logarithm of the number of entries. */
  #bits = Math.log2(FIRST_ENTRIES)
  /** The first free entry of those that were used before, and the first entry that never was. */
  #free = NONE
  #fresh = 0
  /** Factors for `hashOf` and `#bucket`: odd, so that multiplying loses no bit, and secret, so that keys that collide cannot be chosen. */
  readonly #factor: number
  readonly #lapFactor: number

  /** @param seed any number of 32 bits, to be chosen at random for each process */
  constructor(seed: number) {
    this.#factor = mixed(seed) | 1
    this.#lapFactor = mixed(seed + 1) | 1
  }

  get(key: KeyAtom): V | undefined {
    const entry = this.#find(key, hashOf(key, this.#factor))
    return entry === NONE ? undefined : this.#values[entry]
  }

  /** @param key must not be in the map
   *  @returns its entry, by which `replace` and `delete` find it without a search */
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

  /** Finds the bucket of a hash. Consecutive hashes, as consecutive numbers have, take consecutive buckets: not colliding, near in memory.
   *  Each lap around the buckets begins elsewhere, by all bits of its number, so that hashes with a common step are spread too.
   *  @returns the index in `#chains` at which the bucket's first entry stands */
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
    // the index in `chains` at which the entry is named: its bucket's, or the NEXT of the entry before it
    let link = this.#bucket(chains[entry * STRIDE + HASH]!)
    while (chains[link] !== entry) link = chains[link]! * STRIDE + NEXT
    chains[link] = chains[entry * STRIDE + NEXT]!
  }

  /** Doubles the arrays, of which every entry is in use. */
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

/** Makes a hash of 32 bits: of a whole number its lower 32 bits, with which those above are mixed. Other keys are texts. */
function hashOf(key: KeyAtom, factor: number): number {
  if (typeof key === 'number') return key ^ Math.imul((key / 0x1_0000_0000) | 0, factor)
  let hash = key.length
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), factor)
  return hash ^ (hash >>> 15)
}

/** Mixes 32 bits: every bit of the result depends on every bit given (the last step of MurmurHash3). */
export function mixed(seed: number): number {
  let bits = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

/** Chains of which every bucket is empty. */
function emptyChains(entries: number): Int32Array {
  return new Int32Array(entries * STRIDE).fill(NONE)
}

function filled<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}
