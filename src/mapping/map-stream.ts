// Decides what identifies the rows of one stream and which columns they get, or why the stream is refused. Its table is found
// before (table-places.ts).

import type { StreamOverride, TablesConfig } from '../config/write/write-load.ts'
import { BackwardCursors } from './backward-cursors.ts'
import { keyChoices, keyFields, rowPerKey, type KeyFields } from './key-fields.ts'
import { generationProblem, olderRows } from './older-rows.ts'
import { reservedNames } from './reserved.ts'
import { label, type CatalogStream, type Column, type KeyField, type StreamMapping } from './stream-mapping.ts'
import type { Place } from './table-places.ts'

const MODES = new Set(['append_dedup', 'append', 'overwrite'])
/** Sync modes that are not supported: why, and what to do. */
const UNSUPPORTED = new Map([
  [
    'update',
    'which changes existing rows and creates none: the service can only write a row whether it exists or not. Choose append_dedup, and leave out at the source what must create no row.',
  ],
  [
    'soft_delete',
    'which marks rows as deleted: the service can only write whole rows, so a mark would replace all other fields. Choose append_dedup, which keeps the records of a source that marks deleted rows itself (_ab_cdc_deleted_at).',
  ],
])
const NEEDS_KEY = 'append_dedup needs a primary key and there is none; choose one for the stream, or the mode append.'

/** How a stream is stored if it has its table to itself, or all that is wrong with it alone. */
type MappedAlone =
  | { readonly mapping: StreamMapping; readonly problems: readonly [] }
  | { readonly mapping: undefined; readonly problems: readonly string[] }

export function mapStream(facts: CatalogStream, options: TablesConfig, place: Place): MappedAlone {
  const mode = facts.destinationSyncMode
  const { override, table, problem } = place
  const older = olderRows(facts, override?.olderRows ?? options.olderRows)
  const columns = columnsOf(facts, options.metadataColumns, older.marker)
  const hasMode = mode !== undefined && MODES.has(mode)
  const { key, problem: keyProblem } = hasMode ? keyOf(facts, mode, options, override, columns) : NO_KEY
  const problems = [hasMode ? undefined : wrongMode(mode), generationProblem(facts), problem, keyProblem].filter(
    (one) => one !== undefined,
  )
  if (problems.length > 0 || key === undefined) return { mapping: undefined, problems }
  const keepLast = override?.keepLast ?? true
  const collapse = key.length === 0 && override?.identicalRecords === 'collapse'
  const cursor = key.length > 0 && facts.cursorField.length === 1 ? facts.cursorField[0] : undefined
  const backward = cursor === undefined ? undefined : new BackwardCursors()
  const mapping: StreamMapping = {
    track: { name: facts.name, namespace: facts.namespace },
    table: { name: table, keepLast, watch: backward },
    backward,
    row: key.length === 0 ? 'record' : 'keys',
    key,
    collapse,
    cursor,
    words: wordsOf(key, collapse, keepLast),
    columns,
    olderRows: older.olderRows,
    refusedRecords: older.refusedRecords,
    warnings: [...older.warnings, ...idleChoices(facts, key, override)],
  }
  return { mapping, problems: [] }
}

function wrongMode(mode: string | undefined): string {
  const why = mode === undefined ? undefined : UNSUPPORTED.get(mode)
  const found = mode === undefined ? 'missing' : `"${mode}"`
  return why === undefined
    ? `its destination_sync_mode is ${found}; choose append_dedup or append.`
    : `its destination_sync_mode is ${found}, ${why}`
}

/** Without fields: every record is a row. */
const NO_KEY: KeyFields = { key: [], problem: undefined }

function keyOf(
  facts: CatalogStream,
  mode: string,
  options: TablesConfig,
  override: StreamOverride | undefined,
  columns: readonly Column[],
): KeyFields {
  const append = override?.appendWithPrimaryKey ?? options.appendWithPrimaryKey
  if (mode !== 'append_dedup' && append === 'history') return NO_KEY
  const choices = keyChoices(facts, override?.keys)
  if (choices.length === 0) return mode === 'append_dedup' ? { key: undefined, problem: NEEDS_KEY } : NO_KEY
  return keyFields(choices, facts.declared, reservedNames('keys', columns))
}

function columnsOf(
  facts: CatalogStream,
  wanted: TablesConfig['metadataColumns'],
  marker: Column | undefined,
): Column[] {
  const columns = wanted.map((name): Column => {
    if (name === '_airbyte_generation_id') return { name, generation: facts.generationId }
    return name === '_airbyte_meta' ? { name, sync: facts.syncId } : { name }
  })
  return marker && columns.every(({ name }) => name !== marker.name) ? [marker, ...columns] : columns
}

function wordsOf(key: readonly KeyField[], collapse: boolean, keepLast: boolean): string {
  if (key.length === 0) return collapse ? 'one row per distinct record' : 'one row per record'
  return rowPerKey(
    key.map(({ field }) => field),
    keepLast,
  )
}

/** Warnings about a user's choices that can have no effect. */
function idleChoices(facts: CatalogStream, key: readonly KeyField[], override: StreamOverride | undefined): string[] {
  const warnings: string[] = []
  const warn = (choice: string, why: string): void => {
    warnings.push(`Stream ${label(facts)}: ${choice} has no effect, ${why}.`)
  }
  if (override?.table !== undefined && facts.objectName !== undefined && override.table !== facts.objectName)
    warn(`destination_object_name ${JSON.stringify(facts.objectName)}`, '`streams` names its table')
  if (override?.keys && key.length === 0)
    warn('keys', 'every record of it is a row; choose append_dedup, or append_with_primary_key: upsert')
  if (override?.keepLast === false && key.length === 0) warn('keep_last: false', 'every record of it is a row')
  if (override?.identicalRecords === 'collapse' && key.length > 0)
    warn('identical_records: collapse', 'its rows are identified by their keys')
  return warnings
}
