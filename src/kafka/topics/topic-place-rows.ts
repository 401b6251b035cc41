// Rows of a topic whose every record is one, by its place. Knows no format.

import type { RecordData } from '../../json/record-data.ts'
import type { KafkaRecord } from '../types.ts'
import { OFFSET_WORDS, OffsetRows } from '../../mapping/offset-rows.ts'
import type { ItemSlot } from '../../mapping/item-slot.ts'
import type { TopicTable } from '../../mapping/topic-slot.ts'
import type { TopicRows } from './topic-rows.ts'
import type { RecordOutcome, RecordVerdict } from './topic-verdict.ts'

export class PlaceRows<O> implements TopicRows<O> {
  readonly words = OFFSET_WORDS
  readonly #verdict: RecordVerdict
  readonly #rows: OffsetRows

  constructor(topic: string, epoch: number, table: TopicTable, verdict: RecordVerdict) {
    this.#verdict = verdict
    this.#rows = new OffsetRows(topic, epoch, table)
  }

  live(record: KafkaRecord, partition: number, row: RecordData, slot: ItemSlot<O>): RecordOutcome {
    const rejected = this.#rows.write(row, partition, record.offset, slot)
    return rejected === undefined ? 'made' : this.#verdict.reject(rejected)
  }

  deleted(): RecordOutcome {
    return this.#verdict.ignore('delete')
  }

  moved(): boolean {
    return false
  }
}
