// Finds the members of a record's data that matter to its stream: reserved names, the first members of key paths (roots), fields that
// nested keys are hoisted to, and the cursor. A mark, a small hash of length and last byte, excludes most members, twice as fast as
// json/named-members.ts. A member takes STRIDE numbers in the scanner's table (`members`, json/scanner.ts), from its slot on:
//   name from (negative if the name has an escape: `nameStart`) | name to | value from | value to
// Here `slot` is a member's; the slot of an item (stream-mapping.ts) is called `item`.

import { QUOTE } from '../json/bytes.ts'
import { isName, nameOf, type Name } from '../json/name.ts'
import { ABSENT, type RecordData } from '../json/record-data.ts'
import { renameReserved } from './reserved.ts'
import type { ItemSlot } from './stream-mapping.ts'
import { NAME_TO, STRIDE, VALUE_FROM, VALUE_TO } from '../json/scanner.ts'

/** How many marks there are: a power of 2, at least 32. Few, because each stream has a finder. */
const MARKS = 256

/** The names to search for, by what they are wanted as. */
interface NamesWanted {
  readonly reserved?: readonly string[]
  /** Distinct names. */
  readonly roots: readonly string[]
  readonly hoisted?: readonly string[]
  readonly cursor?: string | undefined
}

/** One of these names. */
interface WantedName {
  readonly name: Name
  readonly as: 'reserved' | 'root' | 'hoisted' | 'cursor'
  /** The index of a root among the roots; 0 for other names. */
  readonly index: number
}

/** Searches one record after another, and keeps what it found in the last: first `find`, then `putInto` with the same record. */
export class MemberFinder {
  /** Whether a reserved name occurs. */
  hasReserved = false
  /** The slot of each root's member, or ABSENT. A root that occurs twice rejects its record: two values of a key would name two rows. */
  readonly slots: number[]
  /** The slot of the cursor, or ABSENT. Of several the last counts, as for JSON.parse: it only compares versions of a row. */
  cursorSlot = ABSENT
  readonly #reserved: readonly string[]
  readonly #hoisted: readonly string[]
  readonly #wanted: readonly WantedName[]
  /** A bit for each mark, set for those of wanted names: 32 bits a number, so that mark m is bit `m & 31` of number `m >> 5`. */
  readonly #marks: number[]

  constructor({ reserved = [], roots, hoisted = [], cursor }: NamesWanted) {
    this.slots = roots.map(() => ABSENT)
    this.#reserved = reserved
    this.#hoisted = hoisted
    this.#wanted = [
      ...reserved.map((name) => wantedName(name, 'reserved')),
      ...roots.map((name, index) => wantedName(name, 'root', index)),
      ...hoisted.map((name) => wantedName(name, 'hoisted')),
      ...(cursor === undefined ? [] : [wantedName(cursor, 'cursor')]),
    ]
    this.#marks = Array.from({ length: MARKS / 32 }, () => 0)
    for (const { name } of this.#wanted) {
      // with a quote in front, as in a record: `markOf` may look at it
      const mark = markOf(Buffer.of(QUOTE, ...name.utf8), 1, 1 + name.utf8.length)
      this.#marks[mark >> 5]! |= 1 << (mark & 31)
    }
  }

  /** Fills `hasReserved`, `slots` and `cursorSlot`. @returns why the record is rejected; `undefined` when it is not */
  find({ bytes, members, first, count }: RecordData): string | undefined {
    const marks = this.#marks
    for (let index = 0; index < this.slots.length; index++) this.slots[index] = ABSENT
    this.hasReserved = false
    this.cursorSlot = ABSENT
    const end = (first + count) * STRIDE
    for (let slot = first * STRIDE; slot < end; slot += STRIDE) {
      const from = members[slot]!
      const to = members[slot + NAME_TO]!
      // the mark excludes most members; a name with an escape may be any
      if (from >= 0) {
        const mark = markOf(bytes, from, to)
        if (((marks[mark >> 5]! >> (mark & 31)) & 1) === 0) continue
      }
      const rejected = this.#note(bytes, from, to, slot)
      if (rejected !== undefined) return rejected
    }
    return undefined
  }

  /** Puts the data of the last record into `item`, without its opening brace, and byte for byte except for reserved members, which are
   *  renamed. After a renaming the cursor's place no longer fits: none is given, and it is not compared.
   *  @returns why it is rejected; `undefined` when it is not */
  putInto(record: RecordData, item: ItemSlot<unknown>): string | undefined {
    item.bytes = record.bytes
    item.from = record.from + 1
    item.to = record.to
    item.cursorFrom = item.cursorTo = 0
    if (this.hasReserved) {
      const data = renameReserved(record, this.#reserved, this.#hoisted)
      // a text says why it is rejected
      if (typeof data === 'string') return data
      item.bytes = data
      item.from = 1
      item.to = data.length
    } else if (this.cursorSlot !== ABSENT) {
      item.cursorFrom = record.members[this.cursorSlot + VALUE_FROM]!
      item.cursorTo = record.members[this.cursorSlot + VALUE_TO]!
    }
    return undefined
  }

  /** Notes a member that may be wanted. @returns why the record is rejected; `undefined` when it is not */
  #note(bytes: Buffer, from: number, to: number, slot: number): string | undefined {
    const wanted = this.#wanted
    for (let at = 0; at < wanted.length; at++) {
      const { name, as, index } = wanted[at]!
      if (!isName(bytes, from, to, name)) continue
      if (as === 'reserved') this.hasReserved = true
      else if (as === 'cursor') this.cursorSlot = slot
      else if (as === 'hoisted') return `it has a member "${name.text}", the field a nested key is sent as`
      else if (this.slots[index] === ABSENT) this.slots[index] = slot
      else return `its key field "${name.text}" occurs twice`
    }
    return undefined
  }
}

/** Makes the mark of a name from its length, spread by a factor, and its last byte; of an empty name, from the quote in front of it. */
function markOf(bytes: Uint8Array, from: number, to: number): number {
  return ((to - from) * 37 + bytes[to - 1]!) & (MARKS - 1)
}

function wantedName(name: string, as: WantedName['as'], index = 0): WantedName {
  return { name: nameOf(name), as, index }
}
