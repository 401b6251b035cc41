// Values by key atom. Numbers, the ordinary keys, live in a flat table of their own: a Map that is filled and emptied all
// the time rebuilds its table again and again, and those tables outlive the young generation (bench: peak RSS).

import type { KeyAtom } from './types.ts'

const FIRST_SLOTS = 64

/** What engine code needs of a map, for keys that come and go. */
export class KeyMap<V extends object> {
  /** Key of each slot; meaningless where there is no value. */
  #keys = new Float64Array(FIRST_SLOTS)
  #values: (V | undefined)[] = emptySlots(FIRST_SLOTS)
  #mask = FIRST_SLOTS - 1
  #used = 0
  readonly #texts = new Map<string, V>()

  get(key: KeyAtom): V | undefined {
    return typeof key === 'number' ? this.#values[this.#slot(key)] : this.#texts.get(key)
  }

  set(key: KeyAtom, value: V): void {
    if (typeof key === 'number') this.#put(key, value)
    else this.#texts.set(key, value)
  }

  delete(key: KeyAtom): void {
    if (typeof key === 'string') this.#texts.delete(key)
    else this.#remove(this.#slot(key))
  }

  /** In no particular order. Nothing may be set while it is gone through. */
  *values(): Generator<V> {
    for (const value of this.#values) if (value) yield value
    yield* this.#texts.values()
  }

  #put(key: number, value: V): void {
    let slot = this.#slot(key)
    if (!this.#values[slot]) {
      if (2 * ++this.#used > this.#values.length) {
        this.#grow()
        slot = this.#slot(key)
      }
      this.#keys[slot] = key
    }
    this.#values[slot] = value
  }

  /** The key's slot, or the empty one it would take. */
  #slot(key: number): number {
    let slot = this.#home(key)
    while (this.#values[slot] && this.#keys[slot] !== key) slot = (slot + 1) & this.#mask
    return slot
  }

  #home(key: number): number {
    // neighbours stay neighbours; the factor spreads what lies far apart
    return (key ^ Math.imul((key / 65_536) | 0, 0x9e3779b1)) & this.#mask
  }

  /** Empties a slot and moves up whatever was pushed behind it, so that no search ends too early. */
  #remove(slot: number): void {
    if (!this.#values[slot]) return
    this.#used--
    let hole = slot
    for (let at = (slot + 1) & this.#mask; this.#values[at]; at = (at + 1) & this.#mask) {
      const home = this.#home(this.#keys[at]!)
      // its home lies cyclically in (hole, at]: it is where it should be
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue
      this.#keys[hole] = this.#keys[at]!
      this.#values[hole] = this.#values[at]
      hole = at
    }
    this.#values[hole] = undefined
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values]
    const slots = values.length * 2
    this.#keys = new Float64Array(slots)
    this.#values = emptySlots(slots)
    this.#mask = slots - 1
    values.forEach((value, at) => {
      if (!value) return
      const slot = this.#slot(keys[at]!)
      this.#keys[slot] = keys[at]!
      this.#values[slot] = value
    })
  }
}

function emptySlots<V>(count: number): (V | undefined)[] {
  return Array.from({ length: count }, () => undefined)
}
