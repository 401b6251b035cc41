// A topic's table: its name, the rows in it, and what topics of one table share.

import type { Table, Key } from '../core/types.ts'
import { keyFields, inKeyOrder, rowPerKey } from './key-fields.ts'
import { reservedNames } from './reserved.ts'
import type { PrefixSpace } from './row-prefix.ts'
import type { KeyField, StreamMapping } from './stream-mapping.ts'
import { tableNameOf } from './table-name.ts'

/** As a stream of the topic's name without namespace would have it: `shop.public.orders` → `shop_public_orders`.
 *  Two topics may come to one name. See decisions.md#a-table-is-named-by-its-stream-alone. */
export function topicTableName(topic: string, prefix = ''): string {
  return tableNameOf(undefined, topic, prefix).table
}

/** Shared by all topics of one table. */
export interface TopicTable {
  readonly table: Table
  readonly shapes: KeyShapes
  /** Items view it: to be reset only when they are consumed. */
  readonly space: PrefixSpace
}

/** What marks a row that was deleted. */
export const DELETED = '__deleted'

/** @param paths names of members down to each key value
 *  @returns undefined when no record can have them all: one would be inside another, or two would be one field */
export function topicKeyFields(paths: readonly (readonly string[])[]): KeyField[] | undefined {
  const choices = paths.map((path) => ({ path, field: undefined }))
  const fields = keyFields(choices, [], reservedNames('keys', []))
  if (typeof fields === 'string' || fields.length === 0) return undefined
  return fields.some(({ field }) => field === DELETED) ? undefined : fields
}

/** A topic whose rows have keys of their own, as the record mapper takes it. */
export function topicStream(topic: string, table: Table, key: readonly KeyField[]): StreamMapping {
  return {
    track: { name: topic },
    table,
    row: 'keys',
    key,
    collapse: false,
    cursor: undefined,
    backward: undefined,
    words: rowPerKey(
      key.map(({ field }) => field),
      table.keepLast,
    ),
    columns: [],
    olderRows: 'not asked',
    refusedRecords: undefined,
    warnings: [],
  }
}

/** Keys of one table that are formed by different fields: they never name one row, though their values may be equal. Of one
 *  table, for as long as its points are under way. */
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
