// What a topic's rows are made by: as its configuration says, by members of the value, the Kafka key, or the record's place.

import type { RecordData } from '../../json/record-data.ts'
import type { KafkaRecord } from '../types.ts'
import type { ItemSlot } from '../../mapping/item-slot.ts'
import type { RecordOutcome } from './topic-verdict.ts'

/** Makes points of one topic's rows in the slot given; its origin and what it holds stay. */
export interface TopicRows<O> {
  /** What identifies a row. */
  readonly words: string
  live(record: KafkaRecord, partition: number, row: RecordData, slot: ItemSlot<O>): RecordOutcome
  /** @param known what the record says of the row; of it only the key is believed */
  deleted(record: KafkaRecord, partition: number, known: RecordData | undefined, slot: ItemSlot<O>): RecordOutcome
  /** After `live`: whether the row was of another key before, which then would stay in the table. */
  moved(before: RecordData, slot: ItemSlot<O>): boolean
}
