// A file of dead letters as a source: the records become items as those of topics do, and how far they are settled is kept beside
// the file. `stream --from-dead-letters` reads it where dead letters are in a file.

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
  /** Absent when no topic needs any. */
  readonly schemas?: AwaitedSchemas | undefined
  /** Resolves when the event loop has turned. */
  readonly turn: () => Promise<void>
}

const FILE = { topic: 'dead letters', partition: 0 }

/** One use. The file counts as one partition, whose offsets are bytes. */
export class ReplayFileSource implements Source<KafkaCheckpoint, KafkaOrigin> {
  /** What became of letters. */
  readonly counts = { written: 0, rejected: 0 }
  readonly #options: ReplayFileSourceOptions
  readonly #items: BatchItems
  readonly #letters: OwnedPartition

  constructor(options: ReplayFileSourceOptions) {
    this.#options = options
    this.#items = new BatchItems(options)
    const needsSchemas = options.schemas !== undefined
    this.#letters = new OwnedPartition({ ...FILE, offset: options.file.from }, this.counts, needsSchemas)
  }

  /** Letters read and settled, and those that the next replay reads again. */
  get progress(): { readonly settled: number; readonly unsettled: number } {
    const { settledRecords, unsettledRecords } = this.#letters
    return { settled: settledRecords, unsettled: unsettledRecords }
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly KafkaItem[]> {
    const { file, schemas, turn } = this.#options
    try {
      for await (const { records, next, error } of file.read(signal)) {
        const batch: ReadBatch = { ...FILE, records, next, error, bytes: 0, highWatermark: next }
        await this.#awaitSchemas(batch, signal)
        if (signal.aborted) return
        this.#letters.fetched(batch, 0)
        for (const items of this.#items.of(this.#letters)) {
          yield items
          // letters that take long to read must not hold up answers
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

  /** Resolves when the schemas of the batch are there, however long that takes, or `signal` aborts.
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
