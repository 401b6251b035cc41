// What the mapping room hands out: a stream's rows, and how a record becomes a point. Types only.

import type { Key, RecordItem, RejectedItem, Table, Track } from '../core/types.ts'

/** A record's data as the scanner located it (json/scanner.ts): the object bytes[from, to) and its members. */
export interface RecordData {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly members: Int32Array
  readonly first: number
  readonly count: number
  /** Nested deeper than 1,024. */
  readonly tooDeep: boolean
  /** The text of emitted_at; empty when there is none. */
  readonly emittedFrom: number
  readonly emittedTo: number
}

/** A record's item that is filled again and again: one a record would be most of a run's garbage. */
export interface ItemSlot<O> {
  kind: 'record'
  track: Track
  table: Table
  key: Key
  head: Buffer
  headFrom: number
  headTo: number
  bytes: Buffer
  from: number
  to: number
  origin: O
  held: number
}

/** Turns one stream's records into items. */
export interface RecordMapper<O> {
  /** Fills `slot` with the record's item and returns it, or says why the record is rejected. The item's bytes are views:
   *  of the record's buffer, and of the mappers' common space until it is reset.
   *  @throws ConnectorError when the stream must not have records (assumptions 17) */
  map(record: RecordData, origin: O, held: number, slot: ItemSlot<O>): RecordItem<O> | RejectedItem<O>
}

/** How a stream of the catalog is stored. */
export interface StreamMapping {
  readonly track: Track
  readonly table: Table
  /** `keys`: a row per key value; `record`: every record a row. */
  readonly row: 'keys' | 'record'
  /** Names of the record's members that form the key; empty for row `record`. */
  readonly keyFields: readonly string[]
  /** What identifies a row, in words. */
  readonly words: string
  /** Column written with every point so that current rows can be told from older ones, if asked for. */
  readonly marker: Marker | undefined
  /** Why the stream may not have records, if so; a run without any succeeds. */
  readonly refusedRecords: string | undefined
  readonly warnings: readonly string[]
}

export type Marker =
  | { readonly column: '_airbyte_generation_id'; readonly generation: number }
  | { readonly column: '_airbyte_extracted_at' }
