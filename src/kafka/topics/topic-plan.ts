// What a topic's formats are given and what they give: where its records go and by which rules, and what becomes of each.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import type { Code } from '../../core/codes.ts'
import type { Table } from '../../core/types.ts'
import type { RecordData } from '../../json/record-data.ts'
import { FieldKinds } from '../../mapping/field-kinds.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord } from '../types.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'
import type { RecordOutcome } from './record-outcome.ts'
import type { TopicRoute } from './topic-route.ts'
import type { Destination } from './topic-tables.ts'

/** The plan by which one topic's records become rows: where, and by which rules. */
export interface TopicPlan {
  readonly topic: string
  readonly config: TopicConfig
  /** Its one table. `undefined` when it has several, by its route. */
  readonly only: Destination | undefined
  /** There when `only` is not. */
  readonly route: TopicRoute | undefined
  /** Bytes of JSON that a value becomes, unless it is half as long itself; 4 MiB when `undefined`. */
  readonly mostBytes: number | undefined
  /** Fields of the rows of each table. `undefined` when they are not asked for. */
  readonly fields: Map<Table, FieldKinds> | undefined
  /** Whether they are looked at in every row, and not only in some. */
  readonly allFields?: boolean | undefined
  /** Warns of what is odd about its records, once. */
  readonly warn: WarnOf
}

export type WarnOf = (message: string, code?: Code) => void

/** Reads the records of one topic, one after another. */
export interface TopicFormat {
  /** @param slot its origin and what it holds are set; where a row is made, the rest is filled
   *  @throws ConnectorError config where a policy says stop */
  outcome(record: KafkaRecord, partition: number, slot: ItemSlot<unknown>, marked: MarkedKey): RecordOutcome
}

/** The Kafka key of the record before, of the same partition as it was assigned, where that became the mark of a
 *  deleted row. `undefined` when it did not. */
export type MarkedKey = Buffer | null | undefined

/** The table of a record, or what becomes of a record that has none.
 *  @param row `undefined` when the record has none
 *  @param origin the stream or source table that its format names */
export function tableFor(
  { only, route }: TopicPlan,
  record: KafkaRecord,
  partition: number,
  row?: RecordData,
  origin?: string,
): Destination | Ignored | RejectedValue {
  return only ?? route!.find(record, partition, row, origin)
}

/** Samples the fields of a row, for the summary of a run. */
export function sampleFields({ fields, allFields }: TopicPlan, { table }: Destination, row: RecordData): void {
  if (fields === undefined) return
  let known = fields.get(table)
  if (!known) fields.set(table, (known = new FieldKinds([], allFields)))
  known.see(row)
}
