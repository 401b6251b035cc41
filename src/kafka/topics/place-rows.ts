// Makes points of records that are rows of their own, identified by topic, partition, offset and epoch
// (decisions.md#a-topics-keys-have-three-sources).

import type { RecordData } from '../../json/record-data.ts'
import { MemberFinder } from '../../mapping/member-finder.ts'
import type { ProvenanceColumn } from '../../mapping/provenance.ts'
import { beyondBounds, type ItemSlot } from '../../mapping/stream-mapping.ts'
import type { TopicTable } from '../../mapping/topic-table.ts'
import type { KafkaRecord } from '../types.ts'
import type { Ignored } from '../values/read-object.ts'
import { ROW, TOMBSTONE, type RecordOutcome } from './record-outcome.ts'

const KEYS = ['_kafka_topic', '_kafka_partition', '_kafka_offset', '_kafka_epoch']
const DELETE: Ignored = { ignored: 'delete' }

/** The rows of one topic, by the places of their records (a `TopicRows`). */
export class PlaceRows {
  readonly words = 'one row per record, by topic, partition, offset and epoch'
  readonly #table: TopicTable
  readonly #finder: MemberFinder
  /** The columns besides those that are keys. */
  readonly #columns: readonly ProvenanceColumn[]
  readonly #start: string
  readonly #epoch: number

  constructor(topic: string, epoch: number, table: TopicTable) {
    this.#table = table
    this.#epoch = epoch
    this.#columns = table.columns.flatMap(({ name }) => (KEYS.includes(name) ? [] : [name]))
    this.#finder = new MemberFinder({ reserved: ['keys', ...KEYS, ...this.#columns], roots: [] })
    this.#start = `{"keys":${JSON.stringify(KEYS)},"_kafka_topic":${JSON.stringify(topic)},"_kafka_partition":`
  }

  live(
    { offset }: Pick<KafkaRecord, 'offset'>,
    partition: number,
    row: RecordData,
    slot: ItemSlot<unknown>,
  ): RecordOutcome {
    const finder = this.#finder
    const rejected = beyondBounds(row) ?? finder.find(row) ?? finder.putInto(row, slot)
    if (rejected !== undefined) return { rejected }
    this.#writeHead(row.count === 0, partition, offset, slot)
    slot.table = this.#table.table
    slot.key = undefined
    return ROW
  }

  /** Leaves a delete out: no record has the place of the row. */
  deleted(): RecordOutcome {
    return DELETE
  }

  gone(): RecordOutcome {
    return TOMBSTONE
  }

  /** @param isEmpty whether no member of the record follows */
  #writeHead(isEmpty: boolean, partition: number, offset: bigint, slot: ItemSlot<unknown>): void {
    const { space } = this.#table
    let text = `${this.#start}${partition},"_kafka_offset":${offset},"_kafka_epoch":${this.#epoch}`
    for (const name of this.#columns) text += `,"${name}":${space.provenance.jsonOf(name)}`
    if (!isEmpty) text += ','
    // UTF-8 takes at most three bytes a unit of text
    space.reserve(3 * text.length)
    slot.head = space.bytes
    slot.headFrom = space.at
    slot.headTo = space.at += space.bytes.write(text, space.at)
  }
}
