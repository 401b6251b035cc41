// Says of a record that lacks a field which names it has instead, and which of them was probably meant.

import { BRACE } from '../json/bytes.ts'
import type { Name } from '../json/name.ts'
import { ABSENT, lastMember, memberName, RecordData } from '../json/record-data.ts'
import { STRIDE, VALUE_FROM, VALUE_TO, type Scanner } from '../json/scanner.ts'
import { didYouMean } from '../text/nearest-name.ts'
import { shortened } from '../text/printable.ts'

/** Most names that are looked at. */
const MOST_FOUND = 100
/** Most names that a text shows, and most characters of one. */
const MOST_SHOWN = 10
const LONGEST_SHOWN = 60

/** Finds the names beside which a field that is missing would stand, as far down its path as there are objects.
 *  @returns the first 100 of them */
export function namesBeside(row: RecordData, path: readonly Name[], scanner: Scanner): string[] {
  let object = row
  for (const name of path.slice(0, -1)) {
    const { bytes, members, first, count } = object
    const index = lastMember(bytes, members, first, count, name)
    if (index === ABSENT || bytes[members[index * STRIDE + VALUE_FROM]!] !== BRACE) break
    const inner = new RecordData()
    inner.locate(scanner, bytes, members[index * STRIDE + VALUE_FROM]!, members[index * STRIDE + VALUE_TO]!)
    object = inner
  }
  const { bytes, members, first, count } = object
  return Array.from({ length: Math.min(count, MOST_FOUND) }, (_, at) =>
    memberName(bytes, members, (first + at) * STRIDE),
  )
}

/** Lists names as a text shows them. */
export function shownNames(names: readonly string[]): string {
  const listed = names.slice(0, MOST_SHOWN).map((name) => JSON.stringify(shortened(name, LONGEST_SHOWN)))
  return `${listed.join(', ')}${names.length > MOST_SHOWN ? ' and others' : ''}`
}

/** Makes the sentences that help where a key field is missing.
 *  @param missing the last name of the field's path
 *  @param names of the fields beside it
 *  @returns `undefined` when there are none */
export function missingHint(missing: string, names: readonly string[]): string | undefined {
  // ' Did you mean "id"?' or '', as `didYouMean` has it
  const meant = didYouMean(missing, names).replace(/\?$/, ' in `keys`?')
  return names.length === 0 ? undefined : `It has ${shownNames(names)}.${meant}`
}
