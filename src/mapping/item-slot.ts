// A record's item that is filled again and again: one a record would be most of a run's garbage.

import type { RecordItem, Table, Track } from '../core/types.ts'

/** It has every member from the start, so that it never changes its shape. */
export type ItemSlot<O> = { -readonly [Member in keyof RecordItem<O>]-?: RecordItem<O>[Member] }

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
