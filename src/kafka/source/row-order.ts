// Judges by a sample whether anything keeps the records of a row in one partition: between partitions is no order, so an older one may win.

import { rulesOf as rulesOfAll } from '../../config/stream/stream-config.ts'
import { fenceOf } from '../../core/key.ts'
import type { KeyAtom, RecordItem, Table } from '../../core/types.ts'
import { parseJson } from '../../json/true-names.ts'
import { RecordKeys } from '../values/record-keys.ts'
import type { SampledRecord } from './batch-items.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import type { MappedTopic } from './stream-topics.ts'

/** A row as it would be stored: its fields, with `keys`, the names of its key fields. */
export type SampledRow = Readonly<Record<string, unknown>>

/** The place of a key whose records lie in more than one partition. */
const SEVERAL = 'several'

/** Judges the sample of one topic: `note` each row, then ask for the `doubts`. */
export class RowOrder {
  readonly #topic: MappedTopic
  readonly #partitions: number
  readonly #recordKeys = new RecordKeys()
  /** The partition in which the records of a key lie, by table and key, in its coarser form (fence): equal for all that may be one row. */
  readonly #places = new Map<Table, Map<KeyAtom, number | typeof SEVERAL>>()
  #keysInSeveral = 0
  /** Records without a Kafka key, and with one that is not made of the row's key fields. */
  #withoutKey = 0
  #withOtherKey = 0

  /** @param partitions how many the topic has, read or not */
  constructor(topic: MappedTopic, partitions: number) {
    this.#topic = topic
    this.#partitions = partitions
  }

  note({ read, from: { partition } }: SampledRecord, { table, key }: RecordItem<KafkaOrigin>, row: SampledRow): void {
    const { encoding, entry, mapper } = this.#topic
    const fence = fenceOf(key)
    const { keys } = mapper.rulesOf(table)
    // a row that equals no other, or that its offset identifies, has only one record
    if (fence === undefined || keys.from === 'offset') return
    this.#notePlace(table, fence, partition)
    // the row's key is made of the Kafka key, so these cannot differ
    if (keys.from === 'key') return
    const { key: recordKey } = read
    const isDecoded = encoding?.reads('key') === true
    if (recordKey === null) this.#withoutKey++
    // such a key cannot be read: a run loads no schemas of keys that it does not need
    else if (entry.keyEncoding === 'registry' && !isDecoded) return
    else if (!fitsRow(this.#recordKeys, recordKey, row, isDecoded)) this.#withOtherKey++
  }

  #notePlace(table: Table, key: KeyAtom, partition: number): void {
    const places = this.#places.get(table) ?? new Map<KeyAtom, number | typeof SEVERAL>()
    this.#places.set(table, places)
    const known = places.get(key) ?? partition
    if (known !== partition && known !== SEVERAL) this.#keysInSeveral++
    places.set(key, known === partition ? partition : SEVERAL)
  }

  /** @param records how many the sample has */
  *doubts(records: number): Generator<string> {
    const key = "the row's key as record key"
    if (this.#keysInSeveral > 0) {
      const sampled = [...this.#places.values()].reduce((sum, { size }) => sum + size, 0)
      const remedy = rulesOfAll(this.#topic.entry).some(({ keys }) => keys.from === 'value') ? key : 'one partitioner'
      yield `${this.#keysInSeveral} of ${sampled} sampled keys have records in more than one partition: between partitions there is no order, so an older record of a row may win. Let its producer use ${remedy}, and write the topic again.`
      return
    }
    if (this.#partitions < 2) return
    const because = `so nothing keeps the records of a row in one partition, and an older one may win. Let its producer use ${key}.`
    if (this.#withoutKey > 0) yield `${this.#withoutKey} of ${records} sampled records have no record key, ${because}`
    if (this.#withOtherKey > 0)
      yield `${this.#withOtherKey} of ${records} sampled records have a record key of something else than the row's key, ${because} If a row's record key never changes, all is well.`
  }
}

/** Whether a record's Kafka key is made of nothing but the key fields of its row: then all records of a row have the same Kafka key, and so lie
 *  in one partition. It is for a warning: numbers that doubles do not hold exactly may pass as equal.
 *  @param isDecoded whether a schema made JSON of the key */
export function fitsRow(keys: RecordKeys, recordKey: Buffer, row: SampledRow, isDecoded = false): boolean {
  const kind = keys.fields(recordKey)
  if (kind === 'none') return true
  const plain = (): unknown => (isDecoded ? keys.decoded(recordKey, 'key') : keys.plain(recordKey, 'key'))
  if (kind !== 'object' && plain() !== 'object') return false
  const { bytes, from, to } = keys.object
  const keyValues = new Set((row['keys'] as readonly string[]).map((name) => comparable(row[name])))
  const parts = Object.values(parseJson(bytes.toString('utf8', from, to)) as SampledRow)
  return parts.every((part) => keyValues.has(comparable(part)))
}

/** A value in a form in which equal ones are equal texts; 7 and "7" count as equal. */
function comparable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^-?\d+(?:\.\d+)?$/.test(text) ? String(Number(text)) : text
}
