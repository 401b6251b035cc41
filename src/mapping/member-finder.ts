// Finds the members of a record's data that matter to its stream: reserved names, the first members of key paths, fields that nested
// keys are hoisted to, and the cursor. It tests each member by length and last byte, which is twice as fast as NamedMembers, which
// also counts how often each name occurs.

import { isName, nameOf } from '../json/name.ts'
import type { Name } from '../json/name.ts'
import { ABSENT } from '../json/record-data.ts'
import type { RecordData } from '../json/record-data.ts'
import { renameReserved } from './reserved.ts'
import type { ItemSlot } from './stream-mapping.ts'
import { STRIDE } from '../json/scanner.ts'

const QUOTE = 0x22
/** A power of 2, and of 32 at least. Few, because there is a finder a stream. */
const MARKS = 256

interface WantedMembers {
  readonly reserved?: readonly string[]
  /** Distinct names. */
  readonly roots: readonly string[]
  readonly hoisted?: readonly string[]
  readonly cursor?: string | undefined
}

interface Wanted {
  readonly name: Name
  readonly as: 'reserved' | 'root' | 'hoisted' | 'cursor'
  /** Its index among the roots. */
  readonly index: number
}

/** Searches one record after another, and keeps what it found in the last. */
export class MemberFinder {
  /** Whether a reserved name occurs. */
  odd = false
  /** The slot in `members` of each root's first member, or ABSENT. */
  readonly slots: number[]
  /** The slot of the last cursor, or ABSENT. */
  cursorSlot = ABSENT
  readonly #reserved: readonly string[]
  readonly #hoisted: readonly string[]
  readonly #all: readonly Wanted[]
  /** A bit for each mark, 32 a number: set at the mark of each wanted name. */
  readonly #marks: number[]

  constructor({ reserved = [], roots, hoisted = [], cursor }: WantedMembers) {
    this.slots = roots.map(() => ABSENT)
    this.#reserved = reserved
    this.#hoisted = hoisted
    this.#all = [
      ...reserved.map((name) => wanted(name, 'reserved')),
      ...roots.map((name, index) => wanted(name, 'root', index)),
      ...hoisted.map((name) => wanted(name, 'hoisted')),
      ...(cursor === undefined ? [] : [wanted(cursor, 'cursor')]),
    ]
    this.#marks = Array.from({ length: MARKS / 32 }, () => 0)
    for (const { name } of this.#all) {
      const mark = markOf(Buffer.of(QUOTE, ...name.utf8), 1, 1 + name.utf8.length)
      this.#marks[mark >> 5]! |= 1 << mark
    }
  }

  /** @returns why the record is rejected, if so */
  find({ bytes, members, first, count }: RecordData): string | undefined {
    const marks = this.#marks
    for (let index = 0; index < this.slots.length; index++) this.slots[index] = ABSENT
    this.odd = false
    this.cursorSlot = ABSENT
    const end = (first + count) * STRIDE
    for (let slot = first * STRIDE; slot < end; slot += STRIDE) {
      const from = members[slot]!
      const to = members[slot + 1]!
      // the mark excludes most members; a name with an escape may be any
      if (from >= 0) {
        const mark = markOf(bytes, from, to)
        if (((marks[mark >> 5]! >> mark) & 1) === 0) continue
      }
      const rejected = this.#note(bytes, from, to, slot)
      if (rejected !== undefined) return rejected
    }
    return undefined
  }

  /** Puts the data of the last record into `slot`, byte for byte except for reserved members, which are renamed.
   *  @returns why it is rejected, if so */
  place(record: RecordData, slot: ItemSlot<unknown>): string | undefined {
    slot.bytes = record.bytes
    slot.from = record.from + 1
    slot.to = record.to
    slot.cursorFrom = slot.cursorTo = 0
    if (this.odd) {
      const data = renameReserved(record, this.#reserved, this.#hoisted)
      if (data.rejected !== undefined) return data.rejected
      slot.bytes = data.bytes
      slot.from = 1
      slot.to = data.bytes.length
    } else if (this.cursorSlot !== ABSENT) {
      slot.cursorFrom = record.members[this.cursorSlot + 2]!
      slot.cursorTo = record.members[this.cursorSlot + 3]!
    }
    return undefined
  }

  #note(bytes: Buffer, from: number, to: number, slot: number): string | undefined {
    const some = this.#all
    for (let at = 0; at < some.length; at++) {
      const { name, as, index } = some[at]!
      if (!isName(bytes, from, to, name)) continue
      if (as === 'reserved') this.odd = true
      else if (as === 'cursor') this.cursorSlot = slot
      else if (as === 'hoisted') return `it has a member "${name.text}", the field a nested key is sent as`
      else if (this.slots[index] === ABSENT) this.slots[index] = slot
      else return `its key field "${name.text}" occurs twice`
    }
    return undefined
  }
}

/** A number from a name's length and last byte; for an empty name, from the quote in front of it. */
function markOf(bytes: Uint8Array, from: number, to: number): number {
  return ((to - from) * 37 + bytes[to - 1]!) & (MARKS - 1)
}

function wanted(name: string, as: Wanted['as'], index = 0): Wanted {
  return { name: nameOf(name), as, index }
}
