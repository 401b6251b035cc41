// A topic's table: its name, its rows, and what topics of one table share.

import type { Table, Key } from '../core/types.ts'
import { keyFields, inKeyOrder } from './key-fields.ts'
import type { MapperSpace } from './mapper-space.ts'
import { reservedNames } from './reserved.ts'
import type { ProvenanceColumn } from './provenance.ts'
import type { Column, KeyField } from './stream-mapping.ts'
import { tableNameOf } from './table-name.ts'

/** Names the table as that of a stream that has the name of the topic and no namespace: `shop.public.orders` → `shop_public_orders`. Two
 *  topics may get the same name. See decisions.md#a-table-is-named-by-its-stream-alone. */
export function topicTableName(topic: string, prefix = ''): string {
  return tableNameOf(undefined, topic, prefix)
}

/** The parts that all topics of one table share. */
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

/** Decides the fields of a key of topics, which declare no members, as `keyFields` does for streams.
 *  @param paths for each key value, the names of members down to it
 *  @returns `undefined` when no record can have them all, because one is inside another or two would be one field; or when one would be
 *  the mark of deleted rows */
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
  #firstShape: string | undefined

  /** The prefix for keys of these fields, in any order. It is empty for the fields that are asked for first, because nearly every
   *  table has one set of them. Keys never begin with `[` as prefixes do (key-atom.ts), and no prefix begins with another one. */
  prefix(fields: readonly string[]): string {
    const shape = JSON.stringify(inKeyOrder(fields))
    this.#firstShape ??= shape
    return shape === this.#firstShape ? '' : shape
  }
}

/** Puts a prefix of `KeyShapes` in front of a key, at both its levels. `undefined` when the key is. */
export function prefixed(key: Key, prefix: string): Key {
  if (prefix === '' || key === undefined) return key
  return typeof key === 'object' ? { exact: prefix + key.exact, fence: prefix + key.fence } : prefix + key
}
