// A record's data: where the object and its members stand in a buffer, as scanner.ts located them. A member has an index in the scanner's
// table, and a slot (index × STRIDE), where its numbers begin there. Of several members of one name the last counts, as for JSON.parse.

import { BRACE, QUOTE } from './bytes.ts'
import { isName, type Name } from './name.ts'
import { NAME_TO, nameStart, STRIDE, VALUE_FROM, VALUE_TO, type Scanner } from './scanner.ts'
import { decodeString } from './strings.ts'

/** The most levels that data, and members beside it, may nest (decisions.md#data-deeper-than-1024-is-rejected). */
export const DEEPEST = 1024

/** The index or slot of a member that is not there. */
export const ABSENT = -1

const NOTHING = Buffer.alloc(0)
const NO_MEMBERS = new Int32Array(0)

/** The object bytes[from, to) and its members. One RecordData is filled again for each record, because new ones would be most of a run's
 *  garbage: `hold` takes an object that the scanner has just gone over, `locate` has the scanner go over it first. */
export class RecordData {
  bytes: Buffer = NOTHING
  from = 0
  to = 0
  /** The scanner's table. The object's members in it are `count` from index `first` on. Beyond MOST_MEMBERS (scanner.ts) it has not all. */
  members: Int32Array = NO_MEMBERS
  first = 0
  count = 0
  tooDeep = false
  /** Whether it is valid UTF-8; for the caller to set. */
  isText = true
  /** The place of an Airbyte record's emitted_at, for the caller to set. Empty when it is absent or null, and for records of topics. */
  emittedFrom = 0
  emittedTo = 0
  /** The place of an Airbyte record's `meta` object, for the caller to set. Empty when there is none. */
  metaFrom = 0
  metaTo = 0

  /** Takes the object bytes[from, to), which `scanner.table` has just gone over.
   *  @param first the index of its first member in the scanner's table; all members from there on are its own */
  hold(scanner: Scanner, bytes: Buffer, from: number, to: number, first = 0): void {
    this.bytes = bytes
    this.from = from
    this.to = to
    this.members = scanner.members
    this.first = first
    this.count = scanner.count - first
    this.tooDeep = scanner.depth > DEEPEST
  }

  /** Has the scanner go over the object bytes[from, to), which must be valid JSON, and takes it.
   *  @param first the index from which its members go into the scanner's table; members in front of it stay */
  locate(scanner: Scanner, bytes: Buffer, from: number, to: number, first = 0): void {
    scanner.start(bytes, from, to)
    scanner.count = first
    scanner.table()
    this.hold(scanner, bytes, from, to, first)
  }

  /** Has the scanner go over the object that is the value of `outer`'s member at `slot`, and takes it. Its members are put behind those of
   *  `outer` in the scanner's table; if that had to grow, `outer` is given the new one.
   *  @returns false when the value is no object */
  locateMember(scanner: Scanner, outer: RecordData, slot: number): boolean {
    const { bytes, members, first, count } = outer
    const from = members[slot + VALUE_FROM]!
    if (bytes[from] !== BRACE) return false
    this.locate(scanner, bytes, from, members[slot + VALUE_TO]!, first + count)
    outer.members = scanner.members
    return true
  }
}

/** The name of the member at `slot`. */
export function memberName(bytes: Buffer, members: Int32Array, slot: number): string {
  return decodeString(bytes, nameStart(members[slot]!), members[slot + NAME_TO]!)
}

/** The string that is the value of the member at `slot`. `undefined` when it is no string, or the slot is ABSENT. */
export function memberText({ bytes, members }: RecordData, slot: number): string | undefined {
  if (slot === ABSENT || bytes[members[slot + VALUE_FROM]!] !== QUOTE) return undefined
  return decodeString(bytes, members[slot + VALUE_FROM]! + 1, members[slot + VALUE_TO]! - 1)
}

/** The index of the last member of that name among `count` members from `first`, or ABSENT. */
export function lastMember(bytes: Buffer, members: Int32Array, first: number, count: number, name: Name): number {
  for (let index = first + count - 1; index >= first; index--) {
    const slot = index * STRIDE
    if (isName(bytes, members[slot]!, members[slot + NAME_TO]!, name)) return index
  }
  return ABSENT
}
