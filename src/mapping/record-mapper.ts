// A record's data into a point: its prefix, then the record's own members byte for byte. The hot step of mapping: no parsing,
// no copy of data; whatever is unusual (a reserved name, an escape in a name) takes the slow way.

import { ConnectorError } from '../core/errors.ts'
import type { Key, RecordItem, RejectedItem } from '../core/types.ts'
import { ABSENT } from '../json/record-data.ts'
import type { RecordData } from '../json/record-data.ts'
import { MOST_MEMBERS } from '../json/scanner.ts'
import { KeyReader } from './key-reader.ts'
import { MemberFinder } from './member-finder.ts'
import type { Occurrences } from './occurrences.ts'
import { renameReserved, reservedNames } from './reserved.ts'
import { ID_LENGTH, RowIds } from './row-id.ts'
import { RowPrefix } from './row-prefix.ts'
import type { PrefixSpace } from './row-prefix.ts'
import { TOO_DEEP, TOO_MANY } from './stream-mapping.ts'
import type { ItemSlot, RecordMapper, StreamMapping } from './stream-mapping.ts'

/** What all streams of a run share. */
export interface Shared {
  readonly occurrences: Occurrences
  /** Items view it: to be reset only when they are consumed. */
  readonly space: PrefixSpace
}

export function createRecordMapper<O>(stream: StreamMapping, shared: Shared): RecordMapper<O> {
  return new StreamMapper<O>(stream, shared)
}

class StreamMapper<O> implements RecordMapper<O> {
  readonly #stream: StreamMapping
  readonly #prefix: RowPrefix
  readonly #reserved: readonly string[]
  readonly #hoisted: readonly string[]
  readonly #finder: MemberFinder
  readonly #key: KeyReader

  constructor(stream: StreamMapping, { occurrences, space }: Shared) {
    this.#stream = stream
    this.#reserved = reservedNames(stream.row, stream.columns)
    this.#hoisted = stream.key.filter(({ path }) => path.length > 1).map(({ field }) => field)
    const roots = [...new Set(stream.key.map(({ path }) => path[0]!))]
    this.#finder = new MemberFinder({ reserved: this.#reserved, roots, hoisted: this.#hoisted, cursor: stream.cursor })
    this.#key = new KeyReader(stream.key, roots)
    this.#prefix = new RowPrefix(stream, rowIds(stream, occurrences), space)
  }

  map(record: RecordData, origin: O, held: number, slot: ItemSlot<O>): RecordItem<O> | RejectedItem<O> {
    if (this.#stream.refusedRecords !== undefined)
      throw new ConnectorError('config', this.#stream.refusedRecords, { track: this.#stream.track })
    if (record.tooDeep) return this.#reject(TOO_DEEP, origin, held)
    if (record.count > MOST_MEMBERS) return this.#reject(TOO_MANY, origin, held)
    const rejected = this.#finder.find(record)
    if (rejected !== undefined) return this.#reject(rejected, origin, held)
    const key = this.#key
    if (!key.read(record, this.#finder.slots)) return this.#reject(key.rejected, origin, held)
    slot.bytes = record.bytes
    slot.from = record.from + 1
    slot.to = record.to
    slot.cursorFrom = slot.cursorTo = 0
    if (this.#finder.odd) {
      const data = renameReserved(record, this.#reserved, this.#hoisted)
      if (data.rejected !== undefined) return this.#reject(data.rejected, origin, held)
      slot.bytes = data.bytes
      slot.from = 1
      slot.to = data.bytes.length
    } else if (this.#finder.cursorSlot !== ABSENT) {
      slot.cursorFrom = record.members[this.#finder.cursorSlot + 2]!
      slot.cursorTo = record.members[this.#finder.cursorSlot + 3]!
    }
    this.#prefix.write(record, key.values, record.count === 0, slot)
    slot.track = this.#stream.track
    slot.table = this.#stream.table
    slot.key = this.#stream.collapse ? this.#idOf(slot) : key.key
    slot.origin = origin
    slot.held = held
    return slot
  }

  forget(): void {
    this.#prefix.forget()
    this.#key.forget()
  }

  /** Equal records are one row, and its id their key. */
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
