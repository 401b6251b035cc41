// The tables of topics: what identifies the rows of each, and what topics that share a table have in common.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { Table } from '../../core/types.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import type { ProvenanceColumn } from '../../mapping/provenance.ts'
import { KeyShapes, topicKeyFields, type TopicTable } from '../../mapping/topic-table.ts'
import { PlaceRows } from './place-rows.ts'
import { KeyRows, ValueRows, type TopicRows } from './topic-rows.ts'

/** State that all topics of a run share. `tables` and `owners` are filled as topics get their tables. */
export interface TopicShared {
  /** Memory that items are views of: to be reset only when they are consumed. */
  readonly space: MapperSpace
  /** The text in front of a table's name that is made of a topic's name or a value. */
  readonly prefix: string
  /** Tables by name: topics of one table have one object for it. */
  readonly tables: Map<string, TopicTable>
  /** The topics that have a table, by its name in small letters, each with whether it shares the table (`shared_table`). */
  readonly owners: Map<string, Map<string, { readonly shares: boolean }>>
  /** Most bytes that the decimals of a value may become as texts; 4 MiB when `undefined`. Twice the value's bytes are always allowed. */
  readonly mostBytes: number | undefined
  readonly metadataColumns: readonly ProvenanceColumn[]
  /** Whether the fields of records are noted, for the summary of a run. */
  readonly samplesFields?: boolean
  /** Whether the fields of all records are noted, and not only those of some. */
  readonly allFields?: boolean
}

/** Makes the state with which a run begins, when no topic has a table yet. Parameters are as in `TopicShared`. */
export function topicShared(
  prefix: string,
  space = new MapperSpace(),
  mostBytes?: number,
  metadataColumns: readonly ProvenanceColumn[] = [],
): TopicShared {
  return { space, prefix, tables: new Map(), owners: new Map(), mostBytes, metadataColumns }
}

/** A table of one topic, and by which rules records become its rows. */
export interface Destination {
  readonly table: Table
  readonly rules: TopicConfig
  readonly rows: TopicRows
}

/** Makes a destination of a topic, and notes in `shared` that the topic has the table.
 *  @param name of the table
 *  @throws ConnectorError config when the options do not identify the table's rows, or another topic has it with another keep_last */
export function destination(topic: string, name: string, rules: TopicConfig, shared: TopicShared): Destination {
  const table = tableOf(topic, name, rules, shared)
  return { table: table.table, rules, rows: rowsOf(topic, rules, table) }
}

/** Whether another topic has the table already, and one of the two does not share it.
 *  @param shares whether this topic does */
export function isTaken(topic: string, name: string, shares: boolean, { owners }: TopicShared): boolean {
  const topics = [...(owners.get(name.toLowerCase()) ?? [])]
  return topics.some(([other, owner]) => other !== topic && !(shares && owner.shares))
}

function tableOf(topic: string, name: string, rules: TopicConfig, shared: TopicShared): TopicTable {
  const { space, tables, owners, metadataColumns } = shared
  const known = tables.get(name)
  if (known && known.table.keepLast !== rules.keepLast)
    throw unstorable(topic, `its table "${name}" is that of another topic with another keep_last. Give both the same.`)
  const topics = owners.get(name.toLowerCase()) ?? new Map<string, { readonly shares: boolean }>()
  owners.set(name.toLowerCase(), topics.set(topic, { shares: rules.sharedTable }))
  if (known) return known
  const columns = metadataColumns.map((name) => ({ name }))
  const table = { table: { name, keepLast: rules.keepLast }, shapes: new KeyShapes(), columns, space }
  tables.set(name, table)
  return table
}

function rowsOf(topic: string, config: TopicConfig, table: TopicTable): TopicRows {
  const { keys, tombstones, format } = config
  if (keys.from === 'key') {
    if (keys.field === '__deleted')
      throw unstorable(topic, 'its key field cannot be "__deleted", which marks deleted rows. Choose another field.')
    const marksDeleted = format === 'debezium' || tombstones === 'mark'
    return new KeyRows(topic, keys.field, config, marksDeleted, table)
  }
  if (keys.from === 'offset') {
    if (format !== 'debezium' && tombstones === 'mark')
      throw unstorable(
        topic,
        'with keys from the offset, a tombstone names no row to mark. Choose other keys or tombstones.',
      )
    return new PlaceRows(topic, keys.epoch, table)
  }
  const fields = topicKeyFields(keys.paths, table.columns)
  if (fields) return new ValueRows(topic, fields, tombstones === 'mark', table)
  const shown = keys.paths.map((path) => JSON.stringify(path.join('.'))).join(', ')
  throw unstorable(
    topic,
    `its keys ${shown} cannot be those of a row: there are none, one is inside another, two would be one field, or one would be named "__deleted" or as a metadata column. Choose other keys.`,
  )
}

function unstorable(topic: string, message: string): ConnectorError {
  return new ConnectorError('config', 'topic.unstorable', `Topic "${topic}": ${message}`, { track: { name: topic } })
}
