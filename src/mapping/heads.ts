// The bytes in front of a record's own members: `{"keys":[…],` and the members the connector adds. Knows no record data.

import { ID_LENGTH } from './row-id.ts'
import type { RowIds } from './row-id.ts'
import type { ItemSlot, Marker, RecordData } from './stream-mapping.ts'

const CHUNK = 64 * 1024
const NULL = Buffer.from('null')
const COMMA = 0x2c

/** Where a head was written. */
export type HeadPlace = Pick<ItemSlot<unknown>, 'head' | 'headFrom' | 'headTo'>

/** Writes one stream's heads. What was written is never written to again. */
export class Heads {
  readonly #start: Buffer
  readonly #ids: RowIds | undefined
  readonly #afterId: Buffer
  readonly #emitted: boolean
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0

  /** @param keys names of the key fields as sent; absent with `ids` */
  constructor(keys: readonly string[], marker: Marker | undefined, ids: RowIds | undefined) {
    const marked =
      marker === undefined ? '' : `"${marker.column}":${'generation' in marker ? `${marker.generation},` : ''}`
    const start = `{"keys":${JSON.stringify(ids ? ['_airbyte_raw_id'] : keys)},`
    this.#ids = ids
    this.#start = Buffer.from(ids ? `${start}"_airbyte_raw_id":"` : start + marked)
    this.#afterId = Buffer.from(ids ? `",${marked}` : '')
    this.#emitted = marker?.column === '_airbyte_extracted_at'
  }

  /** The record's head into `place`. @param last whether no member of the record follows, so that it ends without comma */
  write(record: RecordData, last: boolean, place: HeadPlace): void {
    if (!this.#ids && !this.#emitted && !last) {
      place.head = this.#start
      place.headFrom = 0
      place.headTo = this.#start.length
      return
    }
    const longest = this.#start.length + ID_LENGTH + this.#afterId.length + (record.emittedTo - record.emittedFrom) + 8
    if (this.#at + longest > this.#chunk.length) {
      this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, longest))
      this.#at = 0
    }
    place.head = this.#chunk
    place.headFrom = this.#at
    place.headTo = this.#at = this.#fill(record) - (last ? 1 : 0)
  }

  #fill(record: RecordData): number {
    const chunk = this.#chunk
    let at = this.#at + this.#start.copy(chunk, this.#at)
    if (this.#ids) {
      this.#ids.write(record, chunk, at)
      at += ID_LENGTH
      at += this.#afterId.copy(chunk, at)
    }
    if (!this.#emitted) return at
    const { bytes, emittedFrom, emittedTo } = record
    at += emittedTo > emittedFrom ? bytes.copy(chunk, at, emittedFrom, emittedTo) : NULL.copy(chunk, at)
    chunk[at] = COMMA
    return at + 1
  }
}
