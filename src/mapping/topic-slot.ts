// What a topic's row needs to become a point, and where it is put.

import type { Table } from '../core/types.ts'
import type { HeadSpace } from './head-space.ts'
import type { KeyShapes } from './key-shapes.ts'
import type { ItemSlot } from './item-slot.ts'

/** The part of an item that a row decides. */
export type RowSlot = Pick<
  ItemSlot<unknown>,
  'table' | 'key' | 'head' | 'headFrom' | 'headTo' | 'bytes' | 'from' | 'to' | 'cursorFrom' | 'cursorTo'
>

/** Shared by all topics of one table. */
export interface TopicTable {
  readonly table: Table
  readonly shapes: KeyShapes
  /** Items view it: to be reset only when they are consumed. */
  readonly space: HeadSpace
}
