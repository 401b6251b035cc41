// Looks a member up by name in a table the scanner filled. Says when there is more than one; the caller decides.

import { isName } from './name.ts'
import type { Name } from './name.ts'
import { STRIDE } from './scanner.ts'

export const ABSENT = -1
export const SEVERAL = -2

/** The index of the only member of that name among `count` members from `first`; else ABSENT or SEVERAL. */
export function onlyMember(bytes: Buffer, members: Int32Array, first: number, count: number, name: Name): number {
  let found = ABSENT
  for (let index = first; index < first + count; index++) {
    const slot = index * STRIDE
    if (!isName(bytes, members[slot]!, members[slot + 1]!, name)) continue
    if (found !== ABSENT) return SEVERAL
    found = index
  }
  return found
}

/** The index of the last member of that name, or ABSENT. */
export function lastMember(bytes: Buffer, members: Int32Array, first: number, count: number, name: Name): number {
  for (let index = first + count - 1; index >= first; index--) {
    const slot = index * STRIDE
    if (isName(bytes, members[slot]!, members[slot + 1]!, name)) return index
  }
  return ABSENT
}

/** How many members have that name. */
export function countMembers(bytes: Buffer, members: Int32Array, first: number, count: number, name: Name): number {
  let found = 0
  for (let index = first; index < first + count; index++) {
    const slot = index * STRIDE
    if (isName(bytes, members[slot]!, members[slot + 1]!, name)) found++
  }
  return found
}
