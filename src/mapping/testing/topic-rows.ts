// For tests: what rows of a topic need, and what stands in a slot.

import type { Key } from '../../core/types.ts'
import { HeadSpace } from '../head-space.ts'
import { KeyShapes } from '../key-shapes.ts'
import type { RowSlot, TopicTable } from '../topic-slot.ts'

export function newTopicTable(): TopicTable {
  return { table: { name: 'orders', keepLast: true }, shapes: new KeyShapes(), space: new HeadSpace() }
}

export function pointIn({ head, headFrom, headTo, bytes, from, to, key }: RowSlot): { point: string; key: Key } {
  return { point: Buffer.concat([head.subarray(headFrom, headTo), bytes.subarray(from, to)]).toString(), key }
}
