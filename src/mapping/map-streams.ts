// Every stream of a catalog: its table, what identifies its rows, or why it is refused.

import { ConnectorError } from '../core/errors.ts'
import { BackwardCursors } from './backward-cursors.ts'
import { keyChoices, keyFields } from './key-fields.ts'
import { generationProblem, olderRows } from './older-rows.ts'
import { reservedNames } from './reserved.ts'
import { label } from './stream-facts.ts'
import type { StreamFacts } from './stream-facts.ts'
import type { Column, ColumnName, KeyField, StreamMapping } from './stream-mapping.ts'
import { tableName } from './table-name.ts'
import { overrideOf } from './table-options.ts'
import type { StreamOverride, TableOptions } from './table-options.ts'

/** What became of a stream: how it is stored, or a sentence that says why it is not and what to do. */
export type Mapped<F extends StreamFacts = StreamFacts> =
  | { readonly facts: F; readonly mapping: StreamMapping; readonly refused: undefined }
  | { readonly facts: F; readonly mapping: undefined; readonly refused: string }

const RESERVED_TABLE = 'rejected_records'
const MODES = new Set(['append_dedup', 'append', 'overwrite'])
/** More streams of one table are not named. */
const NAMED = 3

/** Each stream on its own, then those that would share a table. In the catalog's order. Never throws.
 *  Assumptions 14–17, 20, 21, 23. */
export function mapEachStream<F extends StreamFacts>(streams: readonly F[], options: TableOptions): Mapped<F>[] {
  const places = streams.map((facts) => placeOf(facts, options))
  const byTable = tablesOf(places)
  return streams.map((facts, index) => {
    const refused = sharing(places[index]!, byTable, options)
    const mapped = mapStream(facts, options, places[index]!)
    if (typeof mapped !== 'string' && refused === undefined) return { facts, mapping: mapped, refused: undefined }
    return { facts, mapping: undefined, refused: typeof mapped === 'string' ? mapped : refused! }
  })
}

/** @returns one mapping a stream, in the catalog's order
 *  @throws ConnectorError config naming every stream that can't be stored, before anything is sent */
export function mapStreams(streams: readonly StreamFacts[], options: TableOptions): StreamMapping[] {
  const mapped = mapEachStream(streams, options)
  const problems = mapped.flatMap(({ facts, refused }) =>
    refused === undefined ? [] : [`Stream ${label(facts)}: ${refused}`],
  )
  if (problems.length > 0)
    throw new ConnectorError('config', `The catalog can not be written as it is. ${problems.join(' ')}`)
  return mapped.map(({ mapping }) => mapping!)
}

interface Place {
  readonly facts: StreamFacts
  readonly override: StreamOverride | undefined
  readonly table: string
  /** Another stream might clean to the same name. */
  readonly altered: boolean
}

/** The streams of one table; service tables are compared without case. */
interface SharedTable {
  readonly places: readonly Place[]
  /** How many of them have a name that was not altered. */
  readonly unaltered: number
}

function tablesOf(all: readonly Place[]): ReadonlyMap<string, SharedTable> {
  const tables = Map.groupBy(all, ({ table }) => table.toLowerCase())
  return new Map(
    Array.from(tables, ([table, places]) => {
      const unaltered = places.filter(({ altered }) => !altered).length
      return [table, { places, unaltered }]
    }),
  )
}

function placeOf(facts: StreamFacts, options: TableOptions): Place {
  const override = overrideOf(facts, options.streams)
  if (override?.table !== undefined) return { facts, override, table: override.table, altered: false }
  return { facts, override, ...tableName(facts.namespace, facts.name, options.prefix, options.names) }
}

