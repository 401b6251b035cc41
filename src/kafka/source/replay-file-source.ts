// A file of dead letters as a source of the engine, for `stream --from-dead-letters`: its records become items as those of topics do, and how
// far they are settled is kept beside the file.

import { until } from '../../process/waiting.ts'
import type { Counts, Source } from '../../core/types.ts'
import type { AwaitedSchemas } from './awaited-schemas.ts'
import { BatchItems, type BatchItemsOptions, type KafkaItem } from './batch-items.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import { OwnedPartition, type KafkaCheckpoint } from './owned-partition.ts'
import type { ReplayFile } from './replay-file.ts'
import type { ReadBatch } from './types.ts'

interface ReplayFileSourceOptions extends BatchItemsOptions {
  readonly file: Pick<ReplayFile, 'from' | 'read' | 'commit'>
  /** `undefined` when no topic needs schemas. */
  readonly schemas?: AwaitedSchemas | undefined
  /** Resolves when the event loop has turned. */
  readonly turn: () => Promise<void>
}

/** The file counts as this one partition, whose offsets are places in the file, in bytes. */
const FILE_PARTITION = { topic: 'dead letters', partition: 0 }

/** One for a run. Nothing is fetched ahead: one batch is taken whole before the next one is read. */
export class ReplayFileSource implements Source<KafkaCheckpoint, KafkaOrigin> {
  /** How many records of letters were stored, and rejected again. */
  readonly counts = { written: 0, rejected: 0 }
  readonly #options: ReplayFileSourceOptions
  readonly #items: BatchItems
  readonly #letters: OwnedPartition

  constructor(options: ReplayFileSourceOptions) {
    this.#options = options
    this.#items = new BatchItems(options)
    const needsSchemas = options.schemas !== undefined
    this.#letters = new OwnedPartition({ ...FILE_PARTITION, offset: options.file.from }, this.counts, needsSchemas)
  }

  /** How many letters are settled, and how many were read and are not: the next replay reads those again. */
  get progress(): { readonly settled: number; readonly unsettled: number } {
    const { settledRecords, unsettledRecords } = this.#letters
    return { settled: settledRecords, unsettled: unsettledRecords }
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly KafkaItem[]> {
    const { file, schemas, turn } = this.#options
    try {
      for await (const { records, next, error } of file.read(signal)) {
        // no limit counts its bytes, and nothing asks for its high watermark
        const batch: ReadBatch = { ...FILE_PARTITION, records, next, error, bytes: 0, highWatermark: next }
        await this.#awaitSchemas(batch, signal)
        if (signal.aborted) return
        // its age is not asked for
        this.#letters.fetched(batch, 0)
        for (const items of this.#items.of(this.#letters)) {
          yield items
          // letters that take long to map must not hold up the answers of the service
          await turn()
          if (signal.aborted) return
        }
        this.#letters.dropTaken()
      }
    } finally {
      schemas?.end()
    }
  }

  async settled({ next, readRecords }: KafkaCheckpoint, { written, rejected }: Counts): Promise<void> {
    this.#letters.settle(next, written, rejected, readRecords)
    await this.#options.file.commit(next)
  }

  /** Resolves when the schemas of the batch's records are there, however long that takes, or `signal` aborts.
   *  @throws ConnectorError when the registry refuses us */
  async #awaitSchemas(batch: ReadBatch, signal: AbortSignal): Promise<void> {
    const prepared = Promise.withResolvers<void>()
    this.#options.schemas?.prepare(batch, (error) => (error ? prepared.reject(error) : prepared.resolve()))
    if (batch.schemas !== 'awaited') return
    await until(prepared.promise, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}
