// What a topic's formats need: where its records go and by which rules, and the words for what is left out.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import type { Code } from '../../core/codes.ts'
import type { Table } from '../../core/types.ts'
import type { RecordData } from '../../json/record-data.ts'
import { FieldKinds } from '../../mapping/field-kinds.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord } from '../types.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'
import type { TopicRoute } from './topic-route.ts'
import type { RecordOutcome } from './topic-rows.ts'
import type { Destination } from './topic-tables.ts'

/** The plan by which one topic's records become rows: where, and by which rules. */
export interface TopicPlan {
  readonly topic: string
  readonly config: TopicConfig
  /** Its one table, or its route to several. */
  readonly only: Destination | undefined
  readonly route: TopicRoute | undefined
  /** Bytes of JSON that a value becomes, unless it is half as long itself; 4 MiB when `undefined`. */
  readonly mostBytes: number | undefined
  /** Fields of the rows of each table. `undefined` when they are not asked for. */
  readonly fields: Map<Table, FieldKinds> | undefined
  readonly allFields?: boolean | undefined
  /** Warns of what is odd about its records, once. */
  readonly warn: WarnOf
}

export type WarnOf = (message: string, code?: Code) => void

/** @throws ConnectorError config where a policy says stop */
export type TopicFormat = (
  record: KafkaRecord,
  partition: number,
  slot: ItemSlot<unknown>,
  before: KeyBefore,
) => RecordOutcome

/** The Kafka key of the record before, of the same partition as it was assigned, where that became the mark of a
 *  deleted row. `undefined` when it did not. */
export type KeyBefore = Buffer | null | undefined

export const TOMBSTONE: Ignored = { ignored: 'tombstone' }
/** A tombstone whose row is not known. */
export const ROWLESS: Ignored = { ignored: 'tombstone without a row' }
/** A delete or an update whose table is not known. */
export const TABLELESS: Ignored = { ignored: 'delete without a table' }

/** @param row `undefined` when the record has none
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
export function see({ fields, allFields }: TopicPlan, to: ReturnType<typeof tableFor>, row: RecordData): void {
  if (fields === undefined || !('rows' in to)) return
  let known = fields.get(to.table)
  if (!known) fields.set(to.table, (known = new FieldKinds([], allFields)))
  known.see(row)
}
