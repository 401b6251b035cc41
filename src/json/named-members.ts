// Finds the members of a few names (a dozen at most) in one object after another, and counts how often each name occurs.

import { isName, nameOf, type Name } from './name.ts'
import { ABSENT, type RecordData } from './record-data.ts'
import { NAME_TO, STRIDE } from './scanner.ts'

/** A search for the same names in each object. `find` fills `slots` and `times`, which stay valid until the next `find`. In both, a name's
 *  index is its place in the list that the constructor was given. */
export class NamedMembers {
  /** The slot of the last member of each name (where its places begin in the table of members: scanner.ts). ABSENT when there is none. */
  readonly slots: Int32Array
  /** How often each name occurs. */
  readonly times: Uint32Array
  readonly #names: readonly Name[]
  /** 1 at each number of bytes that one of the names has: only names of such a length are compared. */
  readonly #lengths: Uint8Array

  constructor(names: readonly string[]) {
    this.#names = names.map(nameOf)
    this.slots = new Int32Array(names.length)
    this.times = new Uint32Array(names.length)
    this.#lengths = new Uint8Array(Math.max(...this.#names.map(({ length }) => length)) + 1)
    for (const { length } of this.#names) this.#lengths[length] = 1
  }

  /** Searches the object whose members are `count` from index `first` on, in the scanner's table `members`. */
  find({ bytes, members, first, count }: Pick<RecordData, 'bytes' | 'members' | 'first' | 'count'>): void {
    const { slots, times } = this
    const names = this.#names
    const lengths = this.#lengths
    // a loop, because a call of `fill` costs more for so few names
    for (let index = 0; index < names.length; index++) {
      slots[index] = ABSENT
      times[index] = 0
    }
    const end = (first + count) * STRIDE
    for (let slot = first * STRIDE; slot < end; slot += STRIDE) {
      const from = members[slot]!
      const to = members[slot + NAME_TO]!
      // a negative place: the name holds a backslash, so its length says nothing
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
