// Gets the schemas that the records of fetched batches name: cached ones at once, others when the registry answers, however long that takes.

import { asConnectorError, type ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId, SchemaProblem, ValueDecoder } from '../../registry/types.ts'
import type { ReadBatch } from './types.ts'
import type { MappedTopic } from './stream-topics.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'

/** Most schemas that are loaded at once: a store keeps some thousands, and a batch of garbage may name more. */
const MOST_AT_ONCE = 1000

type LoadedSchemas = Map<SchemaId, ValueDecoder | SchemaProblem>

interface AwaitedSchemasParts {
  readonly store: Pick<SchemaStore, 'known' | 'load'>
  readonly clock: Pick<Clock, 'now'>
  /** Finds a topic. @throws ConnectorError when it cannot be stored as its entry says */
  topic(name: string): MappedTopic
}

/** One for a run. Call `prepare` for each batch that is fetched, `forget` for those that are dropped, `end` when nothing more is read. */
export class AwaitedSchemas {
  readonly #parts: AwaitedSchemasParts
  readonly #ending = new AbortController()
  /** The time since when each batch waits, in the order in which they began to wait. */
  readonly #waiting = new Map<ReadBatch, number>()

  constructor(parts: AwaitedSchemasParts) {
    this.#parts = parts
  }

  /** The time since when the batch waits that has waited longest. `undefined` when none waits. */
  get since(): number | undefined {
    const [first] = this.#waiting.values()
    return first
  }

  /** Sets the batch's `schemas`: at once where all are known; else to `awaited`, and to the schemas once they are there.
   *  @param done called only where they were awaited, once they are there, or with an error when the registry refuses us; never for a batch
   *  that was forgotten */
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
    this.#ending.abort()
  }

  async #await(batch: ReadBatch, ids: readonly SchemaId[], done: (error?: ConnectorError) => void): Promise<void> {
    let error: ConnectorError | undefined
    try {
      batch.schemas = await this.#load(ids)
    } catch (thrown) {
      if (this.#ending.signal.aborted) return
      error = asConnectorError(thrown)
    }
    if (this.#waiting.delete(batch)) done(error)
  }

  /** Loads schemas, and waits as long as the registry is out of reach. */
  async #load(ids: readonly SchemaId[]): Promise<KnownSchemas> {
    const schemas: LoadedSchemas = new Map()
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
      let missing = this.#addKnown(ids.slice(from, from + MOST_AT_ONCE), schemas)
      while (missing.length > 0) {
        await this.#parts.store.load(missing, this.#ending.signal)
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

  /** `undefined` when the topic needs no schemas, or cannot be stored: that error is thrown when its record's turn comes. */
  #encodingOf(name: string): MappedTopic['encoding'] {
    try {
      return this.#parts.topic(name).encoding
    } catch {
      return undefined
    }
  }
}
