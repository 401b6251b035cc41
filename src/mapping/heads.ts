// The bytes in front of a record's own members: `{"keys":[…],` and the members the connector adds. Knows no record data.

import type { HeadSpace } from './head-space.ts'
import { ID_LENGTH } from './row-id.ts'
import type { RowIds } from './row-id.ts'
import type { ItemSlot, Marker, RecordData } from './stream-mapping.ts'

const NULL = Buffer.from('null')
const COMMA = 0x2c
/** For null and a comma. */
const SPARE = 8

/** Where a head was written. */
export type HeadPlace = Pick<ItemSlot<unknown>, 'head' | 'headFrom' | 'headTo'>

/** Writes one stream's heads: a common one where nothing in it depends on the record, else into the space given. */
export class Heads {
  readonly #start: Buffer
  readonly #ids: RowIds | undefined
  readonly #afterId: Buffer
  readonly #emitted: boolean
  readonly #space: HeadSpace

  /** @param keys names of the key fields as sent; absent with `ids` */
  constructor(keys: readonly string[], marker: Marker | undefined, ids: RowIds | undefined, space: HeadSpace) {
    const marked =
      marker === undefined ? '' : `"${marker.column}":${'generation' in marker ? `${marker.generation},` : ''}`
    const start = `{"keys":${JSON.stringify(ids ? ['_airbyte_raw_id'] : keys)},`
    this.#ids = ids
    this.#space = space
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
    const longest =
      this.#start.length + ID_LENGTH + this.#afterId.length + (record.emittedTo - record.emittedFrom) + SPARE
    const space = this.#space
    space.reserve(longest)
    place.head = space.bytes
    place.headFrom = space.at
    place.headTo = space.at = this.#fill(record, space.bytes, space.at) - (last ? 1 : 0)
  }

  #fill(record: RecordData, target: Buffer, from: number): number {
    let at = from + this.#start.copy(target, from)
    if (this.#ids) {
      this.#ids.write(record, target, at)
      at += ID_LENGTH
      at += this.#afterId.copy(target, at)
    }
    if (!this.#emitted) return at
    const { bytes, emittedFrom, emittedTo } = record
    at += emittedTo > emittedFrom ? bytes.copy(target, at, emittedFrom, emittedTo) : NULL.copy(target, at)
    target[at] = COMMA
    return at + 1
  }
}
