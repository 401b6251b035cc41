// Gets the schemas that records name: cached ones at once, others when the registry answers, however long that takes.

import { asConnectorError } from '../../core/errors.ts'
import type { ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId, SchemaProblem, ValueDecoder } from '../../registry/types.ts'
import type { ReadBatch } from './types.ts'
import type { MappedTopic } from './stream-topics.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'

interface AwaitedSchemasParts {
  readonly store: SchemaStore
  readonly clock: Pick<Clock, 'now'>
  /** @throws ConnectorError when it cannot be read */
  topic(name: string): MappedTopic
}

/** One use. */
export class AwaitedSchemas {
  readonly #parts: AwaitedSchemasParts
  readonly #over = new AbortController()
  /** Since when each waits. */
  readonly #waiting = new Map<ReadBatch, number>()

  constructor(parts: AwaitedSchemasParts) {
    this.#parts = parts
  }

  /** The time since when the partition waits that waits longest. `undefined` when none does. */
  get since(): number | undefined {
    const [first] = this.#waiting.values()
    return first
  }

  /** Sets the batch's `schemas`: at once where all are known, else `awaited`, and later those.
   *  @param done called then, unless it was forgotten: with an error when the registry refuses us */
  prepare(batch: ReadBatch, done: (error?: ConnectorError) => void): void {
    const ids = this.#idsOf(batch)
    const known = new Map<SchemaId, KnownSchema>()
    const isComplete = takeKnown(this.#parts.store, [...ids], known).length === 0
    batch.schemas = isComplete ? known : 'awaited'
    if (isComplete) return
    this.#waiting.set(batch, this.#parts.clock.now())
    void this.#await(batch, ids, done)
  }

  /** They are not read any more. */
  forget(batches: readonly ReadBatch[]): void {
    for (const batch of batches) this.#waiting.delete(batch)
  }

  /** Nothing is asked any more. */
  end(): void {
    this.#over.abort()
  }

  async #await(batch: ReadBatch, ids: ReadonlySet<SchemaId>, done: (error?: ConnectorError) => void): Promise<void> {
    const { signal } = this.#over
    let error: ConnectorError | undefined
    try {
      batch.schemas = await loadSchemas(this.#parts.store, ids, signal)
    } catch (thrown) {
      if (signal.aborted) return
      error = asConnectorError(thrown)
    }
    if (this.#waiting.delete(batch)) done(error)
  }

  #idsOf({ records, topic: name }: ReadBatch): ReadonlySet<SchemaId> {
    const ids = new Set<SchemaId>()
    for (const record of records) this.#encodingOf(record.from?.topic ?? name)?.addIds(record, ids)
    return ids
  }

  /** A topic that cannot be read says so when its record's turn comes. */
  #encodingOf(name: string): MappedTopic['encoding'] {
    try {
      return this.#parts.topic(name).encoding
    } catch {
      return undefined
    }
  }
}

type KnownSchema = ValueDecoder | SchemaProblem

/** Puts those that the store knows into `known`. @returns the others */
function takeKnown(
  store: Pick<SchemaStore, 'known'>,
  ids: readonly SchemaId[],
  known: Map<SchemaId, KnownSchema>,
): readonly SchemaId[] {
  return ids.filter((id) => {
    const schema = store.known(id)
    if (schema !== undefined) known.set(id, schema)
    return schema === undefined
  })
}

/** A store keeps no more than some thousands: garbage may name that many in one batch. */
const AT_ONCE = 1000

/** Loads schemas; waits as long as the registry is out of reach.
 *  @throws ConnectorError config when the registry refuses us; the signal's reason */
export async function loadSchemas(
  store: Pick<SchemaStore, 'known' | 'load'>,
  ids: ReadonlySet<SchemaId>,
  signal: AbortSignal,
): Promise<KnownSchemas> {
  const schemas = new Map<SchemaId, KnownSchema>()
  const all = [...ids]
  for (let from = 0; from < all.length; from += AT_ONCE) {
    let missing = takeKnown(store, all.slice(from, from + AT_ONCE), schemas)
    while (missing.length > 0) {
      await store.load(missing, signal)
      missing = takeKnown(store, missing, schemas)
    }
  }
  return schemas
}
