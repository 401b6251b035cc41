// Where in a record's data the members stand that its stream must know: reserved names, the first members of key paths,
// fields that nested keys are hoisted to, the cursor. One look at each member's length and last byte: on a record's way it is twice
// as fast as NamedMembers, which counts the times of each name.

import { isName, nameOf } from '../json/name.ts'
import type { Name } from '../json/name.ts'
import { ABSENT } from '../json/record-data.ts'
import type { RecordData } from '../json/record-data.ts'
import { renameReserved } from './reserved.ts'
import type { ItemSlot } from './stream-mapping.ts'
import { STRIDE } from '../json/scanner.ts'

const QUOTE = 0x22
/** A power of 2. */
const MARKS = 1024

interface WantedMembers {
  readonly reserved?: readonly string[]
  /** Distinct. */
  readonly roots: readonly string[]
  readonly hoisted?: readonly string[]
  readonly cursor?: string | undefined
}

interface Wanted {
  readonly name: Name
  readonly as: 'reserved' | 'root' | 'hoisted' | 'cursor'
  /** Among the roots. */
  readonly index: number
}

/** Reusable: what was found in the record looked at last. */
export class MemberFinder {
  /** Whether a reserved name occurs. */
  odd = false
  /** Slot in `members` of the first member of each root; ABSENT without. */
  readonly slots: Int32Array
  /** Of the cursor, the last one; ABSENT without. */
  cursorSlot = ABSENT
  readonly #reserved: readonly string[]
  readonly #hoisted: readonly string[]
  readonly #all: readonly Wanted[]
  /** Those of each length: a member is compared with them alone. */
  readonly #ofLength: readonly (readonly Wanted[])[]
  /** 1 at the mark of each of their names. */
  readonly #marks = new Uint8Array(MARKS)

  constructor({ reserved = [], roots, hoisted = [], cursor }: WantedMembers) {
    this.slots = new Int32Array(roots.length)
    this.#reserved = reserved
    this.#hoisted = hoisted
    this.#all = [
      ...reserved.map((name) => wanted(name, 'reserved')),
      ...roots.map((name, index) => wanted(name, 'root', index)),
      ...hoisted.map((name) => wanted(name, 'hoisted')),
      ...(cursor === undefined ? [] : [wanted(cursor, 'cursor')]),
    ]
    const longest = Math.max(0, ...this.#all.map(({ name }) => name.length))
    this.#ofLength = Array.from({ length: longest + 1 }, (_, length) =>
      this.#all.filter(({ name }) => name.length === length),
    )
    for (const { name } of this.#all) this.#marks[markOf(Buffer.of(QUOTE, ...name.utf8), 1, 1 + name.utf8.length)] = 1
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
      // by its mark most members are none of ours; with an escape in it any may be
      if (from >= 0 && marks[markOf(bytes, from, to)] !== 1) continue
      const rejected = this.#note(bytes, from, to, slot, from >= 0 ? (this.#ofLength[to - from] ?? []) : this.#all)
      if (rejected !== undefined) return rejected
    }
    return undefined
  }

  /** Puts the data of the record looked at last into `slot`: byte for byte, but for reserved members, which get another name.
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

  #note(bytes: Buffer, from: number, to: number, slot: number, some: readonly Wanted[]): string | undefined {
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

/** Of a name, by its length and its last byte; of an empty one, by the quote in front of it. */
function markOf(bytes: Uint8Array, from: number, to: number): number {
  return ((to - from) * 37 + bytes[to - 1]!) & (MARKS - 1)
}

function wanted(name: string, as: Wanted['as'], index = 0): Wanted {
  return { name: nameOf(name), as, index }
}
