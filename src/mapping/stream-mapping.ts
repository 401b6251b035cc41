// What mapping takes and gives: a stream of the catalog, how it is stored, and the item that a record becomes. Types, mostly.

import type { RecordItem, Table, Track } from '../core/types.ts'
import type { RecordData } from '../json/record-data.ts'
import { MOST_MEMBERS } from '../json/scanner.ts'

/** Why a record is rejected that goes beyond a bound, if so. */
export function beyondBounds({ tooDeep, count }: RecordData): string | undefined {
  if (tooDeep) return 'its data is nested deeper than 1,024 levels'
  return count > MOST_MEMBERS ? 'its data has more than 1,000,000 members' : undefined
}

/** How a stream of the catalog is stored. */
export interface StreamMapping {
  readonly track: Track
  readonly table: Table
  /** `keys`: a row per key value; `record`: every record a row. */
  readonly row: 'keys' | 'record'
  /** What forms the key; empty for row `record`. */
  readonly key: readonly KeyField[]
  /** Row `record`: records with equal data are one row. */
  readonly collapse: boolean
  /** The member that shows which record is newer, if it is at the top: only to count records that came in the wrong order. */
  readonly cursor: string | undefined
  /** Counts them. */
  readonly backward: { readonly count: number } | undefined
  /** What identifies a row, in words. */
  readonly words: string
  /** Written with every point, in front of the record's own members. */
  readonly columns: readonly Column[]
  /** What becomes of rows of earlier generations, if the stream wants them gone
   *  (decisions.md#older-rows-are-refused-or-kept). */
  readonly olderRows: 'not asked' | 'refused' | 'kept'
  /** Why the stream may not have records, if so; a run without any succeeds. */
  readonly refusedRecords: string | undefined
  /** Whole sentences. */
  readonly warnings: readonly string[]
}

/** One part of a key. */
export interface KeyField {
  /** Names of the members from `data` down to the value. */
  readonly path: readonly string[]
  /** The top-level field of the point that `keys` names: the member itself, under its new name where its own is reserved,
   *  or what a nested value is hoisted to. */
  readonly field: string
}

/** A field the connector adds to every point of a stream. */
export type Column =
  | { readonly name: '_airbyte_extracted_at' }
  /** undefined: the catalog has none. */
  | { readonly name: '_airbyte_generation_id'; readonly generation: number | undefined }
  | { readonly name: '_airbyte_meta'; readonly sync: number | undefined }

/** A record's item that is filled again and again: one a record would be most of a run's garbage.
 *  It has every member from the start, so that it never changes its shape. */
export type ItemSlot<O> = { -readonly [Member in keyof RecordItem<O>]-?: RecordItem<O>[Member] }

const NOTHING = Buffer.alloc(0)
const NOWHERE: Track & Table = { name: '', keepLast: true }

/** @param origin stands for none yet */
export function emptySlot<O>(origin: O): ItemSlot<O> {
  return {
    kind: 'record',
    track: NOWHERE,
    table: NOWHERE,
    key: undefined,
    head: NOTHING,
    headFrom: 0,
    headTo: 0,
    bytes: NOTHING,
    from: 0,
    to: 0,
    cursorFrom: 0,
    cursorTo: 0,
    origin,
    held: 0,
  }
}

/** A stream as a configured catalog describes it. */
export interface CatalogStream {
  readonly name: string
  /** "" and null are none. */
  readonly namespace: string | undefined
  /** Top-level properties the schema declares. */
  readonly declared: readonly string[]
  /** Those of them whose schema allows several types, null not counted. */
  readonly unions: readonly Union[]
  /** Whether the schema has room for a value at this path: what it does not describe may be anything. */
  readonly declares: (path: readonly string[]) => boolean
  readonly destinationSyncMode: string | undefined
  /** destination_object_name; "" and null are none. */
  readonly objectName: string | undefined
  readonly primaryKey: readonly (readonly string[])[]
  readonly sourceDefinedPrimaryKey: readonly (readonly string[])[]
  readonly cursorField: readonly string[]
  readonly generationId: number | undefined
  readonly minimumGenerationId: number | undefined
  readonly syncId: number | undefined
}

export interface Union {
  readonly name: string
  readonly types: readonly string[]
}

/** A stream's name for people. */
export function label(stream: { readonly name: string; readonly namespace?: string | undefined }): string {
  return stream.namespace === undefined ? `"${stream.name}"` : `"${stream.name}" (namespace "${stream.namespace}")`
}
