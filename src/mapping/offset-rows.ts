// A record that is a row of its own: by topic, partition, offset and epoch
// (decisions.md#a-topics-keys-have-three-sources).

import type { RecordData } from '../json/record-data.ts'
import { MemberFinder } from './member-finder.ts'
import { beyondBounds } from './stream-mapping.ts'
import type { ItemSlot } from './stream-mapping.ts'
import type { TopicTable } from './topic-table.ts'

const KEYS = ['_kafka_topic', '_kafka_partition', '_kafka_offset', '_kafka_epoch']
const RESERVED = ['keys', ...KEYS]
/** Of a partition, an offset and an epoch. */
const NUMBERS = 64

export const OFFSET_WORDS = 'one row per record, by topic, partition, offset and epoch'

/** Of one topic. */
export class OffsetRows {
  readonly #table: TopicTable
  readonly #finder = new MemberFinder({ reserved: RESERVED, roots: [] })
  readonly #start: string
  readonly #epoch: number

  constructor(topic: string, epoch: number, table: TopicTable) {
    this.#table = table
    this.#epoch = epoch
    this.#start = `{"keys":${JSON.stringify(KEYS)},"_kafka_topic":${JSON.stringify(topic)},"_kafka_partition":`
  }

  /** Fills `slot` with the record's point.
   *  @returns why it is rejected, if so */
  write(row: RecordData, partition: number, offset: bigint, slot: ItemSlot<unknown>): string | undefined {
    const finder = this.#finder
    const rejected = beyondBounds(row) ?? finder.find(row) ?? finder.place(row, slot)
    if (rejected !== undefined) return rejected
    this.#head(row.count === 0, partition, offset, slot)
    slot.table = this.#table.table
    slot.key = undefined
    return undefined
  }

  /** @param last whether no member of the record follows */
  #head(last: boolean, partition: number, offset: bigint, slot: ItemSlot<unknown>): void {
    const { space } = this.#table
    space.reserve(3 * this.#start.length + NUMBERS)
    const text = `${this.#start}${partition},"_kafka_offset":${offset},"_kafka_epoch":${this.#epoch}${last ? '' : ','}`
    slot.head = space.bytes
    slot.headFrom = space.at
    slot.headTo = space.at += space.bytes.write(text, space.at)
  }
}
