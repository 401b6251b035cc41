// Values by key atom, in flat tables of its own. A Map that is filled and emptied all the time rebuilds its table again
// and again, and the old tables keep what they held alive into the old generation (bench: CPU and peak RSS).

import type { KeyAtom } from './types.ts'

const FIRST_SLOTS = 64

/** What engine code needs of a map, for keys that come and go: open addressing, gaps closed on delete. */
export class KeyMap<V extends object> {
  #hashes = new Int32Array(FIRST_SLOTS)
  #keys: KeyAtom[] = filled<KeyAtom>(FIRST_SLOTS, 0)
  /** A slot is taken when it has a value. */
  #values: (V | undefined)[] = filled(FIRST_SLOTS, undefined)
  #mask = FIRST_SLOTS - 1
  #used = 0

  get(key: KeyAtom): V | undefined {
    return this.#values[this.#slot(key, hashOf(key))]
  }

  set(key: KeyAtom, value: V): void {
    const hash = hashOf(key)
    let slot = this.#slot(key, hash)
    if (!this.#values[slot]) {
      if (2 * ++this.#used > this.#values.length) {
        this.#grow()
        slot = this.#slot(key, hash)
      }
      this.#keys[slot] = key
      this.#hashes[slot] = hash
    }
    this.#values[slot] = value
  }

  delete(key: KeyAtom): void {
    const slot = this.#slot(key, hashOf(key))
    if (this.#values[slot]) this.#empty(slot)
  }

  /** In no particular order. Nothing may be set or deleted while it is gone through. */
  *values(): Generator<V> {
    for (const value of this.#values) if (value) yield value
  }

  /** The key's slot, or the empty one it would take. */
  #slot(key: KeyAtom, hash: number): number {
    let slot = hash & this.#mask
    while (this.#values[slot] && (this.#hashes[slot] !== hash || this.#keys[slot] !== key))
      slot = (slot + 1) & this.#mask
    return slot
  }

  /** Empties a slot and moves up whatever was pushed behind it, so that no search ends too early. */
  #empty(slot: number): void {
    this.#used--
    let hole = slot
    for (let at = (slot + 1) & this.#mask; this.#values[at]; at = (at + 1) & this.#mask) {
      const home = this.#hashes[at]! & this.#mask
      // its home lies cyclically in (hole, at]: it is where it should be
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue
      this.#move(at, hole)
      hole = at
    }
    this.#values[hole] = undefined
    this.#keys[hole] = 0
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from]!
    this.#hashes[to] = this.#hashes[from]!
    this.#values[to] = this.#values[from]
  }

  #grow(): void {
    const [hashes, keys, values] = [this.#hashes, this.#keys, this.#values]
    const slots = values.length * 2
    this.#hashes = new Int32Array(slots)
    this.#keys = filled<KeyAtom>(slots, 0)
    this.#values = filled(slots, undefined)
    this.#mask = slots - 1
    values.forEach((value, at) => {
      if (!value) return
      const slot = this.#slot(keys[at]!, hashes[at]!)
      this.#keys[slot] = keys[at]!
      this.#hashes[slot] = hashes[at]!
      this.#values[slot] = value
    })
  }
}

/** Neighbouring numbers keep neighbouring slots; what lies far apart is spread. */
function hashOf(key: KeyAtom): number {
  if (typeof key === 'number') return key ^ Math.imul((key / 65_536) | 0, 0x9e3779b1)
  let hash = key.length
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 15)
}

function filled<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}
