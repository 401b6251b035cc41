// The parts that all formats of topics (json, airbyte, debezium) share: the plan that one is made of, its interface, and samples of fields.

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

/** The plan by which one topic's records become rows: in which tables, and by which rules. */
export interface TopicPlan {
  readonly topic: string
  readonly config: TopicConfig
  /** The destination of all its records. `undefined` when it has a `route`. */
  readonly only: Destination | undefined
  /** Finds the table of each record. `undefined` when all go to one (`only`). */
  readonly route: TopicRoute | undefined
  readonly shared: TopicShared
  /** Samples of the fields of each table's rows, deleted rows left out (`sampleFields`). `undefined` when no summary asks for them. */
  readonly fields: Map<Table, FieldKinds> | undefined
  readonly warn: WarnOf
}

/** Warns of what is odd about a topic's records, to be called once for each oddity. */
export type WarnOf = (message: string, code?: Code) => void

/** Reads the records of one topic, one after another. */
export interface TopicFormat {
  /** Reads one record, and makes its row or mark if it becomes one.
   *  @param slot the item that is reused for each record, to be filled: `origin` and `held` are set already, `track` is set afterwards
   *  @throws ConnectorError config where a policy says stop */
  outcome(record: KafkaRecord, partition: number, slot: ItemSlot<unknown>, marked: MarkedKey): RecordOutcome
}

/** The Kafka key (null if it had none) of the record before, if that became the mark of a deleted row: then a tombstone with the same key
 *  says nothing new. `undefined` when it became anything else, or was not of the same assignment of the partition. */
export type MarkedKey = Buffer | null | undefined

/** Samples the fields of a row, where the summary of a run asks for them. */
export function sampleFields({ fields, shared }: TopicPlan, { table }: Destination, row: RecordData): void {
  if (fields === undefined) return
  let ofTable = fields.get(table)
  // a topic declares no fields
  if (!ofTable) fields.set(table, (ofTable = new FieldKinds([], shared.allFields)))
  ofTable.see(row)
}
