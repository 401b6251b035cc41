// Gets the schemas that records name: cached ones at once, others when the registry answers, however long that takes.

import { asConnectorError, type ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId, SchemaProblem, ValueDecoder } from '../../registry/types.ts'
import type { ReadBatch } from './types.ts'
import type { MappedTopic } from './stream-topics.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'

/** Schemas that are loaded before the next ones: a store keeps some thousands at most, and garbage may name more in one batch. */
const MOST_AT_ONCE = 1000

type LoadedSchemas = Map<SchemaId, ValueDecoder | SchemaProblem>

interface AwaitedSchemasParts {
  readonly store: Pick<SchemaStore, 'known' | 'load'>
  readonly clock: Pick<Clock, 'now'>
  /** @throws ConnectorError when it cannot be read */
  topic(name: string): MappedTopic
}

/** One use. `prepare` for each batch that is fetched, `forget` for those that are dropped, `end` when nothing is read any more. */
export class AwaitedSchemas {
  readonly #parts: AwaitedSchemasParts
  readonly #over = new AbortController()
  /** Since when each batch waits, in the order in which they began to. */
  readonly #waiting = new Map<ReadBatch, number>()

  constructor(parts: AwaitedSchemasParts) {
    this.#parts = parts
  }

  /** The time since when the partition waits that waits longest. `undefined` when none does. */
  get since(): number | undefined {
    const [first] = this.#waiting.values()
    return first
  }

  /** Sets the batch's `schemas`: at once where all are known, else to `awaited`, and to the schemas when they came.
   *  @param done called when they came, unless the batch was forgotten: with an error when the registry refuses us */
  prepare(batch: ReadBatch, done: (error?: ConnectorError) => void): void {
    const ids = [...this.#idsOf(batch)]
    const schemas: LoadedSchemas = new Map()
    const isComplete = this.#addKnown(ids, schemas).length === 0
    batch.schemas = isComplete ? schemas : 'awaited'
    if (isComplete) return
    this.#waiting.set(batch, this.#parts.clock.now())
    void this.#await(batch, ids, done)
  }

  forget(batches: readonly ReadBatch[]): void {
    for (const batch of batches) this.#waiting.delete(batch)
  }

  end(): void {
    this.#over.abort()
  }

  async #await(batch: ReadBatch, ids: readonly SchemaId[], done: (error?: ConnectorError) => void): Promise<void> {
    let error: ConnectorError | undefined
    try {
      batch.schemas = await this.#load(ids)
    } catch (thrown) {
      if (this.#over.signal.aborted) return
      error = asConnectorError(thrown)
    }
    if (this.#waiting.delete(batch)) done(error)
  }

  /** Waits as long as the registry is out of reach. */
  async #load(ids: readonly SchemaId[]): Promise<KnownSchemas> {
    const schemas: LoadedSchemas = new Map()
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
      let missing = this.#addKnown(ids.slice(from, from + MOST_AT_ONCE), schemas)
      while (missing.length > 0) {
        await this.#parts.store.load(missing, this.#over.signal)
        missing = this.#addKnown(missing, schemas)
      }
    }
    return schemas
  }

  /** Adds those that the store knows to `schemas`.
   *  @returns the ids of the others */
  #addKnown(ids: readonly SchemaId[], schemas: LoadedSchemas): readonly SchemaId[] {
    return ids.filter((id) => {
      const schema = this.#parts.store.known(id)
      if (schema !== undefined) schemas.set(id, schema)
      return schema === undefined
    })
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
