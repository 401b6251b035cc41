// A record that is a row of its own: by topic, partition, offset and epoch
// (decisions.md#a-topics-keys-have-three-sources). Knows no format.

import type { RecordData } from '../json/record-data.ts'
import { MOST_MEMBERS } from '../json/scanner.ts'
import { MemberFinder } from './member-finder.ts'
import { renameReserved } from './reserved.ts'
import { TOO_DEEP, TOO_MANY } from './stream-mapping.ts'
import type { ItemSlot } from './stream-mapping.ts'
import type { TopicTable } from './topic-table.ts'

const KEYS = ['_kafka_topic', '_kafka_partition', '_kafka_offset', '_kafka_epoch']
const RESERVED = ['keys', ...KEYS]
/** Of a partition, an offset and an epoch. */
const NUMBERS = 64

export const OFFSET_WORDS = 'every record a row, by topic, partition, offset and epoch'

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
    if (row.tooDeep) return TOO_DEEP
    if (row.count > MOST_MEMBERS) return TOO_MANY
    const rejected = this.#finder.find(row)
    if (rejected !== undefined) return rejected
    slot.bytes = row.bytes
    slot.from = row.from + 1
    slot.to = row.to
    if (this.#finder.odd) {
      const data = renameReserved(row, RESERVED, [])
      if (data.rejected !== undefined) return data.rejected
      slot.bytes = data.bytes
      slot.from = 1
      slot.to = data.bytes.length
    }
    this.#head(row.count === 0, partition, offset, slot)
    slot.cursorFrom = slot.cursorTo = 0
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
