// A fetched batch as items: chunks of records, and behind each where to go on.

import type { Clock, Item, RecordItem, RejectedItem } from '../../core/types.ts'
import type { KnownSchemas, TopicEncoding } from '../topics/topic-encoding.ts'
import type { KafkaRecord, TopicPartition } from '../types.ts'
import type { MapperSpace } from '../../mapping/mapper-space.ts'
import { emptySlot } from '../../mapping/stream-mapping.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import { heldBy, originOf } from './kafka-origin.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import type { KafkaCheckpoint, OwnedPartition } from './owned-partition.ts'
import type { MappedTopic } from './stream-topics.ts'
import type { ReadBatch, ReadRecord } from './types.ts'

type KafkaItem = Item<KafkaCheckpoint, KafkaOrigin>

/** Time a chunk takes at most, but for its last records: the event loop turns in between, for heartbeats and answers. */
export const CHUNK_MS = 25
/** Records after which the time is looked at, and bytes of one after which it is at once; where schemas are needed it is after
 *  each: a value of few bytes may take long, whether it can be read or not. */
const LOOK_EVERY = 16
const LARGE = 64 * 1024
/** Records a chunk. */
const CHUNK = 500
/** Records between two checkpoints at most: as many as a request holds, for of a step that is settled in part nothing is
 *  committed. */
const STEP = 100
/** Bytes a chunk of values that a schema made JSON of: few bytes may have become many. */
export const CHUNK_BYTES = 4 * 1024 * 1024
const CHECKPOINT_COST = 512

/** A record and the item it became, which is valid until the next one. */
export interface SampledRecord {
  readonly stored: KafkaRecord
  /** The record as a schema made it, where one did; a text says why none could. */
  readonly read: KafkaRecord | string
  readonly at: TopicPartition
  readonly schemas: ReadBatch['schemas']
  /** `undefined` when the record is ignored. */
  readonly item: RecordItem<KafkaOrigin> | RejectedItem<KafkaOrigin> | undefined
}

/** Sees each record beside the run. */
export interface RecordSampler {
  record(topic: MappedTopic, sampled: SampledRecord): void
  /** Takes the error of a record that ends the run.
   *  @returns whether reading goes on behind it all the same */
  stopped(topic: MappedTopic, error: unknown): boolean
}

export interface BatchItemsOptions {
  readonly space: MapperSpace
  readonly clock: Pick<Clock, 'now'>
  /** Whether a record's origin is all of it, or only its offset. */
  readonly keepsRecords: boolean
  readonly sampler?: RecordSampler | undefined
  /** Whether nothing is read behind a rejected record. */
  readonly endsAtRejected?: boolean
  /** @throws ConnectorError when it cannot be read */
  topic(name: string): MappedTopic
}

/** Items are consumed before the next chunk is asked for, so each takes the same slots. */
export class BatchItems {
  readonly #options: BatchItemsOptions
  readonly #slots: ItemSlot<KafkaOrigin>[] = []
  readonly #items: KafkaItem[] = []
  /** Bytes that schemas made of this chunk's records. */
  #made = 0

  constructor(options: BatchItemsOptions) {
    this.#options = options
  }

  /** Makes the items of what is left of the partition's first batch, a chunk at a time; `taken` is then beyond its
   *  records.
   *  @throws ConnectorError where a policy says stop: what came before is yielded first, with a checkpoint right
   *  before it */
  *of(partition: OwnedPartition): Generator<readonly KafkaItem[]> {
    const batch = partition.batches[0]!
    const { records, error } = batch
    do {
      const items = this.#items
      items.length = 0
      this.#options.space.reset()
      const stopped = this.#fill(partition, records)
      if (stopped) {
        items.push(checkpoint(partition, placeOf(records[partition.taken]!)))
        yield items
        throw stopped.error
      }
      const next = records[partition.taken]
      items.push(checkpoint(partition, next ? placeOf(next) : batch.next, batch.isMove))
      if (!next) partition.taken = records.length + 1
      yield items
    } while (partition.taken < records.length)
    if (error) throw error
  }

  #fill(owned: OwnedPartition, records: readonly ReadRecord[]): { error: unknown } | undefined {
    const end = Math.min(owned.taken + CHUNK, records.length)
    const { clock } = this.#options
    const until = clock.now() + CHUNK_MS
    this.#made = 0
    for (let slot = 0; owned.taken < end && this.#made < CHUNK_BYTES; slot++) {
      const record = records[owned.taken]!
      let isEnd = false
      try {
        const item = this.#item(record, owned, slot)
        if (slot > 0 && slot % STEP === 0) this.#items.push(checkpoint(owned, placeOf(record)))
        // the run may end there: what comes before it counts
        if (item?.kind === 'rejected' && !this.#options.keepsRecords)
          this.#items.push(checkpoint(owned, placeOf(record)))
        if (item) this.#items.push(item)
        isEnd = item?.kind === 'rejected' && this.#options.endsAtRejected === true
      } catch (error) {
        const { sampler } = this.#options
        if (sampler?.stopped(this.#options.topic(owned.track.topic), error) !== true) return { error }
      }
      owned.taken++
      owned.read++
      const isTimeDue =
        owned.needsSchemas || slot % LOOK_EVERY === LOOK_EVERY - 1 || (record.value?.length ?? 0) > LARGE
      if (isEnd || (isTimeDue && clock.now() >= until)) break
    }
    return undefined
  }

  #item(record: ReadRecord, owned: OwnedPartition, slot: number): KafkaItem | undefined {
    const { from } = record
    const { track, batches } = owned
    const { topic: name, partition } = from ?? track
    const topic = this.#options.topic(name)
    const origin = originOf(record, this.#options.keepsRecords, from)
    const held = heldBy(origin)
    const read = topic.encoding ? this.#read(record, topic.encoding, batches[0]!.schemas as KnownSchemas) : record
    const { mapper } = topic
    if (typeof read === 'string') mapper.route?.begin()
    // letters stand side by side by chance
    if (from) track.marked = undefined
    const item =
      typeof read === 'string'
        ? mapper.rejected(track, { rejected: read }, origin, held)
        : mapper.map(read, track, partition, origin, held, this.#slot(slot))
    if (mapper.route && typeof origin === 'object') origin.route = mapper.route.value
    if (mapper.route && !from) owned.took(item && (mapper.route.found?.counts ?? mapper.route.rest))
    topic.counts.records++
    this.#options.sampler?.record(topic, {
      stored: record,
      read,
      at: from ?? track,
      schemas: batches[0]!.schemas,
      item,
    })
    return item
  }

  #read(record: ReadRecord, encoding: TopicEncoding, schemas: KnownSchemas): KafkaRecord | string {
    const read = encoding.read(record, schemas)
    if (typeof read !== 'string') this.#made += (read.key?.length ?? 0) + (read.value?.length ?? 0)
    return read
  }

  #slot(index: number): ItemSlot<KafkaOrigin> {
    return (this.#slots[index] ??= emptySlot<KafkaOrigin>(0n))
  }
}

/** The place of a record in what is read. */
function placeOf({ at, offset }: ReadRecord): bigint {
  return at ?? offset
}

function checkpoint(partition: OwnedPartition, next: bigint, isMove = false): KafkaItem {
  return {
    kind: 'checkpoint',
    scope: partition.track,
    checkpoint: { partition, next, read: partition.read, isMove },
    bytes: CHECKPOINT_COST,
  }
}
