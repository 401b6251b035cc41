// What a topic's formats are given and what they give: where its records go and by which rules, and what becomes of each.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import type { Code } from '../../core/codes.ts'
import type { Table } from '../../core/types.ts'
import type { RecordData } from '../../json/record-data.ts'
import { FieldKinds } from '../../mapping/field-kinds.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord } from '../types.ts'
import type { RecordOutcome } from './record-outcome.ts'
import type { TopicRoute } from './topic-route.ts'
import type { Destination, TopicShared } from './topic-tables.ts'

/** The plan by which one topic's records become rows: where, and by which rules. */
export interface TopicPlan {
  readonly topic: string
  readonly config: TopicConfig
  /** Its one table. `undefined` when it has several, by its route. */
  readonly only: Destination | undefined
  /** There when `only` is not. */
  readonly route: TopicRoute | undefined
  readonly shared: TopicShared
  /** Fields of rows that are not deleted, by table. `undefined` when they are not asked for. */
  readonly fields: Map<Table, FieldKinds> | undefined
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

/** Samples the fields of a row, for the summary of a run. */
export function sampleFields({ fields, shared }: TopicPlan, { table }: Destination, row: RecordData): void {
  if (fields === undefined) return
  let known = fields.get(table)
  if (!known) fields.set(table, (known = new FieldKinds([], shared.allFields)))
  known.see(row)
}
