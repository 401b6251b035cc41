// What makes two points the same row (decisions.md#a-row-is-a-set-of-names-and-values): the set of (name, value) that
// `keys` names. Knows no table.

import { canonicalNumber } from '../json/decimal.ts'
import { nameOf } from '../json/name.ts'
import { ABSENT, lastMember } from '../json/record-data.ts'
import { STRIDE } from '../json/scanner.ts'
import type { Scanner } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'

/** Equal texts, same row. `scanned`: has just gone over the point in `bytes`; `point`: what JSON.parse made of it, its
 *  `keys` free of faults. Of a member that occurs twice the last counts, as it does for JSON.parse. Throws when the
 *  bytes tell another value than `point` does. */
export function rowIdentity(bytes: Buffer, scanned: Scanner, point: Readonly<Record<string, unknown>>): string {
  const names = point['keys'] as readonly string[]
  // The order of names does not matter.
  const sorted = names.length === 1 ? names : [...names].sort()
  let identity = ''
  for (const name of sorted) {
    const value = valueIn(bytes, scanned, name, point[name])
    // With both lengths in front, no two lists of names and values make one text.
    identity += `${name.length}:${value.length}:${name}${value}`
  }
  return identity
}

/** A value's type in one letter, then the value. */
function valueIn(bytes: Buffer, scanned: Scanner, name: string, parsed: unknown): string {
  const index = lastMember(bytes, scanned.members, 0, scanned.count, nameOf(name))
  if (index === ABSENT) throw disagreement()
  const from = scanned.members[index * STRIDE + 2]!
  const to = scanned.members[index * STRIDE + 3]!
  if (typeof parsed === 'string') {
    if (decodeString(bytes, from + 1, to - 1) !== parsed) throw disagreement()
    return `s${parsed}`
  }
  const text = bytes.toString('latin1', from, to)
  if (typeof parsed === 'number') {
    if (Number(text) !== parsed) throw disagreement()
    return `n${canonicalNumber(bytes, from, to)}`
  }
  if (text !== String(parsed)) throw disagreement()
  return `b${text}`
}

function disagreement(): Error {
  return new Error('JSON.parse and the byte scanner found different values in a key field')
}
