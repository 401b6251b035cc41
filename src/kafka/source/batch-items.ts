// Makes the engine's items of fetched batches. A batch becomes chunks of items, each short enough that the event loop turns in between. Each
// chunk ends with a checkpoint: the offset that may be committed once all before it is settled.

import type { Clock, Item, RecordItem, RejectedItem } from '../../core/types.ts'
import type { KnownSchemas, TopicEncoding } from '../topics/topic-encoding.ts'
import type { KafkaRecord, TopicPartition } from '../types.ts'
import type { MapperSpace } from '../../mapping/mapper-space.ts'
import { emptySlot, type ItemSlot } from '../../mapping/stream-mapping.ts'
import { heldBy, originOf, type KafkaOrigin } from './kafka-origin.ts'
import type { KafkaCheckpoint, OwnedPartition } from './owned-partition.ts'
import type { MappedTopic } from './stream-topics.ts'
import type { ReadBatch, ReadRecord } from './types.ts'

export type KafkaItem = Item<KafkaCheckpoint, KafkaOrigin>

/** A chunk ends once it has taken this long. The event loop then turns, for heartbeats and answers. */
export const CHUNK_MS = 25
/** The clock is read after so many records, and after a record of more bytes than LARGE_BYTES. Where schemas are needed it is read after each
 *  record, because a value of few bytes may take long to decode. */
const LOOK_EVERY = 16
const LARGE_BYTES = 64 * 1024
/** Most records of a chunk. */
const CHUNK_RECORDS = 500
/** Most records between two checkpoints: as many as a request holds, since nothing is committed of what is settled in part. */
const CHECKPOINT_EVERY = 100
/** A chunk ends once schemas made so many bytes of JSON: few bytes may have become many. */
export const CHUNK_BYTES = 4 * 1024 * 1024
/** Bytes that a checkpoint holds in memory, about. */
const CHECKPOINT_BYTES = 512

/** A record, as it is in the log (`stored`), and the item it became, which is valid until the next record's. */
export interface SampledRecord {
  readonly stored: KafkaRecord
  /** The record in JSON: as a schema made it, or the stored one if no schema is needed. */
  readonly read: KafkaRecord
  /** The partition where it was first read. */
  readonly from: TopicPartition
  /** The schemas of its batch, by one of which it may have been read. */
  readonly schemas: ReadBatch['schemas']
  /** `undefined` when the record is ignored. */
  readonly item: RecordItem<KafkaOrigin> | RejectedItem<KafkaOrigin> | undefined
}

/** Gets to see each record that is read. */
export interface RecordSampler {
  record(topic: MappedTopic, sampled: SampledRecord): void
  /** Gets the error of a record at which a policy ends the run.
   *  @returns whether reading goes on behind that record all the same */
  stopped(topic: MappedTopic, error: unknown): boolean
}

export interface BatchItemsOptions {
  /** The memory that items of a chunk are made in. */
  readonly space: MapperSpace
  readonly clock: Pick<Clock, 'now'>
  /** Whether an item's origin is the whole record, to be kept if it is rejected; otherwise only its offset. */
  readonly keepsRecords: boolean
  readonly sampler?: RecordSampler | undefined
  /** Whether a chunk ends at a rejected record, because the run ends there. */
  readonly endsAtRejected?: boolean
  /** Finds a topic. @throws ConnectorError when it cannot be stored as its entry says */
  topic(name: string): MappedTopic
}

/** Each source (KafkaSource, ReplayFileSource) makes one, and calls `of` for a partition's first batch. A chunk must be consumed before the
 *  next one is asked for, which uses the same slots, array and space again. */
export class BatchItems {
  readonly #options: BatchItemsOptions
  /** Items, which are filled again for each chunk; until then a new one has the offset 0 as its origin. */
  readonly #slots: ItemSlot<KafkaOrigin>[] = []
  readonly #items: KafkaItem[] = []
  /** Bytes that schemas made of this chunk's records. */
  #madeBytes = 0

  constructor(options: BatchItemsOptions) {
    this.#options = options
  }

