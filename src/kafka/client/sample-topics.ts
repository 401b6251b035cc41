// Reads a part of some partitions once, to look at the records: with a group of its own that nothing is committed to.
// (kafkajs cannot fetch without a group.)

import type { Consumer } from 'kafkajs'
import { KafkaAdmin } from './admin.ts'
import { closeKafkajs, kafkajsGroupClient } from './connection.ts'
import type { KafkaConnection } from './connection.ts'
import { packedBatchesOf } from './stand-ins.ts'
import type { KafkajsBatch } from './stand-ins.ts'
import { asError, until } from './waiting.ts'
import { KafkajsWire } from './wire.ts'
import { readParts, readWhole, unreadableOf } from '../log/read-packed.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import { unreadable } from '../log/record-batch.ts'
import type { KafkaRecord, TopicPartition } from '../types.ts'

/** Offsets `from` up to and without `to`. */
export interface PartitionSpan extends TopicPartition {
  readonly from: bigint
  readonly to: bigint
}

export interface SampleOptions {
  readonly connection: KafkaConnection
  /** One that nobody else has. It is deleted in the end, if this user may. */
  readonly group: string
  /** None twice, none empty. */
  readonly spans: readonly PartitionSpan[]
  /** Bytes of keys and values that are enough. */
  readonly maxBytes: number
  /** Its buffers are views: copy what is to be kept. */
  take(at: TopicPartition, record: KafkaRecord): void
  /** A broker's error, in the client's words: to be scrubbed. */
  brokerError(error: string): void
}

const CLIENT = {
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 10_000,
  heartbeatMs: 3000,
  maxWaitMs: 250,
  maxBytesPerPartition: 256 * 1024,
  maxBytes: 4 * 1024 * 1024,
  metadataMaxAgeMs: 300_000,
}
/** How long tidying up may take. */
const DELETE_MS = 2000

/** @param end aborts when it is to be waited for no longer
 *  @returns whether all was read, as far as `maxBytes` went
 *  @throws what the client throws when it cannot read: see `kafkaProblem` */
export async function sampleTopics(options: SampleOptions, end: AbortSignal): Promise<boolean> {
  const { connection, group } = options
  const wire = new KafkajsWire({ fetchWaitMs: CLIENT.maxWaitMs })
  const reading = new Reading(options)
  try {
    const consumer = kafkajsGroupClient({ ...CLIENT, connection, group }, wire, {
      outOfRange: (topic, partition) => reading.gone({ topic, partition }),
      brokerError: (error) => options.brokerError(error),
    })
    try {
      await until(reading.run(consumer), end)
      return true
    } finally {
      await closeKafkajs(consumer, wire)
      await deleteGroup(connection, group)
    }
  } catch (error) {
    if (end.aborted) return false
    throw error
  }
}

/** Retention may take the offsets while they are read. Thrown through kafkajs, which would commit a beginning. */
class OffsetGone extends Error {
  readonly retriable = true
}

class Reading {
  readonly #options: SampleOptions
  /** By partition, what is still to be read. */
  readonly #open: Map<string, PartitionSpan>
  readonly #done = Promise.withResolvers<void>()
  #consumer: Consumer | undefined
  #bytes = 0

  constructor(options: SampleOptions) {
    this.#options = options
    this.#open = new Map(options.spans.map((span) => [nameOf(span), span]))
  }

  async run(consumer: Consumer): Promise<void> {
    this.#consumer = consumer
    const { events } = consumer
    consumer.on(events.GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment))
    consumer.on(events.CRASH, ({ payload }) => this.#done.reject(payload.error))
    consumer.on(events.END_BATCH_PROCESS, ({ payload: { topic, partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) this.#read({ topic, partition }, BigInt(lastOffset))
    })
    // a crash may come before it is waited for
    this.#done.promise.catch(() => {})
    await consumer.connect()
    await consumer.subscribe({ topics: [...new Set(this.#options.spans.map(({ topic }) => topic))] })
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        const { batch } = payload
        const { topic, partition } = batch
        await this.#takeAll({ topic, partition }, batch)
        payload.resolveOffset(batch.lastOffset())
        this.#read({ topic, partition }, BigInt(batch.lastOffset()))
      },
    })
    await this.#done.promise
  }

  gone(at: TopicPartition): never {
    this.#finish(at)
    throw new OffsetGone(`the sampled offsets of topic ${at.topic}, partition ${at.partition} are gone`)
  }

  #joined(assignment: Readonly<Record<string, number[]>>): void {
    for (const [topic, partitions] of Object.entries(assignment))
      for (const partition of partitions) {
        const span = this.#open.get(nameOf({ topic, partition }))
        if (span) this.#consumer!.seek({ topic, partition, offset: `${span.from}` })
        else this.#consumer!.pause([{ topic, partitions: [partition] }])
      }
  }

  async #takeAll(at: TopicPartition, { messages, fetchedOffset }: KafkajsBatch): Promise<void> {
    const span = this.#open.get(nameOf(at))
    if (!span) return
    let next = BigInt(fetchedOffset ?? span.from)
    for (const batch of packedBatchesOf(messages)) {
      try {
        for await (const records of recordsOf(batch)) {
          for (const record of records) {
            next = record.offset + 1n
            if (record.offset >= span.from && record.offset < span.to && !this.#isEnough) this.#take(at, record)
          }
          if (this.#isEnough || next >= span.to) return
        }
      } catch (error) {
        const bad = unreadableOf(batch, error)
        if ((bad.offsets?.first ?? next) < span.to) this.#done.reject(unreadable(at, bad, next))
        return
      }
    }
  }

  #take(at: TopicPartition, record: KafkaRecord): void {
    this.#bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
    try {
      this.#options.take(at, record)
    } catch (error) {
      this.#done.reject(asError(error))
    }
  }

  get #isEnough(): boolean {
    return this.#bytes >= this.#options.maxBytes
  }

  #read(at: TopicPartition, last: bigint): void {
    const span = this.#open.get(nameOf(at))
    if (span && last + 1n >= span.to) this.#finish(at)
    if (this.#isEnough) this.#done.resolve()
  }

  #finish(at: TopicPartition): void {
    const { topic, partition } = at
    this.#open.delete(nameOf(at))
    this.#consumer!.pause([{ topic, partitions: [partition] }])
    if (this.#open.size === 0) this.#done.resolve()
  }
}

/** Without it the broker forgets the group, as it is empty, by itself. */
async function deleteGroup(connection: KafkaConnection, group: string): Promise<void> {
  try {
    await using admin = new KafkaAdmin({ connection, end: AbortSignal.timeout(DELETE_MS) })
    await admin.deleteGroup(group)
  } catch {
    // nothing was committed to it
  }
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`
}

/** All of it, part by part. @throws UnpackError */
async function* recordsOf(batch: PackedBatch): AsyncGenerator<readonly KafkaRecord[]> {
  const read = await readWhole(batch)
  if (read !== 'large') yield read.records
  else for await (const { records } of readParts(batch)) yield records
}
