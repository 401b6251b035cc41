// Rows of a topic whose keys are the Kafka key's. Knows no format.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import type { RecordData } from '../../json/record-data.ts'
import { RecordKeys } from '../values/record-keys.ts'
import type { KafkaRecord } from '../types.ts'
import { FieldsRows } from '../../mapping/fields-rows.ts'
import type { ItemSlot } from '../../mapping/item-slot.ts'
import type { TopicTable } from '../../mapping/topic-slot.ts'
import { topicWords } from '../../mapping/topic-stream.ts'
import { PlaceRows } from './topic-place-rows.ts'
import type { TopicRows } from './topic-rows.ts'
import { nullKeyStop } from './topic-stops.ts'
import type { RecordOutcome, RecordVerdict } from './topic-verdict.ts'

export class KeyRows<O> implements TopicRows<O> {
  readonly words: string
  readonly #topic: string
  readonly #table: string
  readonly #field: string | undefined
  readonly #isDecoded: boolean
  readonly #nullKeys: TopicConfig['nullKeys']
  readonly #verdict: RecordVerdict
  readonly #keys = new RecordKeys()
  readonly #rows: FieldsRows
  readonly #places: PlaceRows<O>

  /** @param field of a plain key
   *  @param marks whether deleted rows are marked */
  constructor(
    topic: string,
    field: string | undefined,
    {
      nullKeys,
      epoch,
      keyEncoding,
      marks,
    }: Pick<TopicConfig, 'nullKeys' | 'epoch' | 'keyEncoding'> & { marks: boolean },
    table: TopicTable,
    verdict: RecordVerdict,
  ) {
    this.words = topicWords([field ?? 'Kafka key'], table.table.keepLast)
    this.#topic = topic
    this.#table = table.table.name
    this.#field = field
    this.#isDecoded = keyEncoding === 'registry'
    this.#nullKeys = nullKeys
    this.#verdict = verdict
    this.#rows = new FieldsRows(topic, table, marks)
    this.#places = new PlaceRows(topic, epoch, table, verdict)
  }

  live(record: KafkaRecord, partition: number, row: RecordData, slot: ItemSlot<O>): RecordOutcome {
    const kind = this.#read(record)
    if (kind === 'none') return this.#nullKey(record, partition) ?? this.#places.live(record, partition, row, slot)
    if (kind === 'rejected') return this.#verdict.reject(this.#keys.why)
    return this.#rows.live(this.#keys.object, row, slot) ? 'made' : this.#verdict.reject(this.#rows.rejected)
  }

  deleted(record: KafkaRecord, partition: number, _known: RecordData | undefined, slot: ItemSlot<O>): RecordOutcome {
    const kind = this.#read(record)
    if (kind === 'none') {
      if (record.value === null)
        return this.#verdict.reject('the row to mark as deleted is not known: it has no Kafka key')
      return this.#nullKey(record, partition) ?? this.#places.deleted()
    }
    if (kind === 'rejected') return this.#verdict.reject(this.#keys.why)
    return this.#rows.deleted(this.#keys.object, slot) ? 'made' : this.#verdict.reject(this.#rows.rejected)
  }

  moved(): boolean {
    return false
  }

  #read({ key }: KafkaRecord): 'object' | 'none' | 'rejected' {
    if (this.#isDecoded) return this.#keys.decoded(key, this.#field)
    return this.#field === undefined ? this.#keys.fields(key) : this.#keys.plain(key, this.#field)
  }

  /** undefined: such a record is a row of its own.
   *  @throws ConnectorError config */
  #nullKey({ offset }: KafkaRecord, partition: number): RecordOutcome | undefined {
    if (this.#nullKeys === 'stop') throw nullKeyStop({ topic: this.#topic, partition, offset, table: this.#table })
    return this.#nullKeys === 'offset' ? undefined : this.#verdict.reject('it has no Kafka key')
  }
}
