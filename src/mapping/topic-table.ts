// The table of a topic that has none of its own, by name alone.

import { tableName } from './table-name.ts'

/** As a stream of the topic's name without namespace would have it: `shop.public.orders` → `shop_public_orders`.
 *  Two topics may come to one name. See decisions.md#a-table-is-named-by-its-stream-alone. */
export function topicTableName(topic: string, prefix = ''): string {
  return tableName(undefined, topic, prefix).table
}
