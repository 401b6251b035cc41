// Every stream of a catalog: its table, what identifies its rows, or why it is refused. All problems at once.

import { ConnectorError } from '../core/errors.ts'
import { tableName } from './table-name.ts'
import type { Marker, StreamMapping } from './stream-mapping.ts'

/** What a catalog says of a stream, as far as storing it goes. */
export interface StreamFacts {
  readonly name: string
  readonly namespace: string | undefined
  readonly destinationSyncMode: string | undefined
  readonly primaryKey: readonly (readonly string[])[]
  readonly sourceDefinedPrimaryKey: readonly (readonly string[])[]
  readonly generationId: number | undefined
  readonly minimumGenerationId: number | undefined
}

export interface MappingOptions {
  readonly olderRows: 'refuse' | 'keep'
}

const RESERVED_TABLE = 'rejected_records'
const MODES = new Set(['append_dedup', 'append', 'overwrite'])

/** @returns one mapping a stream, in the catalog's order
 *  @throws ConnectorError config naming every stream that can't be stored, before anything is sent. Assumptions 14–17, 23 */
export function mapStreams(streams: readonly StreamFacts[], options: MappingOptions): StreamMapping[] {
  const problems: string[] = []
  const mappings: StreamMapping[] = []
  for (const facts of streams) {
    const mapped = mapStream(facts, options)
    if (typeof mapped === 'string') problems.push(`Stream ${label(facts)}: ${mapped}`)
    else mappings.push(mapped)
  }
  problems.push(...collisions(mappings))
  if (problems.length > 0)
    throw new ConnectorError('config', `The catalog can not be written as it is. ${problems.join(' ')}`)
  return mappings
}

/** A stream's name for people. */
export function label(stream: { readonly name: string; readonly namespace?: string | undefined }): string {
  return stream.namespace === undefined ? `"${stream.name}"` : `"${stream.name}" (namespace "${stream.namespace}")`
}

function mapStream(facts: StreamFacts, options: MappingOptions): StreamMapping | string {
  const mode = facts.destinationSyncMode
  if (mode === undefined || !MODES.has(mode)) {
    return `its destination_sync_mode is ${mode === undefined ? 'missing' : `"${mode}"`}; choose append_dedup or append.`
  }
  const generations = generationProblem(facts)
  if (generations) return generations
  const keyFields = mode === 'append_dedup' ? keyFieldsOf(facts) : []
  if (typeof keyFields === 'string') return keyFields
  const { table } = tableName(facts.namespace, facts.name)
  if (table.toLowerCase() === RESERVED_TABLE)
    return `its table would be "${table}", a name kept for rejected records; rename the stream.`
  return { ...place(facts, table), ...rows(keyFields), ...olderRows(facts, mode, options) }
}

function place(facts: StreamFacts, table: string): Pick<StreamMapping, 'track' | 'table'> {
  return { track: { name: facts.name, namespace: facts.namespace }, table: { name: table, keepLast: true } }
}

function rows(keyFields: readonly string[]): Pick<StreamMapping, 'row' | 'keyFields' | 'words'> {
  if (keyFields.length === 0) return { row: 'record', keyFields, words: 'every record a row' }
  return { row: 'keys', keyFields, words: `one row per ${keyFields.join(', ')}, newest arrival` }
}

function keyFieldsOf(facts: StreamFacts): string[] | string {
  const paths = facts.primaryKey.length > 0 ? facts.primaryKey : facts.sourceDefinedPrimaryKey
  if (paths.length === 0)
    return 'append_dedup needs a primary key and there is none; choose one for the stream, or the mode append.'
  if (paths.some((path) => path.length === 0)) return 'a path of its primary key is empty; choose a field.'
  const nested = paths.find((path) => path.length > 1)
  if (nested)
    return `its primary key ${nested.join('.')} is nested, which is not supported yet; choose top-level fields, or the mode append.`
  return [...new Set(paths.map((path) => path[0]!))]
}

function generationProblem(facts: StreamFacts): string | undefined {
  const { generationId: generation, minimumGenerationId: minimum } = facts
  if (minimum === undefined || minimum === 0) return undefined
  if (generation === undefined) return `it has minimum_generation_id ${minimum} and no generation_id.`
  if (minimum > generation) return `its minimum_generation_id ${minimum} is above its generation_id ${generation}.`
  if (minimum < generation)
    return `its minimum_generation_id ${minimum} lies between 0 and its generation_id ${generation}: such a hybrid refresh is not possible here.`
  return undefined
}

/** Assumptions 17: the interface can't delete, so a stream that wants its older rows gone is refused at its first
 *  record, or kept with a column that tells current rows. */
function olderRows(
  facts: StreamFacts,
  mode: string,
  options: MappingOptions,
): Pick<StreamMapping, 'marker' | 'refusedRecords' | 'warnings'> {
  const { generationId: generation, minimumGenerationId: minimum } = facts
  const truncates = minimum !== undefined && minimum > 0 && minimum === generation
  if (mode !== 'overwrite' && !truncates) return { marker: undefined, refusedRecords: undefined, warnings: [] }
  if (mode !== 'overwrite' && generation === 1) {
    const warning = `Stream ${label(facts)} asks that rows older than its first generation be removed: there are none of this connector's; others in its table stay.`
    return { marker: undefined, refusedRecords: undefined, warnings: [warning] }
  }
  const asks = `Stream ${label(facts)} asks for its older rows to be removed (mode ${mode}${truncates ? `, minimum_generation_id ${minimum}` : ''}), and the service can not delete`
  if (options.olderRows === 'refuse') {
    const ways =
      'Choose append_dedup or append for the stream, or set older_rows: keep to load beside the older rows (with PyAirbyte: write_strategy="append").'
    const warning = `${asks}: it is refused as soon as it has a record; without records its states are passed on and its rows stay.`
    return { marker: undefined, refusedRecords: `${asks}. ${ways}`, warnings: [warning] }
  }
  const marker: Marker =
    generation === undefined ? { column: '_airbyte_extracted_at' } : { column: '_airbyte_generation_id', generation }
  return {
    marker,
    refusedRecords: undefined,
    warnings: [
      `${asks}: older rows stay (older_rows: keep). The column ${marker.column} tells current rows from older ones.`,
    ],
  }
}

function collisions(mappings: readonly StreamMapping[]): string[] {
  const first = new Map<string, StreamMapping>()
  const problems: string[] = []
  for (const mapping of mappings) {
    const name = mapping.table.name.toLowerCase()
    const other = first.get(name)
    if (!other) first.set(name, mapping)
    else
      problems.push(
        `Streams ${label(other.track)} and ${label(mapping.track)} would share the table "${mapping.table.name}" (compared without case); rename one of them.`,
      )
  }
  return problems
}
