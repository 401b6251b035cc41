// What happens to a stream that wants its older rows deleted, which the service cannot do (decisions.md#older-rows-are-refused-or-kept). It
// asks for that by its mode, overwrite, or by a minimum_generation_id above 0: rows of lower generations (loads from the start) are to go.

import { label, type CatalogStream, type Column, type StreamMapping } from './stream-mapping.ts'

interface OlderRows extends Pick<StreamMapping, 'olderRows' | 'refusedRecords' | 'warnings'> {
  /** Tells current rows from older ones. */
  readonly marker: Column | undefined
}

/** Says why the stream's generations cannot be used. `undefined` when they can. */
export function generationProblem(facts: CatalogStream): string | undefined {
  const { generationId: generation, minimumGenerationId: minimum } = facts
  if (minimum === undefined) return undefined
  if (generation === undefined) return `it has minimum_generation_id ${minimum} and no generation_id.`
  if (minimum === 0) return undefined
  if (minimum > generation) return `its minimum_generation_id ${minimum} is above its generation_id ${generation}.`
  if (minimum < generation)
    return `its minimum_generation_id ${minimum} lies between 0 and its generation_id ${generation}: such a hybrid refresh is not possible here.`
  return undefined
}

/** Says what happens to a stream that asks for its older rows to be removed: it is refused at its first record (`refuse`), or stored with a
 *  column that marks current rows (`keep`). */
export function olderRows(facts: CatalogStream, policy: 'refuse' | 'keep'): OlderRows {
  const { destinationSyncMode: mode, generationId: generation, minimumGenerationId: minimum } = facts
  // a minimum that is the stream's own generation keeps no other
  const removesOlder = minimum !== undefined && minimum > 0 && minimum === generation
  if (mode !== 'overwrite' && !removesOlder) return notAsked([])
  if (mode !== 'overwrite' && generation === 1) {
    return notAsked([
      `Stream ${label(facts)} asks that rows older than its first generation be removed: there are none of this connector's; others in its table stay.`,
    ])
  }
  const request = `Stream ${label(facts)} asks for its older rows to be removed (mode ${mode}${removesOlder ? `, minimum_generation_id ${minimum}` : ''}), and the service cannot delete`
  return policy === 'refuse' ? refused(request, mode) : kept(request, generation)
}

function notAsked(warnings: string[]): OlderRows {
  return { olderRows: 'not asked', marker: undefined, refusedRecords: undefined, warnings }
}

function refused(request: string, mode: string | undefined): OlderRows {
  const change =
    mode === 'overwrite'
      ? 'Choose append_dedup or append for the stream'
      : 'Run it without removing rows (a refresh that keeps them, minimum_generation_id 0)'
  const remedy = `${change}, or set older_rows: keep to load beside the older rows (with PyAirbyte: write_strategy="append").`
  const warning = `${request}: it is refused as soon as it has a record; without records its states are passed on and its rows stay.`
  return { olderRows: 'refused', marker: undefined, refusedRecords: `${request}. ${remedy}`, warnings: [warning] }
}

function kept(request: string, generation: number | undefined): OlderRows {
  const marker: Column =
    generation === undefined ? { name: '_airbyte_extracted_at' } : { name: '_airbyte_generation_id', generation }
  // PyAirbyte puts generation 1 on every stream of every run
  const hint = generation === 1 ? ' (where every run is generation 1, add metadata_columns: _airbyte_extracted_at)' : ''
  const warning = `${request}: older rows stay (older_rows: keep). The column ${marker.name} tells current rows from older ones${hint}.`
  return { olderRows: 'kept', marker, refusedRecords: undefined, warnings: [warning] }
}
