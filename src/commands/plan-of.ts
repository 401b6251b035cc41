// What a catalog would become, as one object: made of the very steps `write` begins with, so that both agree.
// Reads no file, prints nothing.

import type { TablesConfig } from '../config/write-config.ts'
import { adviceOn } from '../mapping/advice.ts'
import type { CatalogStream, Union } from '../mapping/catalog-stream.ts'
import { mapEachStream } from '../mapping/map-streams.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import { RAW_ID } from '../mapping/reserved.ts'
import { unusedOverrides } from '../mapping/stream-overrides.ts'
import type { Catalog } from '../airbyte/catalog.ts'

/** The names are those of `plan --json`. */
export interface Plan {
  readonly streams: readonly PlannedStream[]
  /** In the catalog's order; a stream refused for its records alone stands in `streams` too. */
  readonly refused: readonly RefusedStream[]
  /** What keeps a write from beginning, whatever its streams. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

export interface PlannedStream {
  readonly namespace: string | null
  readonly stream: string
  readonly table: string
  readonly mode: string
  /** The fields each point names in `keys`. */
  readonly keys: readonly string[]
  /** What identifies a row, in words. */
  readonly row: string
  /** Key fields that are copies of nested values. */
  readonly hoisted: readonly { readonly path: readonly string[]; readonly field: string }[]
  /** Fields the connector adds. */
  readonly columns: readonly string[]
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  /** The field that marks deleted rows, which stay. */
  readonly soft_deletes: string | null
  readonly older_rows: StreamMapping['olderRows']
  /** Members that may hold values of several types. */
  readonly type_unions: readonly Union[]
  readonly warnings: readonly string[]
}

export interface RefusedStream {
  readonly namespace: string | null
  readonly stream: string
  /** Why, and what to change. */
  readonly reason: string
  /** true: a run without records for it (a Clear, a Reset) passes. */
  readonly only_with_records: boolean
}

export function planOf(catalog: Catalog, tables: TablesConfig, warnings: readonly string[]): Plan {
  const mapped = mapEachStream(catalog.streams, tables)
  return {
    streams: mapped.flatMap(({ facts, mapping }) => (mapping ? [planned(facts, mapping)] : [])),
    refused: mapped.flatMap(({ facts, mapping, refused }) => {
      const reason = refused ?? mapping?.refusedRecords
      return reason === undefined ? [] : [{ ...nameOf(facts), reason, only_with_records: refused === undefined }]
    }),
    problems: [],
    warnings: [...warnings, ...unusedOverrides(catalog.streams, tables.streams)],
  }
}

function planned(facts: CatalogStream, mapping: StreamMapping): PlannedStream {
  const { renamed, softDeletes, warnings } = adviceOn(facts, mapping)
  return {
    ...nameOf(facts),
    table: mapping.table.name,
    mode: facts.destinationSyncMode!,
    keys: mapping.row === 'record' ? [RAW_ID] : mapping.key.map(({ field }) => field),
    row: mapping.words,
    hoisted: mapping.key.filter(({ path }) => path.length > 1),
    columns: mapping.columns.map(({ name }) => name),
    renamed,
    soft_deletes: softDeletes ?? null,
    older_rows: mapping.olderRows,
    type_unions: facts.unions,
    // a refusal says it all
    warnings: [...(mapping.refusedRecords === undefined ? mapping.warnings : []), ...warnings],
  }
}

function nameOf({ namespace, name }: CatalogStream): { namespace: string | null; stream: string } {
  return { namespace: namespace ?? null, stream: name }
}
