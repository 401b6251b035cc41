// A topic's table: its name, its rows, and what topics of one table share.

import type { Table, Key } from '../core/types.ts'
import { keyFields, inKeyOrder } from './key-fields.ts'
import type { MapperSpace } from './mapper-space.ts'
import { reservedNames } from './reserved.ts'
import type { ProvenanceColumn } from './provenance.ts'
import type { Column, KeyField } from './stream-mapping.ts'
import { tableNameOf } from './table-name.ts'

/** The same as for a stream of that name and no namespace: `shop.public.orders` → `shop_public_orders`. Two topics
 *  may get the same name. See decisions.md#a-table-is-named-by-its-stream-alone. */
export function topicTableName(topic: string, prefix = ''): string {
  return tableNameOf(undefined, topic, prefix)
}

/** Shared by all topics of one table. */
export interface TopicTable {
  readonly table: Table
  readonly shapes: KeyShapes
  /** Added to every point. */
  readonly columns: readonly { readonly name: ProvenanceColumn }[]
  /** Items are views of it, so reset it only when they are consumed. */
  readonly space: MapperSpace
}

/** The field that marks a deleted row. */
export const DELETED = '__deleted'

/** @param paths for each key value, the names of members down to it
 *  @returns `undefined` when no record can have them all, because one is inside another or two would be one field */
export function topicKeyFields(
  paths: readonly (readonly string[])[],
  columns: readonly Column[] = [],
): readonly KeyField[] | undefined {
  const choices = paths.map((path) => ({ path, field: undefined }))
  const { key = [] } = keyFields(choices, [], reservedNames('keys', columns))
  return key.length === 0 || key.some(({ field }) => field === DELETED) ? undefined : key
}

/** Tells keys of one table apart that consist of different fields. Such keys never name the same row, though their values may be
 *  equal. Must live as long as points of the table are under way. */
export class KeyShapes {
  #first: string | undefined

  /** The prefix for keys of these fields, in any order. It is empty for the fields that are asked for first, because nearly every
   *  table has one set of them. Keys never begin with `[` as prefixes do (key-atom.ts), and no prefix begins with another one. */
  prefix(fields: readonly string[]): string {
    const shape = JSON.stringify(inKeyOrder(fields))
    this.#first ??= shape
    return shape === this.#first ? '' : shape
  }
}

/** A key with a prefix that `KeyShapes` gave. `undefined` when the key is. */
export function prefixed(key: Key, prefix: string): Key {
  if (prefix === '' || key === undefined) return key
  return typeof key === 'object' ? { exact: prefix + key.exact, fence: prefix + key.fence } : prefix + key
}