  /** Yields the items of what is left of the partition's first batch, chunk by chunk. Moves the partition's `taken` and `readRecords` on; in
   *  the end `taken` is one more than the batch has records (`OwnedPartition.taken`).
   *  @throws ConnectorError where a policy ends the run at a record, behind the items before it and a checkpoint at it; the batch's own
   *  error, behind all items */
  *of(partition: OwnedPartition): Generator<readonly KafkaItem[]> {
    const batch = partition.batches[0]!
    const { records, error } = batch
    do {
      const items = this.#items
      items.length = 0
      this.#options.space.reset()
      const policyStop = this.#fill(partition, records)
      if (policyStop) {
        items.push(checkpoint(partition, checkpointOffset(records[partition.taken]!)))
        yield items
        throw policyStop.error
      }
      const next = records[partition.taken]
      items.push(checkpoint(partition, next ? checkpointOffset(next) : batch.next, batch.isMove))
      if (!next) partition.taken = records.length + 1
      yield items
    } while (partition.taken < records.length)
    if (error) throw error
  }

  /** Fills `#items` with the next chunk, but for the checkpoint at its end.
   *  @returns the error of the record at which a policy ends the run, which is not taken; `undefined` when there is none */
  #fill(owned: OwnedPartition, records: readonly ReadRecord[]): { error: unknown } | undefined {
    const end = Math.min(owned.taken + CHUNK_RECORDS, records.length)
    const { clock } = this.#options
    const until = clock.now() + CHUNK_MS
    this.#madeBytes = 0
    for (let slot = 0; owned.taken < end && this.#madeBytes < CHUNK_BYTES; slot++) {
      const record = records[owned.taken]!
      let endsChunk = false
      try {
        const item = this.#item(record, owned, slot)
        if (slot > 0 && slot % CHECKPOINT_EVERY === 0) this.#items.push(checkpoint(owned, checkpointOffset(record)))
        const isRejected = item?.kind === 'rejected'
        // without dead letters the run ends at this record: all before it is to be committed
        if (isRejected && !this.#options.keepsRecords) this.#items.push(checkpoint(owned, checkpointOffset(record)))
        if (item) this.#items.push(item)
        endsChunk = isRejected && this.#options.endsAtRejected === true
      } catch (error) {
        const { sampler } = this.#options
        if (sampler?.stopped(this.#options.topic(owned.track.topic), error) !== true) return { error }
      }
      owned.taken++
      owned.readRecords++
      const looksAtClock =
        owned.needsSchemas || slot % LOOK_EVERY === LOOK_EVERY - 1 || (record.value?.length ?? 0) > LARGE_BYTES
      if (endsChunk || (looksAtClock && clock.now() >= until)) break
    }
    return undefined
  }

  /** Makes the item of a record, in the slot of this index. `undefined` when the record is ignored. */
  #item(record: ReadRecord, owned: OwnedPartition, slot: number): KafkaItem | undefined {
    const { from: letterFrom } = record
    const { track, batches } = owned
    const from = letterFrom ?? track
    const topic = this.#options.topic(from.topic)
    const origin = originOf(record, this.#options.keepsRecords, letterFrom)
    // a batch is taken only once its schemas are there
    const { schemas } = batches[0]!
    const read = topic.encoding ? this.#read(record, topic.encoding, schemas as KnownSchemas) : record
    // the record before a dead letter's is not the one that was before it in its own partition
    if (letterFrom) track.marked = undefined
    const { mapper } = topic
    const into = (this.#slots[slot] ??= emptySlot<KafkaOrigin>(0n))
    const item = mapper.map(read, track, from.partition, origin, heldBy(origin), into)
    if (mapper.route && typeof origin === 'object') origin.route = mapper.route.lastValue
    // the counts of the table that this record goes to, or those of records without a table
    if (mapper.route && !letterFrom)
      owned.noteTable(item && (mapper.route.lastListed?.counts ?? mapper.route.unroutedCounts))
    topic.counts.records++
    this.#options.sampler?.record(topic, { stored: record, read, from, schemas, item })
    return item
  }

  #read(record: ReadRecord, encoding: TopicEncoding, schemas: KnownSchemas): KafkaRecord {
    const read = encoding.read(record, schemas)
    if (!read.unread) this.#madeBytes += (read.key?.length ?? 0) + (read.value?.length ?? 0)
    return read
  }
}

/** The offset by which a checkpoint names a record: of a replayed dead letter, the letter's own. */
function checkpointOffset({ letterOffset, offset }: ReadRecord): bigint {
  return letterOffset ?? offset
}

function checkpoint(partition: OwnedPartition, next: bigint, isMove = false): KafkaItem {
  return {
    kind: 'checkpoint',
    scope: partition.track,
    checkpoint: { partition, next, readRecords: partition.readRecords, isMove },
    bytes: CHECKPOINT_BYTES,
  }
}
