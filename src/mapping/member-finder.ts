// Where in a record's data the members stand that its stream must know: reserved names, the first members of key paths,
// fields that nested keys are hoisted to, the cursor. One look at each member's length; knows no values.

import { isName, nameOf } from '../json/name.ts'
import type { Name } from '../json/name.ts'
import { STRIDE } from '../json/scanner.ts'
import type { RecordData } from './stream-mapping.ts'

export const NOT_MET = -1

export interface WantedMembers {
  readonly reserved: readonly string[]
  /** Distinct. */
  readonly roots: readonly string[]
  readonly hoisted: readonly string[]
  readonly cursor: string | undefined
}

/** Reusable: what was found in the record looked at last. */
export class MemberFinder {
  /** Whether a reserved name occurs. */
  odd = false
  /** Slot in `members` of the first member of each root; NOT_MET without. */
  readonly slots: Int32Array
  /** Of the cursor, the last one; NOT_MET without. */
  cursorSlot = NOT_MET
  readonly #reserved: readonly Name[]
  readonly #roots: readonly Name[]
  readonly #hoisted: readonly Name[]
  readonly #cursor: Name | undefined
  /** 1 at the length of every name that is looked for. */
  readonly #lengths: Uint8Array

  constructor(wanted: WantedMembers) {
    this.#reserved = wanted.reserved.map(nameOf)
    this.#roots = wanted.roots.map(nameOf)
    this.#hoisted = wanted.hoisted.map(nameOf)
    this.#cursor = wanted.cursor === undefined ? undefined : nameOf(wanted.cursor)
    this.slots = new Int32Array(this.#roots.length)
    this.#lengths = lengthsOf([
      ...this.#reserved,
      ...this.#roots,
      ...this.#hoisted,
      ...(this.#cursor ? [this.#cursor] : []),
    ])
  }

  /** @returns why the record is rejected, if so */
  find({ bytes, members, first, count }: RecordData): string | undefined {
    const wanted = this.#lengths
    for (let index = 0; index < this.slots.length; index++) this.slots[index] = NOT_MET
    this.odd = false
    this.cursorSlot = NOT_MET
    const end = (first + count) * STRIDE
    for (let slot = first * STRIDE; slot < end; slot += STRIDE) {
      const from = members[slot]!
      // by length alone most members are none of ours; with an escape in it any may be
      if (from >= 0 && wanted[members[slot + 1]! - from] !== 1) continue
      const rejected = this.#note(bytes, from, members[slot + 1]!, slot)
      if (rejected !== undefined) return rejected
    }
    return undefined
  }

  #note(bytes: Buffer, from: number, to: number, slot: number): string | undefined {
    if (isOneOf(bytes, from, to, this.#reserved)) this.odd = true
    if (this.#cursor !== undefined && isName(bytes, from, to, this.#cursor)) this.cursorSlot = slot
    for (let index = 0; index < this.#roots.length; index++) {
      const name = this.#roots[index]!
      if (!isName(bytes, from, to, name)) continue
      if (this.slots[index] !== NOT_MET) return `its key field "${name.text}" occurs twice`
      this.slots[index] = slot
      break
    }
    for (const name of this.#hoisted)
      if (isName(bytes, from, to, name)) return `it has a member "${name.text}", the field a nested key is sent as`
    return undefined
  }
}

function isOneOf(bytes: Buffer, from: number, to: number, names: readonly Name[]): boolean {
  for (const name of names) if (isName(bytes, from, to, name)) return true
  return false
}

function lengthsOf(names: readonly Name[]): Uint8Array {
  const lengths = new Uint8Array(Math.max(0, ...names.map(({ length }) => length)) + 1)
  for (const { length } of names) if (length >= 0) lengths[length] = 1
  return lengths
}
