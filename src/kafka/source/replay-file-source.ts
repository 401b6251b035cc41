// A file of dead letters as a source of the engine: each letter a record of the topic it was first read from. Decides nothing
// of delivery; how far the file is replayed is replay-file.ts's.

import type { Clock, Counts, Item, Source } from '../../core/types.ts'
import type { ReplayedRun } from '../dead-letters/dead-letter-replay.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import type { KafkaRecord } from '../types.ts'
import type { PrefixSpace } from '../../mapping/row-prefix.ts'
import { emptySlot } from '../../mapping/stream-mapping.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId } from '../../registry/types.ts'
import { loadSchemas } from './awaited-schemas.ts'
import { CHUNK_BYTES, CHUNK_MS } from './batch-items.ts'
import { heldBy, kafkaTrack, originOf } from './kafka-origin.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import type { ReplayFile } from './replay-file.ts'
import type { MappedTopic } from './stream-topics.ts'

export interface ReplayFileSourceOptions {
  readonly file: ReplayFile
  /** The mappers' space for heads. */
  readonly space: PrefixSpace
  readonly keepsRecords: boolean
  /** @throws ConnectorError when it cannot be stored */
  topic(name: string): MappedTopic
  /** Where a topic needs schemas. */
  readonly schemas: Pick<SchemaStore, 'known' | 'load'> | undefined
  readonly clock: Pick<Clock, 'now'>
  /** Resolves when the event loop has turned. */
  readonly turn: () => Promise<void>
}

type LetterItem = Item<bigint, KafkaOrigin>

const CHECKPOINT_COST = 512
const NO_SCHEMAS: KnownSchemas = new Map()

/** One use. */
export class ReplayFileSource implements Source<bigint, KafkaOrigin> {
  /** Letters so far. */
  readonly counts = { written: 0, rejected: 0 }
  readonly #options: ReplayFileSourceOptions
  readonly #track = kafkaTrack('dead letters', 0)
  /** Bytes that schemas made of letters since some were handed on. */
  #made = 0

  constructor(options: ReplayFileSourceOptions) {
    this.#options = options
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly LetterItem[]> {
    const { file, space, clock, turn } = this.#options
    for await (const { runs, next, error } of file.read(signal)) {
      let items: LetterItem[] = []
      this.#made = 0
      let until = clock.now() + CHUNK_MS
      space.reset()
      try {
        const schemas = await this.#schemasOf(runs, signal)
        if (signal.aborted) return
        for (const run of runs)
          for (const record of run.records) {
            if (this.#made >= CHUNK_BYTES || clock.now() >= until) {
              yield items
              await turn()
              if (signal.aborted) return
              items = []
              this.#made = 0
              until = clock.now() + CHUNK_MS
            }
            this.#map(run, record, schemas, items)
          }
      } catch (error) {
        yield items
        throw error
      }
      items.push({ kind: 'checkpoint', scope: this.#track, checkpoint: next, bytes: CHECKPOINT_COST })
      yield items
      if (error) throw error
    }
  }

  /** Nothing, once `signal` aborted. */
  async #schemasOf(runs: readonly ReplayedRun[], signal: AbortSignal): Promise<KnownSchemas> {
    const ids = new Set<SchemaId>()
    for (const { topic, records } of runs) {
      const { encoding } = this.#options.topic(topic)
      if (encoding) for (const record of records) encoding.addIds(record, ids)
    }
    if (ids.size === 0) return NO_SCHEMAS
    return await loadSchemas(this.#options.schemas!, ids, signal).catch((error: unknown) => {
      if (signal.aborted) return NO_SCHEMAS
      throw error
    })
  }

  #map({ topic: name, partition }: ReplayedRun, record: KafkaRecord, schemas: KnownSchemas, items: LetterItem[]): void {
    const { mapper, encoding, counts } = this.#options.topic(name)
    const origin = originOf(record, this.#options.keepsRecords, { topic: name, partition })
    const held = heldBy(origin)
    const read = encoding ? encoding.read(record, schemas) : record
    if (encoding && typeof read !== 'string') this.#made += (read.key?.length ?? 0) + (read.value?.length ?? 0)
    const item: LetterItem | undefined =
      typeof read === 'string'
        ? { kind: 'rejected', track: this.#track, table: mapper.table, reason: read, origin, held }
        : mapper.map(read, this.#track, partition, origin, held, emptySlot<KafkaOrigin>(origin))
    counts.records++
    if (item) items.push(item)
  }

  async settled(next: bigint, { written, rejected }: Counts): Promise<void> {
    await this.#options.file.commit(next)
    this.counts.written += written
    this.counts.rejected += rejected
  }
}
