// The types that mapping shares: a stream of the catalog, how it is stored, and the item that a record becomes.

import type { RecordItem, Table, Track } from '../core/types.ts'
import { DEEPEST, type RecordData } from '../json/record-data.ts'
import { MOST_MEMBERS } from '../json/scanner.ts'
import { thousands } from '../text/figures.ts'
import type { ProvenanceColumn } from './provenance.ts'

/** The rules by which records of a stream or topic become points. `track` is where records come from, `table` where points go. */
export interface RowMapping {
  readonly track: Track
  readonly table: Table
  /** `keys`: one row per key; `record`: every record is a row. */
  readonly row: 'keys' | 'record'
  /** The fields of the key; empty for row `record`. */
  readonly key: readonly KeyField[]
  /** With row `record`: whether records with equal data are one row. */
  readonly collapse: boolean
  /** The cursor. `undefined` when it is not at the top level of data. Used only to count records that came in the wrong order. */
  readonly cursor: string | undefined
  /** Added to every point, in front of the record's own members. */
  readonly columns: readonly Column[]
  /** Why it must not have records; a run without any succeeds. `undefined` when it may. */
  readonly refusedRecords: string | undefined
}

/** How a stream of the catalog is stored. */
export interface StreamMapping extends RowMapping {
  /** Counts records that came in the wrong order. `undefined` when there is no cursor. */
  readonly backward: { readonly count: number } | undefined
  /** Words for what identifies a row. */
  readonly words: string
  /** What happens to rows of earlier generations where the stream wants them deleted (decisions.md#older-rows-are-refused-or-kept). */
  readonly olderRows: 'not asked' | 'refused' | 'kept'
  /** Whole sentences. */
  readonly warnings: readonly string[]
}

/** One field of a key. */
export interface KeyField {
  /** Names of the members from `data` down to the value. */
  readonly path: readonly string[]
  /** The top-level field of the point that has the value, as the point's member `keys` lists it. It is the record's own member,
   *  renamed if its name is reserved, or the field that a nested value is hoisted (copied) to. */
  readonly field: string
}

/** A field that the connector adds to every point of a stream or topic. */
export type Column =
  | { readonly name: '_airbyte_extracted_at' }
  /** `generation` is `undefined` when the catalog has none. */
  | { readonly name: '_airbyte_generation_id'; readonly generation: number | undefined }
  /** `sync` is `undefined` when the catalog has no sync_id. */
  | { readonly name: '_airbyte_meta'; readonly sync: number | undefined }
  | { readonly name: ProvenanceColumn }

/** A RecordItem (core/types.ts: a point in two pieces, of `head` and of `bytes`, with its cursor in `bytes`; `held` is the memory of its
 *  origin). It is filled again for each record, because new ones would be most of a run's garbage. It has all members from the start, so
 *  that its shape never changes. */
export type ItemSlot<O> = { -readonly [Member in keyof RecordItem<O>]-?: RecordItem<O>[Member] }

const NOTHING = Buffer.alloc(0)
const NOWHERE: Track & Table = { name: '', keepLast: true } // in slots that are not filled yet; nothing reads it

/** Makes a slot that holds no record yet. @param origin any; it is replaced with that of the first record */
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
  /** "" and null count as absent. */
  readonly namespace: string | undefined
  /** Top-level properties that the schema declares. */
  readonly declared: readonly string[]
  /** Fields that may have several types, besides null. */
  readonly unions: readonly { readonly name: string; readonly types: readonly string[] }[]
  /** Whether the schema allows a value at this path, which may lead below what is `declared`; where it describes nothing, it allows all. */
  readonly declares: (path: readonly string[]) => boolean
  readonly destinationSyncMode: string | undefined
  /** destination_object_name; "" and null count as absent. */
  readonly objectName: string | undefined
  readonly primaryKey: readonly (readonly string[])[]
  readonly sourceDefinedPrimaryKey: readonly (readonly string[])[]
  readonly cursorField: readonly string[]
  readonly generationId: number | undefined
  readonly minimumGenerationId: number | undefined
  readonly syncId: number | undefined
}

/** A stream's name for people. */
export function label(stream: { readonly name: string; readonly namespace?: string | undefined }): string {
  return stream.namespace === undefined ? `"${stream.name}"` : `"${stream.name}" (namespace "${stream.namespace}")`
}

/** Says why a record is rejected for its bytes, size or depth. `undefined` when it is not. */
export function beyondBounds({ isText, tooDeep, count }: RecordData): string | undefined {
  if (!isText) return 'its data is not valid UTF-8, which the source must write'
  if (tooDeep) return `its data is nested deeper than ${thousands(DEEPEST)} levels`
  return count > MOST_MEMBERS ? `its data has more than ${thousands(MOST_MEMBERS)} members` : undefined
}
