// For tests: what rows of a topic need, and what stands in a slot.

import type { Key } from '../../core/types.ts'
import { MapperSpace } from '../mapper-space.ts'
import type { ItemSlot } from '../stream-mapping.ts'
import { KeyShapes, type TopicTable } from '../topic-table.ts'

export function newTopicTable(): TopicTable {
  return { table: { name: 'orders', keepLast: true }, shapes: new KeyShapes(), columns: [], space: new MapperSpace() }
}

type Point = Pick<ItemSlot<unknown>, 'head' | 'headFrom' | 'headTo' | 'bytes' | 'from' | 'to' | 'key'>

export function pointIn({ head, headFrom, headTo, bytes, from, to, key }: Point): { point: string; key: Key } {
  return { point: Buffer.concat([head.subarray(headFrom, headTo), bytes.subarray(from, to)]).toString(), key }
}
