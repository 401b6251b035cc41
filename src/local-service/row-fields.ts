// A row as the page shows it: its first fields, each short, and one value whole.

import type { JsonKind } from '../json/json-kind.ts'
import { membersOf, textOf, type Member } from './row-members.ts'
import type { StoredRow } from './store.ts'

/** One member of a point. `text`: of a string what it stands for, of anything else its own characters. */
interface ShownField {
  readonly name: string
  readonly kind: JsonKind
  readonly text: string
  /** Bytes of the whole value, a string's without its quotes, when `text` is not all of it. */
  readonly cut?: number
}

export interface ShownRow {
  /** Its place, 1 for the first arrival. */
  readonly n: number
  readonly bytes: number
  /** Milliseconds since 1970. Null when that is not known any more. */
  readonly written_at: number | null
  /** The fields that are shown. */
  readonly fields: readonly ShownField[]
  /** How many there are. */
  readonly count: number
}

const MAX_FIELDS = 500
/** Characters of a value. Names are whole: by them fields are told apart, sorted and filtered. */
const MAX_VALUE = 400
/** A row of more bytes is not looked into. */
const MAX_ROW = 4 * 1024 * 1024

/** A row as it is shown.
 *  @param n its place
 *  @param isLookedInto whether its fields are shown, and not only its size */
export function shownRow({ bytes: row, writtenAt }: StoredRow, n: number, isLookedInto = true): ShownRow {
  const members = isLookedInto && row.length <= MAX_ROW ? membersOf(row) : []
  const fields = members.slice(0, MAX_FIELDS).map(shownField)
  return { n, bytes: row.length, written_at: writtenAt ?? null, fields, count: members.length }
}

/** The own bytes of the value of the row's member `index`, from 0. `undefined` when it has no such member. */
export function memberOf(row: Uint8Array, index: number): Uint8Array | undefined {
  const found = row.length > MAX_ROW ? undefined : membersOf(row)[index]
  return found?.bytes.subarray(found.from, found.to)
}

function shownField(member: Member): ShownField {
  const { name, kind, from, to } = member
  const whole = textOf(member)
  // a piece of a text holds on to all of it; half of a character is none
  const text = Buffer.from(whole.slice(0, MAX_VALUE).replace(/[\ud800-\udbff]$/, '')).toString()
  return whole.length > MAX_VALUE
    ? { name, kind, text, cut: kind === 'string' ? to - from - 2 : to - from }
    : { name, kind, text: whole }
}
