// Makes the point of a deleted row, which has only its key, the columns that all rows have, and the mark
// (decisions.md#tombstones-are-ignored-by-default, formats.md#debezium).

import type { Key } from '../core/types.ts'
import type { RecordData } from '../json/record-data.ts'
import { KeyReader } from './key-reader.ts'
import { MemberFinder } from './member-finder.ts'
import { RowPrefix } from './row-prefix.ts'
import type { KeyField, ItemSlot } from './stream-mapping.ts'
import { prefixed, DELETED, type TopicTable } from './topic-table.ts'

const END = Buffer.from(`"${DELETED}":true}`)

/** Makes the points of one topic's deleted rows that have the same key fields: first `read`, and if it found a key, `key` and `write`. */
export class DeletedRows {
  readonly #table: TopicTable
  readonly #prefix: string
  readonly #finder: MemberFinder
  readonly #reader: KeyReader
  readonly #row: RowPrefix

  constructor(fields: readonly KeyField[], table: TopicTable) {
    const roots = [...new Set(fields.map(({ path }) => path[0]!))]
    this.#table = table
    this.#prefix = table.shapes.prefix(fields.map(({ field }) => field))
    this.#finder = new MemberFinder({ roots })
    this.#reader = new KeyReader(fields, roots, table.space.scanner)
    this.#row = new RowPrefix({ row: 'keys', key: fields, columns: table.columns }, undefined, table.space, true)
  }

  /** Reads the key of a row's data.
   *  @returns why it has none. `undefined` when it has one */
  read(data: RecordData): string | undefined {
    return this.#finder.find(data) ?? this.#reader.read(data, this.#finder.slots)
  }

  /** The key that was read last. */
  get key(): Key {
    return prefixed(this.#reader.key, this.#prefix)
  }

  /** Fills `slot` with the point of the row whose data was read last. */
  write(data: RecordData, slot: ItemSlot<unknown>): void {
    this.#row.write(data, this.#reader.values, false, slot)
    slot.bytes = END
    slot.from = slot.cursorFrom = slot.cursorTo = 0
    slot.to = END.length
    slot.table = this.#table.table
    slot.key = this.key
  }
}
