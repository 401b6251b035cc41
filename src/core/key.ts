// The two levels of a key (decisions.md#keys-are-equal-at-two-levels), whichever way it is written.

import type { Key, KeyAtom } from './types.ts'

/** Points merge only when this is equal. */
export function exactOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.exact : key
}

/** Points with this equal are never in one batch nor in flight together. */
export function fenceOf(key: Key): KeyAtom | undefined {
  return typeof key === 'object' ? key.fence : key
}
