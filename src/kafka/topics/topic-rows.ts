// Makes points, the row versions that are sent, of a topic's records. The key of a row comes from members of the value (`ValueRows`), from
// the Kafka key (`KeyRows`) or from the record's place (`PlaceRows`), as the topic's configuration says.

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

/** Makes points of one topic's rows. `live`, `deleted` and `gone` fill the slot, the item that is reused for each record, except for its
 *  `origin` and `held`, which are set already. */
export interface TopicRows {
  /** Words for what identifies a row. */
  readonly words: string
  /** Makes the point of a row that exists. */
  live(record: KafkaRecord, partition: number, row: RecordData, slot: Slot): RecordOutcome
  /** Makes the point that marks a row as deleted.
   *  @param known members that the record has of the row, of which only the key is reliable. `undefined` when it has none */
  deleted(record: KafkaRecord, partition: number, known: RecordData | undefined, slot: Slot): RecordOutcome
  /** Marks the row that a tombstone, a record without a value, names by its Kafka key. Rejects one that names none. */
  gone(record: KafkaRecord, slot: Slot): RecordOutcome
  /** Whether the update of which `live` has just made the point (in `slot`) changed the key: the row with the key of `before`, the old row,
   *  would stay in the table. Absent where updates cannot change a key. */
  keyChanged?(before: RecordData, slot: Slot): boolean
}

const NO_KEY: RejectedValue = { rejected: 'it has no Kafka key' }
const ROW_UNKNOWN = 'the row to mark as deleted is not known'
export const UNKNOWN_WITHOUT_KEY: RejectedValue = { rejected: `${ROW_UNKNOWN}: it has no Kafka key` }
const SPELT_OTHERWISE: RejectedValue = {
  rejected: `${ROW_UNKNOWN}: its Kafka key spells the key fields otherwise than the rows do`,
}

/** Rows whose keys are members of the value. */
export class ValueRows implements TopicRows {
  readonly words: string
  readonly #rows: KeyedRows
  /** Reads Kafka keys. Made when the first one is needed. */
  #keys: RecordKeys | undefined
  /** Whether the Kafka key of the live row compared last spells the key fields otherwise than its value does. Decimals, for example, are
   *  texts where a schema says what they are, and base64 elsewhere. A tombstone then cannot say which row it means. */
  #keysDiffer = false
  /** Whether the next live row is to be compared for `#keysDiffer`: the first one is, and the first behind each tombstone. */
  #isToCompare: boolean

  /** @param tombstonesMark whether a record without a value marks the row that its Kafka key names */
  constructor(topic: string, fields: readonly KeyField[], tombstonesMark: boolean, table: TopicTable) {
    this.#isToCompare = tombstonesMark
    const names = fields.map(({ field }) => field)
    this.words = rowPerKey(names, table.table.keepLast)
    this.#rows = new KeyedRows(topic, fields, table)
  }

  live(record: KafkaRecord, _partition: number, row: RecordData, slot: Slot): RecordOutcome {
    const rejected = this.#rows.live(row, slot)
    if (rejected) return { rejected: rejected.reason, hint: rejected.hint }
    if (this.#isToCompare) this.#compareKeys(record, slot)
    return ROW
  }

  #compareKeys(record: KafkaRecord, slot: Slot): void {
    this.#isToCompare = false
    const isRead = this.#readKafkaKey(record) === undefined
    // by the exact keys: the service may keep rows apart whose keys are only spelt otherwise, and a mark would become a row of its own
    this.#keysDiffer = isRead && exactOf(this.#rows.key) !== exactOf(slot.key)
  }

  /** Marks the row of the key that `known` has, or else of the fields of the same names in the Kafka key. */
  deleted(record: KafkaRecord, _partition: number, known: RecordData | undefined, slot: Slot): RecordOutcome {
    const problemOfRow = known && this.#rows.read(known)
    if (known && problemOfRow === undefined) return this.#mark(known, slot)
    const problem = this.#readKafkaKey(record)
    if (problem) return problemOfRow === undefined ? problem : { rejected: problemOfRow }
    return this.#mark(this.#keys!.object, slot)
  }

  gone(record: KafkaRecord, slot: Slot): RecordOutcome {
    this.#isToCompare = true
    const problem = this.#keysDiffer ? SPELT_OTHERWISE : this.#readKafkaKey(record)
    return problem ?? this.#mark(this.#keys!.object, slot)
  }

