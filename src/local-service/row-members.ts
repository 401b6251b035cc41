// Finds the members of a row in its bytes, without parsing their values.

import { jsonKindOf, type JsonKind } from '../json/json-kind.ts'
import { memberName } from '../json/record-data.ts'
import { Scanner, STRIDE, VALUE_FROM, VALUE_TO } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'

/** A member of a row: its value is bytes[from, to). */
export interface Member {
  readonly name: string
  readonly kind: JsonKind
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
}

/** Used by one call at a time, which ends with `forget`: else it would hold on to the bytes of the row. */
const scanner = new Scanner()

/** The members of a row in their order, two of one name too. [] when the row is no object. */
export function membersOf(row: Uint8Array): readonly Member[] {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.length)
  scanner.start(bytes, 0, bytes.length)
  if (!scanner.table()) return []
  const members = scannedMembers(bytes, scanner)
  scanner.forget()
  return members
}

/** The members of an object in their order, by what a scanner found.
 *  @param scanned a scanner whose last call was `table()`, on this object in `bytes` */
export function scannedMembers(bytes: Buffer, { members, count }: Scanner): readonly Member[] {
  return Array.from({ length: count }, (_, index) => {
    const slot = index * STRIDE
    const from = members[slot + VALUE_FROM]!
    const name = memberName(bytes, members, slot)
    return { name, kind: jsonKindOf(bytes[from]!), bytes, from, to: members[slot + VALUE_TO]! }
  })
}

/** The text of a value: a string decoded from what is between its quotes, anything else as it stands in the JSON. */
export function textOf({ kind, bytes, from, to }: Member): string {
  return kind === 'string' ? decodeString(bytes, from + 1, to - 1) : bytes.toString('utf8', from, to)
}
