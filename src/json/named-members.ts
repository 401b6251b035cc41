// Finds members of a dozen names at most in one object after another, and how often each occurs.

import { isName, nameOf, type Name } from './name.ts'
import { ABSENT, type RecordData } from './record-data.ts'
import { NAME_TO, STRIDE } from './scanner.ts'

/** `find` fills `slots` and `times`, which are good until the next `find`. Only names of a fitting length are compared. */
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

  find({ bytes, members, first, count }: Pick<RecordData, 'bytes' | 'members' | 'first' | 'count'>): void {
    const { slots, times } = this
    const names = this.#names
    const lengths = this.#lengths
    // loops, because a call costs more than so few names take
    for (let index = 0; index < names.length; index++) {
      slots[index] = ABSENT
      times[index] = 0
    }
    const end = (first + count) * STRIDE
    for (let slot = first * STRIDE; slot < end; slot += STRIDE) {
      const from = members[slot]!
      const to = members[slot + NAME_TO]!
      if (from >= 0 && lengths[to - from] !== 1) continue
      for (let index = 0; index < names.length; index++) {
        if (!isName(bytes, from, to, names[index]!)) continue
        slots[index] = slot
        times[index]!++
        break
      }
    }
  }
}
