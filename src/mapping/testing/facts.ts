// For tests: a stream as a catalog may have it, and options nobody touched.

import type { StreamOverride, TablesConfig } from '../../config/write/write-load.ts'
import type { CatalogStream } from '../stream-mapping.ts'

/** A stream in append_dedup with the key `id`, but for what is given. */
export function factsOf(over: Partial<CatalogStream>): CatalogStream {
  const { declared = [] } = over
  return {
    name: 'orders',
    namespace: undefined,
    declared,
    unions: [],
    // as of a schema that describes nothing within its members
    declares: ([name]) => declared.length === 0 || declared.includes(name!),
    objectName: undefined,
    destinationSyncMode: 'append_dedup',
    primaryKey: [['id']],
    sourceDefinedPrimaryKey: [],
    cursorField: [],
    generationId: undefined,
    minimumGenerationId: undefined,
    syncId: undefined,
    ...over,
  }
}

export const UNTOUCHED: TablesConfig = {
  tablePrefix: '',
  tableNames: 'refuse',
  appendWithPrimaryKey: 'history',
  olderRows: 'refuse',
  metadataColumns: [],
  streams: [],
  rejectedTable: undefined,
}

/** Choices for the stream `orders`, but for what is given. */
export function overrideFor(over: Partial<StreamOverride>): StreamOverride {
  const nothing = {
    namespace: undefined,
    table: undefined,
    keys: undefined,
    keepLast: true,
    identicalRecords: 'keep' as const,
    appendWithPrimaryKey: undefined,
    olderRows: undefined,
    maxRejected: undefined,
    maxRejectedShare: undefined,
    expect: undefined,
  }
  return { name: 'orders', ...nothing, ...over }
}
