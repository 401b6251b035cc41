// Looks members up by name in a table the scanner filled. Of several the last counts, as for JSON.parse.

import { isName, nameOf } from './name.ts'
import type { Name } from './name.ts'
import type { RecordData } from './record-data.ts'
import { STRIDE } from './scanner.ts'

export const ABSENT = -1

type Members = Pick<RecordData, 'bytes' | 'members' | 'first' | 'count'>

/** The index of the last member of that name among `count` members from `first`, or ABSENT. */
export function lastMember(bytes: Buffer, members: Int32Array, first: number, count: number, name: Name): number {
  for (let index = first + count - 1; index >= first; index--) {
    const slot = index * STRIDE
    if (isName(bytes, members[slot]!, members[slot + 1]!, name)) return index
  }
  return ABSENT
}

/** Where the members of certain names stand in the object looked at last: one look at each member's length. */
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

  find({ bytes, members, first, count }: Members): void {
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
