// Members of a record with a name that the point needs for itself: they are renamed by adding `_`, or the record is rejected.

import type { RecordData } from '../json/record-data.ts'
import { NAME_TO, nameStart, STRIDE } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'
import type { Column, RowMapping } from './stream-mapping.ts'

/** The field that identifies rows if every record is a row. */
export const RAW_ID = '_airbyte_raw_id'

/** The names that a stream's points need for themselves. */
export function reservedNames(row: RowMapping['row'], columns: readonly Column[]): string[] {
  return ['keys', ...(row === 'record' ? [RAW_ID] : []), ...columns.map(({ name }) => name)]
}

/** A name, or the new name if it is reserved (`renameReserved` writes the same). */
export function renamed(name: string, reserved: readonly string[]): string {
  return reserved.includes(name) ? `${name}_` : name
}

/** The record's data with every reserved member renamed, otherwise byte for byte. The new name is written without escapes. The record
 *  is rejected if a reserved name occurs twice, because receivers disagree which one counts, or if the new name is taken.
 *  @param hoisted fields that the point has besides the record's own
 *  @returns the data; or, as a text, why the record is rejected
 *  See decisions.md#reserved-members-are-renamed and decisions.md#of-equal-members-the-last-counts. */
export function renameReserved(
  record: RecordData,
  reserved: readonly string[],
  hoisted: readonly string[],
): Buffer | string {
  const { bytes, members, first, count } = record
  const otherNames = new Set<string>(hoisted)
  const parts: Buffer[] = []
  const renamedNames: string[] = []
  let copiedTo = record.from
  for (let index = first; index < first + count; index++) {
    const slot = index * STRIDE
    const from = nameStart(members[slot]!)
    const to = members[slot + NAME_TO]!
    const name = decodeString(bytes, from, to)
    if (!reserved.includes(name)) {
      otherNames.add(name)
      continue
    }
    if (renamedNames.includes(name)) return `the member "${name}", a name the service reserves, occurs twice`
    renamedNames.push(name)
    parts.push(bytes.subarray(copiedTo, from), Buffer.from(`${name}_`))
    copiedTo = to
  }
  const taken = renamedNames.find((name) => otherNames.has(`${name}_`))
  if (taken !== undefined)
    return `the member "${taken}" must be renamed "${taken}_", and there is a member of that name`
  parts.push(bytes.subarray(copiedTo, record.to))
  return Buffer.concat(parts)
}
