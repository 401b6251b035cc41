// Makes a point from a record's data: a prefix, then the record's own members byte for byte. This is the hot step of mapping, so it
// neither parses nor copies data; only unusual records (a reserved name, an escape in a name) take a slower way.

import { ConnectorError } from '../core/errors.ts'
import type { Key, RecordItem, RejectedItem } from '../core/types.ts'
import type { RecordData } from '../json/record-data.ts'
import { KeyReader } from './key-reader.ts'
import { MemberFinder } from './member-finder.ts'
import type { Occurrences } from './occurrences.ts'
import { reservedNames } from './reserved.ts'
import { ID_LENGTH, RowIds } from './row-id.ts'
import { RowPrefix } from './row-prefix.ts'
import type { PrefixSpace } from './row-prefix.ts'
import { beyondBounds } from './stream-mapping.ts'
import type { ItemSlot, StreamMapping } from './stream-mapping.ts'

/** What all streams of a run share. */
export interface Shared {
  readonly occurrences: Occurrences
  /** Items are views of it, so reset it only when they are consumed. */
  readonly space: PrefixSpace
}

/** Turns one stream's records into items. */
export class RecordMapper<O> {
  readonly #stream: StreamMapping
  readonly #prefix: RowPrefix
  readonly #finder: MemberFinder
  readonly #key: KeyReader

  constructor(stream: StreamMapping, { occurrences, space }: Shared) {
    this.#stream = stream
    const reserved = reservedNames(stream.row, stream.columns)
    const hoisted = stream.key.filter(({ path }) => path.length > 1).map(({ field }) => field)
    const roots = [...new Set(stream.key.map(({ path }) => path[0]!))]
    this.#finder = new MemberFinder({ reserved, roots, hoisted, cursor: stream.cursor })
    this.#key = new KeyReader(stream.key, roots)
    this.#prefix = new RowPrefix(stream, rowIds(stream, occurrences), space)
  }

  /** Fills `slot` with the record's item and returns it, or returns why the record is rejected. The item's bytes are views of the
   *  record's buffer, and of the mappers' common space until that is reset.
   *  @throws ConnectorError if the stream must not have records (decisions.md#older-rows-are-refused-or-kept) */
  map(record: RecordData, origin: O, held: number, slot: ItemSlot<O>): RecordItem<O> | RejectedItem<O> {
    if (this.#stream.refusedRecords !== undefined)
      throw new ConnectorError('config', this.#stream.refusedRecords, { track: this.#stream.track })
    const finder = this.#finder
    const key = this.#key
    let rejected = beyondBounds(record) ?? finder.find(record)
    if (rejected !== undefined) return this.#reject(rejected, origin, held)
    if (!key.read(record, finder.slots)) return this.#reject(key.rejected, origin, held)
    rejected = finder.place(record, slot)
    if (rejected !== undefined) return this.#reject(rejected, origin, held)
    this.#prefix.write(record, key.values, record.count === 0, slot)
    slot.track = this.#stream.track
    slot.table = this.#stream.table
    slot.key = this.#stream.collapse ? this.#idOf(slot) : key.key
    slot.origin = origin
    slot.held = held
    return slot
  }

  /** Drops references to the bytes of the last record. */
  forget(): void {
    this.#prefix.forget()
    this.#key.forget()
  }

  /** Equal records are one row, and their id is its key. */
  #idOf({ head, headFrom }: ItemSlot<O>): Key {
    const from = headFrom + this.#prefix.idAt
    return `"${head.toString('latin1', from, from + ID_LENGTH)}`
  }

  #reject(reason: string, origin: O, held: number): RejectedItem<O> {
    return { kind: 'rejected', track: this.#stream.track, table: this.#stream.table, reason, origin, held }
  }
}

function rowIds(stream: StreamMapping, occurrences: Occurrences): RowIds | undefined {
  if (stream.row === 'keys') return undefined
  return new RowIds(stream.track.namespace, stream.track.name, stream.collapse ? undefined : occurrences)
}