  /** @param row the members of which `#rows` has just read the key */
  #mark(row: RecordData, slot: Slot): RecordOutcome {
    this.#rows.mark(row, slot)
    return MARK
  }

  /** Reads the key from the fields of these names in the Kafka key: `#keys.object` then holds them, and `#rows.key` is their key.
   *  @returns why it could not. `undefined` when it did */
  #readKafkaKey({ key }: KafkaRecord): RejectedValue | undefined {
    const keys = (this.#keys ??= new RecordKeys())
    const found = keys.fields(key)
    if (found === 'none') return UNKNOWN_WITHOUT_KEY
    if (found !== 'object') return { rejected: `${ROW_UNKNOWN}: ${found.rejected}` }
    const rejected = this.#rows.read(keys.object)
    return rejected === undefined ? undefined : { rejected: `${ROW_UNKNOWN}: ${rejected} in the Kafka key` }
  }

  keyChanged(before: RecordData, slot: Slot): boolean {
    // by the fences, which are equal for keys that are only spelt otherwise: they may be of the same row
    return this.#rows.read(before) === undefined && fenceOf(this.#rows.key) !== fenceOf(slot.key)
  }
}

type KeyOptions = Pick<TopicConfig, 'nullKeys' | 'epoch' | 'keyEncoding' | 'keys'>

/** Rows whose keys come from the Kafka key: the fields of an object, or one plain value. A null key is left to the policy `null_keys`. */
export class KeyRows implements TopicRows {
  readonly words: string
  readonly #topic: string
  readonly #table: string
  readonly #field: string | undefined
  readonly #options: KeyOptions
  /** The object that `#keys` gives, made at the first record. */
  #keysMade: RecordKeys | undefined
  readonly #rows: FieldsRows
  readonly #places: PlaceRows

  /** @param field the field that a plain key becomes. `undefined` when the key is an object
   *  @param marksDeleted whether deletes or tombstones mark rows: then a key of 7 in the value and of "7" in the Kafka key is rejected */
  constructor(topic: string, field: string | undefined, options: KeyOptions, marksDeleted: boolean, table: TopicTable) {
    this.words = rowPerKey([field ?? 'Kafka key'], table.table.keepLast)
    this.#topic = topic
    this.#table = table.table.name
    this.#field = field
    this.#options = options
    this.#rows = new FieldsRows(topic, table, marksDeleted)
    this.#places = new PlaceRows(topic, options.epoch, table)
  }

  live(record: KafkaRecord, partition: number, row: RecordData, slot: Slot): RecordOutcome {
    const keyFound = this.#readKey(record)
    if (keyFound === 'none') return this.#nullKey(record, partition) ?? this.#places.live(record, partition, row, slot)
    if (keyFound !== 'object') return keyFound
    const rejected = this.#rows.live(this.#keys.object, row, slot)
    return rejected === undefined ? ROW : { rejected }
  }

  deleted(record: KafkaRecord, partition: number, _known: RecordData | undefined, slot: Slot): RecordOutcome {
    const keyFound = this.#readKey(record)
    if (keyFound === 'none') return this.#nullKey(record, partition) ?? this.#places.deleted()
    return this.#mark(keyFound, slot)
  }

  gone(record: KafkaRecord, slot: Slot): RecordOutcome {
    const keyFound = this.#readKey(record)
    return keyFound === 'none' ? UNKNOWN_WITHOUT_KEY : this.#mark(keyFound, slot)
  }

  #mark(keyFound: 'object' | RejectedValue, slot: Slot): RecordOutcome {
    if (keyFound !== 'object') return keyFound
    const rejected = this.#rows.deleted(this.#keys.object, slot)
    return rejected === undefined ? MARK : { rejected }
  }

  get #keys(): RecordKeys {
    return (this.#keysMade ??= new RecordKeys())
  }

  /** Reads a Kafka key.
   *  @returns 'object' when `#keys.object` holds its fields, 'none' when it is null, or why it cannot be a key */
  #readKey({ key }: KafkaRecord): KeyFound {
    if (this.#options.keyEncoding === 'registry') return this.#keys.decoded(key, this.#field)
    const { keys } = this.#options
    const type = keys.from === 'key' ? keys.type : undefined
    return this.#field === undefined ? this.#keys.fields(key) : this.#keys.plain(key, this.#field, type)
  }

  /** The outcome of a record whose key is null, by the policy `null_keys`. `undefined` when the record is a row of its own.
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