function mapStream(facts: StreamFacts, options: TableOptions, place: Place): StreamMapping | string {
  const mode = facts.destinationSyncMode
  if (mode === undefined || !MODES.has(mode)) {
    return `its destination_sync_mode is ${mode === undefined ? 'missing' : `"${mode}"`}; choose append_dedup or append.`
  }
  const generations = generationProblem(facts)
  if (generations) return generations
  const { override, table } = place
  if (table.toLowerCase() === RESERVED_TABLE)
    return `its table would be "${table}", a name kept for rejected records; choose another: ${overrideFor(facts)}.`
  const older = olderRows(facts, override?.olderRows ?? options.olderRows)
  const columns = columnsOf(facts, options.columns, older.marker)
  const key = keyOf(facts, mode, options, override, columns)
  if (typeof key === 'string') return key
  const keepLast = override?.keepLast ?? true
  const collapse = key.length === 0 && override?.identicalRecords === 'collapse'
  const cursor = key.length > 0 && facts.cursorField.length === 1 ? facts.cursorField[0] : undefined
  const backward = cursor === undefined ? undefined : new BackwardCursors()
  return {
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
}

/** Empty: every record is a row. */
function keyOf(
  facts: StreamFacts,
  mode: string,
  options: TableOptions,
  override: StreamOverride | undefined,
  columns: readonly Column[],
): KeyField[] | string {
  const append = override?.appendWithPrimaryKey ?? options.appendWithPrimaryKey
  if (mode !== 'append_dedup' && append === 'history') return []
  const choices = keyChoices(facts, override?.keys)
  if (choices.length === 0) {
    return mode === 'append_dedup'
      ? 'append_dedup needs a primary key and there is none; choose one for the stream, or the mode append.'
      : []
  }
  return keyFields(choices, facts.declared, reservedNames('keys', columns))
}

function columnsOf(facts: StreamFacts, wanted: readonly ColumnName[], marker: Column | undefined): Column[] {
  const columns = wanted.map((name): Column => {
    if (name === '_airbyte_generation_id') return { name, generation: facts.generationId }
    return name === '_airbyte_meta' ? { name, sync: facts.syncId } : { name }
  })
  return marker && !wanted.includes(marker.name) ? [marker, ...columns] : columns
}

function wordsOf(key: readonly KeyField[], collapse: boolean, keepLast: boolean): string {
  if (key.length === 0) return collapse ? 'every different record a row' : 'every record a row'
  const fields = key.map(({ field }) => field).join(', ')
  return `one row per ${fields}, newest arrival${keepLast ? '' : ', every version sent'}`
}

/** What a user chose for a stream and can have no effect. */
function idleChoices(facts: StreamFacts, key: readonly KeyField[], override: StreamOverride | undefined): string[] {
  const warnings: string[] = []
  const warn = (choice: string, why: string): void => {
    warnings.push(`Stream ${label(facts)}: ${choice} has no effect, ${why}.`)
  }
  if (override?.keys && key.length === 0)
    warn('keys', 'every record of it is a row; choose append_dedup, or append_with_primary_key: upsert')
  if (override?.keepLast === false && key.length === 0) warn('keep_last: false', 'every record of it is a row')
  if (override?.identicalRecords === 'collapse' && key.length > 0)
    warn('identical_records: collapse', 'its rows are told apart by their keys')
  return warnings
}

/** Why a stream's table is not its own, if so. */
function sharing(
  { facts, table }: Place,
  byTable: ReadonlyMap<string, SharedTable>,
  options: TableOptions,
): string | undefined {
  const { places: same, unaltered } = byTable.get(table.toLowerCase())!
  if (same.length === 1) return undefined
  const others = same.slice(0, NAMED + 1).filter((place) => place.facts !== facts)
  const named = others.slice(0, NAMED).map((place) => label(place.facts))
  const unnamed = same.length - 1 - named.length
  const more = unnamed > 0 ? ` and ${unnamed} more` : ''
  // hashed changes altered names only, so at most one of them may be unaltered
  const hashed = options.names === 'refuse' && unaltered <= 1
  return `it would share the table "${table}" (compared without case) with ${named.join(', ')}${more}; give one of them another table: ${overrideFor(facts)}${hashed ? ', or set table_names: hashed' : ''}.`
}

function overrideFor({ name, namespace }: StreamFacts): string {
  return `streams: ${JSON.stringify([{ name, ...(namespace === undefined ? {} : { namespace }), table: 'another_name' }])}`
}
