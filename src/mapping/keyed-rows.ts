// Makes the points of a topic's rows that have the same key fields: of a live row, and of a deleted one, which has only its key, the
// columns that all rows have, and the mark (decisions.md#tombstones-are-ignored-by-default, formats.md#debezium).

import type { Key, RejectedItem } from '../core/types.ts'
import type { RecordData } from '../json/record-data.ts'
import { KeyReader } from './key-reader.ts'
import { MemberFinder } from './member-finder.ts'
import { RecordMapper } from './record-mapper.ts'
import { RowPrefix } from './row-prefix.ts'
import type { KeyField, ItemSlot, RowMapping } from './stream-mapping.ts'
import { prefixed, DELETED, type TopicTable } from './topic-table.ts'

/** The end of a deleted row, behind its prefix. */
const MARK_AND_END = Buffer.from(`"${DELETED}":true}`)

/** For a live row, call `live`. For a deleted one, call `read`; if it found a key, `key` is that, and `mark` makes the point. */
export class KeyedRows {
  readonly #table: TopicTable
  readonly #keyPrefix: string
  readonly #mapper: RecordMapper<unknown>
  readonly #finder: MemberFinder
  readonly #reader: KeyReader
  readonly #markedPrefix: RowPrefix

  constructor(topic: string, key: readonly KeyField[], shared: TopicTable) {
    const { table, columns, shapes, space } = shared
    // what only streams of a catalog have
    const unused = { collapse: false, cursor: undefined, refusedRecords: undefined }
    const stream: RowMapping = { track: { name: topic }, table, row: 'keys', key, columns, ...unused }
    const roots = [...new Set(key.map(({ path }) => path[0]!))]
    this.#table = shared
    this.#keyPrefix = shapes.prefix(key.map(({ field }) => field))
    this.#mapper = new RecordMapper<unknown>(stream, space)
    this.#finder = new MemberFinder({ roots })
    this.#reader = new KeyReader(key, roots, space.scanner)
    this.#markedPrefix = new RowPrefix(stream, space, { isAlone: true })
  }

  /** Fills `slot`, which keeps its `origin` and `held`, with the point of a row. @returns `undefined` unless the row is rejected */
  live(row: RecordData, slot: ItemSlot<unknown>): RejectedItem<unknown> | undefined {
    const item = this.#mapper.map(row, slot.origin, slot.held, slot)
    if (item.kind === 'rejected') return item
    slot.key = prefixed(slot.key, this.#keyPrefix)
    return undefined
  }

  /** Reads the key of a row's data. @returns why it has none. `undefined` when it has one */
  read(data: RecordData): string | undefined {
    return this.#finder.find(data) ?? this.#reader.read(data, this.#finder.slots)
  }

  /** The key that was read last. */
  get key(): Key {
    return prefixed(this.#reader.key, this.#keyPrefix)
  }

  /** Fills `slot`, which keeps its `track`, `origin` and `held`, with the point that marks the row whose data was read last. */
  mark(data: RecordData, slot: ItemSlot<unknown>): void {
    const isLast = false
    this.#markedPrefix.write(data, this.#reader.values, isLast, slot)
    slot.bytes = MARK_AND_END
    slot.from = slot.cursorFrom = slot.cursorTo = 0
    slot.to = MARK_AND_END.length
    slot.table = this.#table.table
    slot.key = this.key
  }
}
