// Where a record's data stands, as the scanner located it, and its members found by name. Of several members of one name the
// last counts, as for JSON.parse.

import { isName, nameOf } from './name.ts'
import type { Name } from './name.ts'
import { STRIDE } from './scanner.ts'
import type { Scanner } from './scanner.ts'
import { decodeString } from './strings.ts'

/** Levels of data that are stored, and of what goes beside it (decisions.md#data-deeper-than-1024-is-rejected). */
export const DEEPEST = 1024

const NOTHING = Buffer.alloc(0)
const NO_MEMBERS = new Int32Array(0)

/** The object bytes[from, to) and its members (json/scanner.ts). A place that is filled again and again: one a record would
 *  be most of a run's garbage. */
export class RecordData {
  bytes: Buffer = NOTHING
  from = 0
  to = 0
  /** `count` of them from index `first`; with more than MOST_MEMBERS the table has not all of them. */
  members: Int32Array = NO_MEMBERS
  first = 0
  count = 0
  /** Nested deeper than DEEPEST. */
  tooDeep = false
  /** Whether it is valid UTF-8. */
  isText = true
  /** The text of emitted_at; empty when absent or null, as in whatever comes from a topic. */
  emittedFrom = 0
  emittedTo = 0
  /** The record's `meta` object; empty when there is none. */
  metaFrom = 0
  metaTo = 0

  /** The object bytes[from, to) that the scanner went over last; its members are the scanner's from index `first` on. */
  hold(scanner: Scanner, bytes: Buffer, from: number, to: number, first = 0): void {
    this.bytes = bytes
    this.from = from
    this.to = to
    this.members = scanner.members
    this.first = first
    this.count = scanner.count - first
    this.tooDeep = scanner.depth > DEEPEST
  }

  /** Goes over an object that is known to be JSON. */
  locate(scanner: Scanner, bytes: Buffer, from: number, to: number, first = 0): void {
    scanner.start(bytes, from, to)
    scanner.count = first
    scanner.table()
    this.hold(scanner, bytes, from, to, first)
  }

  /** Goes over the object that a member of `outer` is; its own members follow those in the scanner's table.
   *  @returns false: the member is none */
  locateMember(scanner: Scanner, outer: RecordData, slot: number): boolean {
    const { bytes, members, first, count } = outer
    const from = members[slot + 2]!
    if (bytes[from] !== BRACE) return false
    this.locate(scanner, bytes, from, members[slot + 3]!, first + count)
    outer.members = scanner.members
    return true
  }
}

const BRACE = 0x7b

/** The name of the member at `slot`. */
export function memberName(bytes: Buffer, members: Int32Array, slot: number): string {
  const from = members[slot]!
  return decodeString(bytes, from < 0 ? ~from : from, members[slot + 1]!)
}

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
      const to = members[slot + 1]!
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
