// Which row a topic's record is: its key comes from members of the value, from the Kafka key, or from the record's place, as the
// topic's configuration says.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { exactOf, fenceOf } from '../../core/key.ts'
import type { RecordData } from '../../json/record-data.ts'
import { FieldsRows } from '../../mapping/fields-rows.ts'
import { rowPerKey } from '../../mapping/key-fields.ts'
import { KeyedRows } from '../../mapping/keyed-rows.ts'
import type { ItemSlot, KeyField } from '../../mapping/stream-mapping.ts'
import type { TopicTable } from '../../mapping/topic-table.ts'
import type { KafkaRecord } from '../types.ts'
import type { RejectedValue } from '../values/read-object.ts'
import { RecordKeys, type KeyFound } from '../values/record-keys.ts'
import { PlaceRows } from './place-rows.ts'
import { MARK, policyStop, ROW, type RecordOutcome } from './record-outcome.ts'

type Slot = ItemSlot<unknown>

/** Makes points of one topic's rows in the slot given; its origin and what it holds stay. */
export interface TopicRows {
  /** Words for what identifies a row. */
  readonly words: string
  live(record: KafkaRecord, partition: number, row: RecordData, slot: Slot): RecordOutcome
  /** @param known what the record says of the row; of it only the key is believed */
  deleted(record: KafkaRecord, partition: number, known: RecordData | undefined, slot: Slot): RecordOutcome
  /** Marks the row that a record without a value names by its Kafka key.
   *  @returns rejected: it names none */
  gone(record: KafkaRecord, slot: Slot): RecordOutcome
  /** Whether the row that `live` made was of another key before, which then would stay in the table. Absent when no row's key changes. */
  moved?(before: RecordData, slot: Slot): boolean
}

const NO_KEY: RejectedValue = { rejected: 'it has no Kafka key' }
const ROW_UNKNOWN = 'the row to mark as deleted is not known'
export const UNKNOWN_WITHOUT_KEY: RejectedValue = { rejected: `${ROW_UNKNOWN}: it has no Kafka key` }
const SPELT_OTHERWISE: RejectedValue = {
  rejected: `${ROW_UNKNOWN}: its Kafka key spells the key fields otherwise than the rows do`,
}

/** Keys are members of the value. */
export class ValueRows implements TopicRows {
  readonly words: string
  readonly #rows: KeyedRows
  /** Made for the first row that its value does not name. */
  #keys: RecordKeys | undefined
  /** Whether the Kafka key of the live row that was compared last spells the fields otherwise than its value does: decimals are texts where
   *  a schema says what they are, and base64 elsewhere. */
  #keysDiffer = false
  /** Whether the next live row is to be compared: the first one, and the first behind each tombstone. */
  #isToCompare: boolean

  /** @param tombstonesMark whether a record without a value marks the row that its Kafka key names */
  constructor(topic: string, fields: readonly KeyField[], tombstonesMark: boolean, table: TopicTable) {
    this.#isToCompare = tombstonesMark
    const names = fields.map(({ field }) => field)
    this.words = rowPerKey(names, table.table.keepLast)
    this.#rows = new KeyedRows(topic, fields, table)
  }

  live(record: KafkaRecord, _partition: number, row: RecordData, slot: Slot): RecordOutcome {
    const item = this.#rows.live(row, slot)
    if (item) return { rejected: item.reason, hint: item.hint }
    if (this.#isToCompare) this.#compare(record, slot)
    return ROW
  }

  #compare(record: KafkaRecord, slot: Slot): void {
    this.#isToCompare = false
    // exact: the service may keep rows apart whose keys are only spelt otherwise, and the mark would be a row of its own
    this.#keysDiffer = this.#readKafkaKey(record) === undefined && exactOf(this.#rows.key) !== exactOf(slot.key)
  }

  /** Marks the row of the key that `known` has, or else the Kafka key's fields of these names. */
  deleted(record: KafkaRecord, _partition: number, known: RecordData | undefined, slot: Slot): RecordOutcome {
    const inRow = known && this.#rows.read(known)
    if (known && inRow === undefined) return this.#mark(known, slot)
    const problem = this.#readKafkaKey(record)
    if (problem) return inRow === undefined ? problem : { rejected: inRow }
    return this.#mark(this.#keys!.object, slot)
  }

  gone(record: KafkaRecord, slot: Slot): RecordOutcome {
    this.#isToCompare = true
    const problem = this.#keysDiffer ? SPELT_OTHERWISE : this.#readKafkaKey(record)
    return problem ?? this.#mark(this.#keys!.object, slot)
  }

