// Makes a point from a record's data: a prefix, then the record's own members byte for byte. This is the hot step of mapping, so it
// neither parses nor copies data; only unusual records (a reserved name, an escape in a name) take a slower way.

import { ConnectorError } from '../core/errors.ts'
import type { Key, RecordItem, RejectedItem } from '../core/types.ts'
import { nameOf } from '../json/name.ts'
import type { RecordData } from '../json/record-data.ts'
import type { Scanner } from '../json/scanner.ts'
import { KeyReader } from './key-reader.ts'
import type { MapperSpace } from './mapper-space.ts'
import { MemberFinder } from './member-finder.ts'
import { missingHint, namesBeside } from './missing-field.ts'
import { reservedNames } from './reserved.ts'
import { ID_LENGTH, RowIds } from './row-id.ts'
import { RowPrefix } from './row-prefix.ts'
import { beyondBounds, type ItemSlot, type RowMapping } from './stream-mapping.ts'

/** Turns the records of one stream or topic into items. O: where a record was read, which its item keeps. */
export class RecordMapper<O> {
  readonly #stream: RowMapping
  readonly #prefix: RowPrefix
  readonly #finder: MemberFinder
  readonly #key: KeyReader
  readonly #scanner: Scanner

  /** @param space items are views of it, so reset it only when they are consumed */
  constructor(stream: RowMapping, space: MapperSpace) {
    this.#stream = stream
    this.#scanner = space.scanner
    const reserved = reservedNames(stream.row, stream.columns)
    const hoisted = stream.key.filter(({ path }) => path.length > 1).map(({ field }) => field)
    const roots = [...new Set(stream.key.map(({ path }) => path[0]!))]
    this.#finder = new MemberFinder({ reserved, roots, hoisted, cursor: stream.cursor })
    this.#key = new KeyReader(stream.key, roots, space.scanner)
    this.#prefix = new RowPrefix(stream, space, { ids: rowIds(stream, space) })
  }

  /** Fills `slot` with the record's item and returns it, or returns why the record is rejected. The item's bytes are views of the
   *  record's buffer, and of the mappers' common space until that is reset.
   *  @param origin where the record was read
   *  @param held bytes of memory that the origin takes
   *  @throws ConnectorError if the stream must not have records (decisions.md#older-rows-are-refused-or-kept) */
  map(record: RecordData, origin: O, held: number, slot: ItemSlot<O>): RecordItem<O> | RejectedItem<O> {
    if (this.#stream.refusedRecords !== undefined)
      throw new ConnectorError('config', 'stream.records-refused', this.#stream.refusedRecords, {
        track: this.#stream.track,
      })
    const finder = this.#finder
    const key = this.#key
    let rejected = beyondBounds(record) ?? finder.find(record)
    if (rejected !== undefined) return this.#reject(rejected, origin, held)
    rejected = key.read(record, finder.slots)
    if (rejected !== undefined) return this.#reject(rejected, origin, held, this.#hint(record))
    rejected = finder.putInto(record, slot)
    if (rejected !== undefined) return this.#reject(rejected, origin, held)
    this.#prefix.write(record, key.values, record.count === 0, slot)
    slot.track = this.#stream.track
    slot.table = this.#stream.table
    slot.key = this.#stream.collapse ? this.#idOf(slot) : key.key
    slot.origin = origin
    slot.held = held
    return slot
  }

  /** Makes the key of a row that stands for equal records: their id, with the quote in front that an atom of a text has (key-atom.ts). */
  #idOf({ head, headFrom }: ItemSlot<O>): Key {
    const from = headFrom + this.#prefix.idAt
    return `"${head.toString('latin1', from, from + ID_LENGTH)}`
  }

  /** Helps where a key field is missing. */
  #hint(record: RecordData): string | undefined {
    const { missing } = this.#key
    return missing && missingHint(missing.at(-1)!, namesBeside(record, missing.map(nameOf), this.#scanner))
  }

  #reject(reason: string, origin: O, held: number, hint?: string): RejectedItem<O> {
    const { track, table } = this.#stream
    return { kind: 'rejected', track, table, reason, ...(hint !== undefined && { hint }), origin, held }
  }
}

function rowIds({ row, track, collapse }: RowMapping, { occurrences, digests }: MapperSpace): RowIds | undefined {
  if (row === 'keys') return undefined
  return new RowIds(track.namespace, track.name, collapse ? undefined : occurrences, digests)
}
