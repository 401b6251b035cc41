// The digests of topics' rows: what identifies the rows of a table, or by which rules records get to several tables.

import { picked } from '../../config/config-of.ts'
import { topicTableName } from '../../mapping/topic-table.ts'
import { digestOf } from '../../telemetry/summary/digests.ts'
import type { InputDigests } from '../../telemetry/summary/digests.ts'
import type { StreamTopics } from './stream-topics.ts'

const DECISIVE = { keys: true, nullKeys: true, epoch: true } as const

/** @param topics of which only those that were met have rows
 *  @param prefix of tables */
export function topicDigests(topics: Pick<StreamTopics, 'find'>, prefix: string): InputDigests {
  const of: InputDigests['of'] = ({ name, table }) => {
    const { entry, mapper } = topics.find(name)
    const to = mapper.table ?? mapper.route?.all.find((one) => one.table.name === table)?.table
    if (to) return digestOf({ table: to.name, ...picked(mapper.rulesOf(to), DECISIVE) })
    const { tables, ...route } = entry.route!
    const named = Array.from(tables, ([value, own]) => [value, own.table ?? topicTableName(value, prefix)] as const)
    return digestOf({ ...route, tables: new Map(named) })
  }
  return { catalog: undefined, of }
}
