// Looks a member up by name in a table the scanner filled. Of several the last counts, as for JSON.parse.

import { isName } from './name.ts'
import type { Name } from './name.ts'
import { STRIDE } from './scanner.ts'

export const ABSENT = -1

/** The index of the last member of that name among `count` members from `first`, or ABSENT. */
export function lastMember(bytes: Buffer, members: Int32Array, first: number, count: number, name: Name): number {
  for (let index = first + count - 1; index >= first; index--) {
    const slot = index * STRIDE
    if (isName(bytes, members[slot]!, members[slot + 1]!, name)) return index
  }
  return ABSENT
}
