// Maps all streams of a catalog: what identifies the rows of each and which columns they get, or why it is refused. Their tables are
// found before (table-places.ts). What cannot be stored is said all at once: in one error (`mapStreams`), or stream by stream, for
// `plan` (`mapEachStream`, then `refusalsOf`).

import type { Code } from '../core/codes.ts'
import type { StreamOverride, TablesConfig } from '../config/write/write-load.ts'
import { ConnectorError } from '../core/errors.ts'
import { BackwardCursors } from './backward-cursors.ts'
import { keyChoices, keyFields, rowPerKey, type KeyFields } from './key-fields.ts'
import { generationProblem, olderRows } from './older-rows.ts'
import { reservedNames } from './reserved.ts'
import { label, type CatalogStream, type Column, type KeyField, type StreamMapping } from './stream-mapping.ts'
import { placeStreams, type Place } from './table-places.ts'

/** How a stream is stored, or everything that keeps it from that. */
interface Mapped {
  readonly facts: CatalogStream
  readonly table: string
  readonly mapping: StreamMapping | undefined
  /** Every reason why it cannot be stored: `clash` and `problems`, in one text. `undefined` when there is a mapping. */
  readonly refused: string | undefined
  /** Sentences about it alone, each with what to do. */
  readonly problems: readonly string[]
  /** A sentence about all streams of its table. `undefined` when sharing it is no reason. */
  readonly clash: string | undefined
}

/** Changes that are to be made, said once. */
export interface Refusal {
  /** A whole sentence, or several. */
  readonly text: string
  readonly code: Extract<Code, 'catalog.stream-refused' | 'catalog.tables-meet' | 'stream.records-refused'>
  /** The streams that are refused for it. */
  readonly streams: readonly CatalogStream[]
}

/** Most faults named in one message, because platforms may cut it; `plan` shows all. */
const MOST_NAMED = 20
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
/** A key of no fields, for streams of which every record is a row. */
const NO_KEY: KeyFields = { key: [] }

/** Maps each stream by itself, and refuses those that would share a table. Keeps the catalog's order. Never throws.
 *  See decisions.md#rows-tables-and-names. */
export function mapEachStream(streams: readonly CatalogStream[], options: TablesConfig): Mapped[] {
  return placeStreams(streams, options).map((place) => mapStream(place, options))
}

/** Refusals in the catalog's order; a clash stands once, with the first of its streams. */
export function refusalsOf(mapped: readonly Mapped[]): Refusal[] {
  const byClash = Map.groupBy(mapped, ({ clash }) => clash)
  return mapped.flatMap((stream): Refusal[] => {
    const { facts, problems, clash } = stream
    const text = `Stream ${label(facts)}: ${together(problems)}`
    const own: Refusal[] = problems.length === 0 ? [] : [{ text, code: 'catalog.stream-refused', streams: [facts] }]
    const sharers = byClash.get(clash)!
    if (clash === undefined || sharers[0] !== stream) return own
    return [{ text: clash, code: 'catalog.tables-meet', streams: sharers.map(({ facts }) => facts) }, ...own]
  })
}

/** Maps the streams of a catalog. @returns one mapping per stream, in the catalog's order
 *  @throws ConnectorError config that names everything that keeps a stream from being stored */
export function mapStreams(streams: readonly CatalogStream[], options: TablesConfig): StreamMapping[] {
  const mapped = mapEachStream(streams, options)
  const refused = refusalsOf(mapped)
  if (refused.length > 0) throw refusalError(refused)
  return mapped.map(({ mapping }) => mapping!)
}

function refusalError(refused: readonly Refusal[]): ConnectorError {
  const problems = refused.slice(0, MOST_NAMED).map(({ text }) => text)
  const more = refused.length > MOST_NAMED ? ` And ${refused.length - MOST_NAMED} more: plan names them all.` : ''
  const [first, ...others] = new Set(refused.flatMap(({ streams }) => streams))
  const message = `The catalog cannot be written as it is. ${problems.join(' ')}${more}`
  const place = others.length === 0 ? { track: { name: first!.name, namespace: first!.namespace } } : {}
  return new ConnectorError('config', refused[0]!.code, message, place)
}

function together(reasons: readonly string[]): string {
  return reasons.join(' And ')
}

/** Maps a stream by itself. */
function mapStream(place: Place, options: TablesConfig): Mapped {
  const { facts, override, table, problem: tableProblem, clash } = place
  const mode = facts.destinationSyncMode
  const older = olderRows(facts, override?.olderRows ?? options.olderRows)
  const columns = columnsOf(facts, options.metadataColumns, older.marker)
  const isSupported = mode !== undefined && MODES.has(mode)
  const { key, problem: keyProblem } = isSupported ? keyOf(facts, mode, options, override, columns) : NO_KEY
  const modeProblem = isSupported ? undefined : wrongMode(mode)
  const found = [modeProblem, generationProblem(facts), tableProblem, keyProblem]
  const problems = found.filter((reason) => reason !== undefined)
  const reasons = clash === undefined ? problems : [clash, ...problems]
  if (reasons.length > 0 || key === undefined)
    return { facts, table, clash, problems, refused: together(reasons), mapping: undefined }
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
  return { facts, table, clash, problems, refused: undefined, mapping }
}

function wrongMode(mode: string | undefined): string {
  const why = mode === undefined ? undefined : UNSUPPORTED.get(mode)
  const found = mode === undefined ? 'missing' : `"${mode}"`
  return why === undefined
    ? `its destination_sync_mode is ${found}; choose append_dedup or append.`
    : `its destination_sync_mode is ${found}, ${why}`
}

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
  if (choices.length === 0) return mode === 'append_dedup' ? { problem: NEEDS_KEY } : NO_KEY
  return keyFields(choices, facts.declared, reservedNames('keys', columns))
}

/** Lists the columns that a stream's rows get. @param marker a column that the stream needs besides those that the user wants */
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
  const fields = key.map(({ field }) => field)
  return rowPerKey(fields, keepLast)
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
