// A deleted row as a point: its key and the mark, nothing else (decisions.md#tombstones-are-ignored-by-default,
// decisions.md#a-debezium-change-is-a-row).

import type { Key } from '../core/types.ts'
import type { RecordData } from '../json/record-data.ts'
import { KeyReader } from './key-reader.ts'
import { MemberFinder } from './member-finder.ts'
import type { KeyField, ItemSlot } from './stream-mapping.ts'
import { prefixed, DELETED } from './topic-table.ts'
import type { TopicTable } from './topic-table.ts'

const END = Buffer.from(`"${DELETED}":true}`)

/** Of one topic's rows with the same key fields. */
export class DeletedRows {
  /** Why the object read last has no key. */
  rejected = ''
  readonly #table: TopicTable
  readonly #prefix: string
  readonly #finder: MemberFinder
  readonly #reader: KeyReader
  readonly #head: Buffer
  /** What stands in front of each key value. */
  readonly #names: readonly Buffer[]

  constructor(fields: readonly KeyField[], table: TopicTable) {
    const roots = [...new Set(fields.map(({ path }) => path[0]!))]
    const names = fields.map(({ field }) => field)
    this.#table = table
    this.#prefix = table.shapes.prefix(names)
    this.#finder = new MemberFinder({ roots })
    this.#reader = new KeyReader(fields, roots)
    this.#head = Buffer.from(`{"keys":${JSON.stringify(names)},`)
    this.#names = names.map((name) => Buffer.from(`${JSON.stringify(name)}:`))
  }

  /** The key of a row's data.
   *  @returns false: it has none */
  read(data: RecordData): boolean {
    const rejected = this.#finder.find(data)
    if (rejected === undefined && this.#reader.read(data, this.#finder.slots)) return true
    this.rejected = rejected ?? this.#reader.rejected
    return false
  }

  /** Of the data read last. */
  get key(): Key {
    return prefixed(this.#reader.key, this.#prefix)
  }

  /** Fills `slot` with the point of the row whose data was read last. */
  write(data: RecordData, slot: ItemSlot<unknown>): void {
    const { space, table } = this.#table
    const { values } = this.#reader
    let size = END.length
    this.#names.forEach((name, index) => {
      size += name.length + values[2 * index + 1]! - values[2 * index]! + 1
    })
    space.reserve(size)
    slot.head = this.#head
    slot.headFrom = 0
    slot.headTo = this.#head.length
    slot.bytes = space.bytes
    slot.from = space.at
    slot.to = space.at = this.#fill(data.bytes, space.bytes, space.at)
    slot.cursorFrom = slot.cursorTo = 0
    slot.table = table
    slot.key = this.key
  }

  #fill(bytes: Buffer, target: Buffer, from: number): number {
    const { values } = this.#reader
    let at = from
    this.#names.forEach((name, index) => {
      at += name.copy(target, at)
      at += bytes.copy(target, at, values[2 * index], values[2 * index + 1])
      target[at++] = 0x2c
    })
    return at + END.copy(target, at)
  }
}
