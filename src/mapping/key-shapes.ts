// Keys of one table that are formed by different fields: they never name one row, though their values may be equal.

import type { Key } from '../core/types.ts'
import { inKeyOrder } from './key-order.ts'

/** Of one table, for as long as its points are under way. */
export class KeyShapes {
  #first: string | undefined

  /** What goes in front of the keys of these fields, in whatever order: nothing for those asked about first, as nearly
   *  every table has one set of them. No key begins as such a prefix does, with `[` (key-atom.ts), and no prefix begins
   *  with another one. */
  prefix(fields: readonly string[]): string {
    const shape = JSON.stringify(inKeyOrder(fields))
    this.#first ??= shape
    return shape === this.#first ? '' : shape
  }
}

export function prefixed(key: Key, prefix: string): Key {
  if (prefix === '' || key === undefined) return key
  return typeof key === 'object' ? { exact: prefix + key.exact, fence: prefix + key.fence } : prefix + key
}
