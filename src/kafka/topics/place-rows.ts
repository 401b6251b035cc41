// Makes points, the row versions that are sent, of records that are each a row of its own, identified by the place where it was read:
// topic, partition and offset, and a configured epoch (decisions.md#a-topics-keys-have-three-sources).

import type { RecordData } from '../../json/record-data.ts'
import { MemberFinder } from '../../mapping/member-finder.ts'
import type { ProvenanceColumn } from '../../mapping/provenance.ts'
import { beyondBounds, type ItemSlot } from '../../mapping/stream-mapping.ts'
import type { TopicTable } from '../../mapping/topic-table.ts'
import type { KafkaRecord } from '../types.ts'
import type { Ignored } from '../values/read-object.ts'
import { ROW, TOMBSTONE, type RecordOutcome } from './record-outcome.ts'

const KEY_FIELDS = ['_kafka_topic', '_kafka_partition', '_kafka_offset', '_kafka_epoch']
const DELETE: Ignored = { ignored: 'delete' }

type Slot = ItemSlot<unknown>

/** The rows of one topic, by the places of their records (a `TopicRows`). */
export class PlaceRows {
  readonly words = 'one row per record, by topic, partition, offset and epoch'
  readonly #table: TopicTable
  readonly #finder: MemberFinder
  /** The metadata columns that are asked for, without those that are key fields anyway. */
  readonly #columns: readonly ProvenanceColumn[]
  /** The JSON of a point up to the number of its partition, the same for all. */
  readonly #opening: string
  readonly #epoch: number

  constructor(topic: string, epoch: number, table: TopicTable) {
    this.#table = table
    this.#epoch = epoch
    this.#columns = table.columns.flatMap(({ name }) => (KEY_FIELDS.includes(name) ? [] : [name]))
    // no member of the record is part of a key: there are no roots of key paths to find
    this.#finder = new MemberFinder({ reserved: ['keys', ...KEY_FIELDS, ...this.#columns], roots: [] })
    this.#opening = `{"keys":${JSON.stringify(KEY_FIELDS)},"_kafka_topic":${JSON.stringify(topic)},"_kafka_partition":`
  }

  /** Fills `slot` with the point of a record. */
  live({ offset }: Pick<KafkaRecord, 'offset'>, partition: number, row: RecordData, slot: Slot): RecordOutcome {
    const finder = this.#finder
    // each step says why the record is rejected, if so; the last one puts the record's own members into `slot`
    const rejected = beyondBounds(row) ?? finder.find(row) ?? finder.putInto(row, slot)
    if (rejected !== undefined) return { rejected }
    this.#writeHead(row.count > 0, partition, offset, slot)
    slot.table = this.#table.table
    // this row equals no other
    slot.key = undefined
    return ROW
  }

  /** Leaves a delete out, because the row that it means has the place of an earlier record, which is not known. */
  deleted(): RecordOutcome {
    return DELETE
  }

  /** Leaves a tombstone out, as `deleted` does a delete. */
  gone(): RecordOutcome {
    return TOMBSTONE
  }

  /** Writes what stands in front of the record's own members: key fields and columns.
   *  @param hasMembers whether any member follows */
  #writeHead(hasMembers: boolean, partition: number, offset: bigint, slot: Slot): void {
    const { space } = this.#table
    let text = `${this.#opening}${partition},"_kafka_offset":${offset},"_kafka_epoch":${this.#epoch}`
    for (const name of this.#columns) text += `,"${name}":${space.provenance.jsonOf(name)}`
    if (hasMembers) text += ','
    // UTF-8 takes at most three bytes for a UTF-16 unit
    space.reserve(3 * text.length)
    slot.head = space.bytes
    slot.headFrom = space.at
    slot.headTo = space.at += space.bytes.write(text, space.at)
  }
}