  /** @param named what `#rows` has just read the key of */
  #mark(named: RecordData, slot: Slot): RecordOutcome {
    this.#rows.mark(named, slot)
    return MARK
  }

  /** Reads the key from fields of these names in the Kafka key.
   *  @returns why it cannot; `undefined` when it did */
  #readKafkaKey({ key }: KafkaRecord): RejectedValue | undefined {
    const keys = (this.#keys ??= new RecordKeys())
    const found = keys.fields(key)
    if (found === 'none') return UNKNOWN_WITHOUT_KEY
    if (found !== 'object') return { rejected: `${ROW_UNKNOWN}: ${found.rejected}` }
    const rejected = this.#rows.read(keys.object)
    return rejected === undefined ? undefined : { rejected: `${ROW_UNKNOWN}: ${rejected} in the Kafka key` }
  }

  moved(before: RecordData, slot: Slot): boolean {
    // by the fence: a key that is only spelt otherwise may be that of the same row
    return this.#rows.read(before) === undefined && fenceOf(this.#rows.key) !== fenceOf(slot.key)
  }
}

type KeyOptions = Pick<TopicConfig, 'nullKeys' | 'epoch' | 'keyEncoding' | 'keys'>

/** Keys are the Kafka key's. */
export class KeyRows implements TopicRows {
  readonly words: string
  readonly #topic: string
  readonly #table: string
  readonly #field: string | undefined
  readonly #options: KeyOptions
  /** Made at the first record. */
  #made: RecordKeys | undefined
  readonly #rows: FieldsRows
  readonly #places: PlaceRows

  /** @param field of a plain key
   *  @param marks whether deleted rows are marked, after a delete or a tombstone */
  constructor(topic: string, field: string | undefined, options: KeyOptions, marks: boolean, table: TopicTable) {
    this.words = rowPerKey([field ?? 'Kafka key'], table.table.keepLast)
    this.#topic = topic
    this.#table = table.table.name
    this.#field = field
    this.#options = options
    this.#rows = new FieldsRows(topic, table, marks)
    this.#places = new PlaceRows(topic, options.epoch, table)
  }

  live(record: KafkaRecord, partition: number, row: RecordData, slot: Slot): RecordOutcome {
    const found = this.#read(record)
    if (found === 'none') return this.#nullKey(record, partition) ?? this.#places.live(record, partition, row, slot)
    if (found !== 'object') return found
    const rejected = this.#rows.live(this.#keys.object, row, slot)
    return rejected === undefined ? ROW : { rejected }
  }

  deleted(record: KafkaRecord, partition: number, _known: RecordData | undefined, slot: Slot): RecordOutcome {
    const found = this.#read(record)
    if (found === 'none') return this.#nullKey(record, partition) ?? this.#places.deleted()
    return this.#marked(found, slot)
  }

  gone(record: KafkaRecord, slot: Slot): RecordOutcome {
    const found = this.#read(record)
    return found === 'none' ? UNKNOWN_WITHOUT_KEY : this.#marked(found, slot)
  }

  #marked(found: 'object' | RejectedValue, slot: Slot): RecordOutcome {
    if (found !== 'object') return found
    const rejected = this.#rows.deleted(this.#keys.object, slot)
    return rejected === undefined ? MARK : { rejected }
  }

  get #keys(): RecordKeys {
    return (this.#made ??= new RecordKeys())
  }

  #read({ key }: KafkaRecord): KeyFound {
    if (this.#options.keyEncoding === 'registry') return this.#keys.decoded(key, this.#field)
    const { keys } = this.#options
    const type = keys.from === 'key' ? keys.type : undefined
    return this.#field === undefined ? this.#keys.fields(key) : this.#keys.plain(key, this.#field, type)
  }

  /** The outcome of a record whose key is null. `undefined` when it is a row of its own.
   *  @throws ConnectorError config */
  #nullKey({ offset }: KafkaRecord, partition: number): RecordOutcome | undefined {
    const { nullKeys } = this.#options
    if (nullKeys === 'stop')
      throw policyStop(
        'record.no-key',
        { topic: this.#topic, partition, offset },
        `the record has no Kafka key, and the keys of table "${this.#table}" come from it.`,
        'Choose null_keys: offset or null_keys: dead-letter for the topic, or take its keys from the value.',
      )
    return nullKeys === 'offset' ? undefined : NO_KEY
  }
}
