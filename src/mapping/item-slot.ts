// An item to be filled by a mapper, with values of every type in it so that it never changes its shape.

import type { Table, Track } from '../core/types.ts'
import type { ItemSlot } from './stream-mapping.ts'

const NOTHING = Buffer.alloc(0)
const NOWHERE: Track & Table = { name: '', keepLast: true }

/** @param origin stands for none yet */
export function emptySlot<O>(origin: O): ItemSlot<O> {
  return {
    kind: 'record',
    track: NOWHERE,
    table: NOWHERE,
    key: undefined,
    head: NOTHING,
    headFrom: 0,
    headTo: 0,
    bytes: NOTHING,
    from: 0,
    to: 0,
    cursorFrom: 0,
    cursorTo: 0,
    origin,
    held: 0,
  }
}
