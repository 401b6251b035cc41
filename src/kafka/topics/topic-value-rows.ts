// Rows of a topic whose keys are members of the value. Knows no format.

import { fenceOf } from '../../core/key.ts'
import type { RecordData } from '../../json/record-data.ts'
import { RecordKeys } from '../values/record-keys.ts'
import type { KafkaRecord } from '../types.ts'
import { DeletedRows } from '../../mapping/deleted-rows.ts'
import { prefixed } from '../../mapping/key-shapes.ts'
import { Occurrences } from '../../mapping/occurrences.ts'
import { createRecordMapper } from '../../mapping/record-mapper.ts'
import type { KeyField, RecordMapper } from '../../mapping/stream-mapping.ts'
import type { ItemSlot } from '../../mapping/item-slot.ts'
import type { TopicTable } from '../../mapping/topic-slot.ts'
import { topicStream, topicWords } from '../../mapping/topic-stream.ts'
import type { TopicRows } from './topic-rows.ts'
import type { RecordOutcome, RecordVerdict } from './topic-verdict.ts'

export class ValueRows<O> implements TopicRows<O> {
  readonly words: string
  readonly #verdict: RecordVerdict
  readonly #mapper: RecordMapper<O>
  readonly #deleted: DeletedRows
  readonly #prefix: string
  readonly #keys = new RecordKeys()

  constructor(topic: string, fields: readonly KeyField[], table: TopicTable, verdict: RecordVerdict) {
    const names = fields.map(({ field }) => field)
    this.words = topicWords(names, table.table.keepLast)
    this.#verdict = verdict
    this.#prefix = table.shapes.prefix(names)
    this.#deleted = new DeletedRows(fields, table)
    const stream = topicStream(topic, table.table, fields)
    this.#mapper = createRecordMapper<O>(stream, { occurrences: new Occurrences(), space: table.space })
  }

  live(_record: KafkaRecord, _partition: number, row: RecordData, slot: ItemSlot<O>): RecordOutcome {
    const item = this.#mapper.map(row, slot.origin, slot.held, slot)
    if (item.kind === 'rejected') return this.#verdict.reject(item.reason)
    if (this.#prefix !== '') slot.key = prefixed(slot.key, this.#prefix)
    return 'made'
  }

  /** The key is that of the row, or else the Kafka key's fields of these names. */
  deleted(record: KafkaRecord, _partition: number, known: RecordData | undefined, slot: ItemSlot<O>): RecordOutcome {
    if (known && this.#deleted.read(known)) {
      this.#deleted.write(known, slot)
      return 'made'
    }
    const inRow = known ? this.#deleted.rejected : undefined
    const keys = this.#keys
    const kind = keys.fields(record.key)
    if (kind === 'object' && this.#deleted.read(keys.object)) {
      this.#deleted.write(keys.object, slot)
      return 'made'
    }
    if (inRow !== undefined) return this.#verdict.reject(inRow)
    if (kind === 'none') return this.#verdict.reject('the row to mark as deleted is not known: it has no Kafka key')
    const why = kind === 'rejected' ? keys.why : `${this.#deleted.rejected} in the Kafka key`
    return this.#verdict.reject(`the row to mark as deleted is not known: ${why}`)
  }

  moved(before: RecordData, slot: ItemSlot<O>): boolean {
    return this.#deleted.read(before) && fenceOf(this.#deleted.key) !== fenceOf(slot.key)
  }
}
