// Makes what the page shows of a row: its first fields with the beginnings of their values; and finds the whole value of one of them.

import type { JsonKind } from '../json/json-kind.ts'
import { membersOf, textOf, type Member } from './row-members.ts'
import type { StoredRow } from './store.ts'

/** One member of a row. `text`: the beginning of its value, a string decoded, anything else as it stands in the JSON. */
interface ShownField {
  readonly name: string
  readonly kind: JsonKind
  readonly text: string
  /** How many bytes the whole value has, a string without its quotes. Absent when `text` is the whole value. */
  readonly cut?: number
}

export interface ShownRow {
  /** The row's place in its table, 1 for the first arrival. */
  readonly n: number
  readonly bytes: number
  /** Milliseconds since 1970. Null when that is not known any more. */
  readonly written_at: number | null
  /** The first MAX_FIELDS fields. Empty for a row that was not looked into. */
  readonly fields: readonly ShownField[]
  /** How many fields the row has, 0 when it was not looked into. */
  readonly count: number
}

const MAX_FIELDS = 500
/** Most characters of a value. Names are never cut: by them fields are told apart, sorted and filtered. */
const MAX_VALUE = 400
/** A row of more bytes is not looked into. */
const MAX_ROW_BYTES = 4 * 1024 * 1024

/** A row as it is shown.
 *  @param n its place in the table
 *  @param isLookedInto whether to show its fields, and not only its size */
export function shownRow({ bytes: row, writtenAt }: StoredRow, n: number, isLookedInto = true): ShownRow {
  const members = isLookedInto && row.length <= MAX_ROW_BYTES ? membersOf(row) : []
  const fields = members.slice(0, MAX_FIELDS).map(shownField)
  return { n, bytes: row.length, written_at: writtenAt ?? null, fields, count: members.length }
}

/** The bytes of the value of a row's member, as they were sent. `undefined` when the row has no such member, or is not looked into.
 *  @param index 0 for the first member */
export function memberOf(row: Uint8Array, index: number): Uint8Array | undefined {
  const member = row.length > MAX_ROW_BYTES ? undefined : membersOf(row)[index]
  return member?.bytes.subarray(member.from, member.to)
}

function shownField(member: Member): ShownField {
  const { name, kind, from, to } = member
  const whole = textOf(member)
  // a copy, for a slice would keep the whole text in memory; and without the half of a character that the cut left at its end
  const text = Buffer.from(whole.slice(0, MAX_VALUE).replace(/[\ud800-\udbff]$/, '')).toString()
  return whole.length > MAX_VALUE
    ? { name, kind, text, cut: kind === 'string' ? to - from - '""'.length : to - from }
    : { name, kind, text: whole }
}
