// The digests of topics' rows: what identifies the rows of a table, or by which rules records get to several tables.

import { picked } from '../../config/config-of.ts'
import { topicTableName } from '../../mapping/topic-table.ts'
import { digestOf } from '../../telemetry/summary/digests.ts'
import type { InputDigests } from '../../run/open-input.ts'
import type { StreamTopics } from './stream-topics.ts'

/** @param prefix of tables that have no name of their own. Only topics that were met have rows. */
export function topicDigests(topics: Pick<StreamTopics, 'find'>, prefix: string): InputDigests {
  const of: InputDigests['of'] = ({ name, table }) => {
    const { entry, mapper } = topics.find(name)
    const to = mapper.table ?? mapper.route?.all.find((one) => one.table.name === table)?.table
    if (to)
      return digestOf({ table: to.name, ...picked(mapper.rulesOf(to), { keys: true, nullKeys: true, epoch: true }) })
    const { tables, ...route } = entry.route!
    const named = Array.from(tables, ([value, own]) => [value, own.table ?? topicTableName(value, prefix)] as const)
    return digestOf({ ...route, tables: new Map(named) })
  }
  return { catalog: undefined, of }
}
