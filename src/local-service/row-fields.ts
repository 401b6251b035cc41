// The fields of a row: of its bytes, without making objects of what is in them, and short enough to be shown.

import { jsonKindOf } from '../json/json-kind.ts'
import type { JsonKind } from '../json/json-kind.ts'
import { memberName } from '../json/record-data.ts'
import { Scanner, STRIDE } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'
import type { StoredRow } from './store.ts'

/** One member of a point. `text`: of a string what it stands for, of anything else its own characters. */
export interface ShownField {
  readonly name: string
  readonly kind: JsonKind
  readonly text: string
  /** Bytes of the whole value, when `text` is not all of it. */
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

export function shownRow({ bytes: row, writtenAt }: StoredRow, n: number): ShownRow {
  const members = row.length > MAX_ROW ? [] : membersOf(row)
  const fields = members.slice(0, MAX_FIELDS).map(shownField)
  return { n, bytes: row.length, written_at: writtenAt ?? null, fields, count: members.length }
}

/** The own bytes of the value of the row's member `index`, from 0. `undefined` when it has no such member. */
export function memberOf(row: Uint8Array, index: number): Uint8Array | undefined {
  const found = row.length > MAX_ROW ? undefined : membersOf(row)[index]
  return found?.bytes.subarray(found.from, found.to)
}

/** A member of a row: its value is bytes[from, to). */
export interface Member {
  readonly name: string
  readonly kind: JsonKind
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
}

const scanner = new Scanner()

/** Members in the order they came; of a name that is there twice both. */
export function membersOf(row: Uint8Array): readonly Member[] {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.length)
  scanner.start(bytes, 0, bytes.length)
  if (!scanner.table()) return []
  const members = scannedMembers(bytes, scanner)
  scanner.forget()
  return members
}

/** Members of an object in the order they came, without another scan.
 *  @param scanned has just gone over the object in `bytes` by `table` */
export function scannedMembers(bytes: Buffer, { members, count }: Scanner): readonly Member[] {
  return Array.from({ length: count }, (_, index) => {
    const slot = index * STRIDE
    const from = members[slot + 2]!
    const name = memberName(bytes, members, slot)
    return { name, kind: jsonKindOf(bytes[from]!), bytes, from, to: members[slot + 3]! }
  })
}

/** The text of a value: of a string what it stands for, of anything else its own characters. */
export function textOf({ kind, bytes, from, to }: Member): string {
  return kind === 'string' ? decodeString(bytes, from + 1, to - 1) : bytes.toString('utf8', from, to)
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
