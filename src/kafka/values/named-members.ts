// Where an object's members of certain names stand. One look at each member's length; of equal ones the last counts.

import { isName, nameOf } from '../../json/name.ts'
import type { Name } from '../../json/name.ts'
import { STRIDE } from '../../json/scanner.ts'
import type { Located } from './located.ts'

export const ABSENT = -1

/** Reusable: what was found in the object looked at last. */
export class NamedMembers {
  /** Slot in `members` of the last member of each name; ABSENT without. */
  readonly slots: Int32Array
  /** How often each name occurs. */
  readonly times: Uint32Array
  readonly #names: readonly Name[]
  /** 1 at each length of a name. */
  readonly #lengths: Uint8Array

  constructor(names: readonly string[]) {
    this.#names = names.map(nameOf)
    this.slots = new Int32Array(names.length)
    this.times = new Uint32Array(names.length)
    this.#lengths = new Uint8Array(Math.max(...this.#names.map(({ length }) => length)) + 1)
    for (const { length } of this.#names) this.#lengths[length] = 1
  }

  find({ bytes, members, first, count }: Located): void {
    this.slots.fill(ABSENT)
    this.times.fill(0)
    const end = (first + count) * STRIDE
    for (let slot = first * STRIDE; slot < end; slot += STRIDE) {
      const from = members[slot]!
      const to = members[slot + 1]!
      if (from >= 0 && this.#lengths[to - from] !== 1) continue
      const index = this.#names.findIndex((name) => isName(bytes, from, to, name))
      if (index === -1) continue
      this.slots[index] = slot
      this.times[index]!++
    }
  }
}
