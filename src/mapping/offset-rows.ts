// Makes points of records that are rows of their own, identified by topic, partition, offset and epoch
// (decisions.md#a-topics-keys-have-three-sources).

import type { RecordData } from '../json/record-data.ts'
import { MemberFinder } from './member-finder.ts'
import type { ProvenanceColumn } from './provenance.ts'
import { beyondBounds, type ItemSlot } from './stream-mapping.ts'
import type { TopicTable } from './topic-table.ts'

const KEYS = ['_kafka_topic', '_kafka_partition', '_kafka_offset', '_kafka_epoch']

export const OFFSET_WORDS = 'one row per record, by topic, partition, offset and epoch'

/** Makes the points of one topic. */
export class OffsetRows {
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

  /** Fills `slot` with the record's point.
   *  @returns why it is rejected, if so */
  write(row: RecordData, partition: number, offset: bigint, slot: ItemSlot<unknown>): string | undefined {
    const finder = this.#finder
    const rejected = beyondBounds(row) ?? finder.find(row) ?? finder.place(row, slot)
    if (rejected !== undefined) return rejected
    this.#writeHead(row.count === 0, partition, offset, slot)
    slot.table = this.#table.table
    slot.key = undefined
    return undefined
  }

  /** @param last whether no member of the record follows */
  #writeHead(last: boolean, partition: number, offset: bigint, slot: ItemSlot<unknown>): void {
    const { space } = this.#table
    let text = `${this.#start}${partition},"_kafka_offset":${offset},"_kafka_epoch":${this.#epoch}`
    for (const name of this.#columns) text += `,"${name}":${space.provenance.valueOf(name)}`
    if (!last) text += ','
    // UTF-8 takes at most three bytes a unit of text
    space.reserve(3 * text.length)
    slot.head = space.bytes
    slot.headFrom = space.at
    slot.headTo = space.at += space.bytes.write(text, space.at)
  }
}
