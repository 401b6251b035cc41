// Reads all that lies in a topic, by a consumer group of its own that is gone afterwards.

import { randomUUID } from 'node:crypto'
import type { Admin, Kafka, KafkaMessage } from 'kafkajs'

/** A record as it lies in the log. */
export interface ReadRecord {
  readonly partition: number
  readonly offset: bigint
  readonly timestamp: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  /** Repeated names one after another. */
  readonly headers: readonly (readonly [name: string, value: Buffer | null])[]
}

/** @returns the records up to the partitions' ends at the time of the call, by partition and offset */
export async function readTopic(kafka: Kafka, admin: Admin, topic: string, signal: AbortSignal): Promise<ReadRecord[]> {
  const ends = new Map<number, bigint>()
  for (const { partition, high, low } of await admin.fetchTopicOffsets(topic))
    if (high !== low) ends.set(partition, BigInt(high))
  if (ends.size === 0) return []

  const records: ReadRecord[] = []
  const groupId = `reader-${randomUUID()}`
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100, allowAutoTopicCreation: false })
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const giveUp = (): void => reject(new Error(`topic ${topic} was not read to its end`, { cause: signal.reason }))
  signal.addEventListener('abort', giveUp)
  // tells of batches too that hold nothing but markers
  consumer.on('consumer.end_batch_process', ({ payload }) => {
    const end = ends.get(payload.partition)
    if (end !== undefined && BigInt(payload.lastOffset) + 1n >= end) ends.delete(payload.partition)
    if (ends.size === 0) resolve()
  })
  consumer.on('consumer.crash', ({ payload }) => {
    if (!payload.restart) reject(payload.error)
  })
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, messages } }) => {
        const end = ends.get(partition)
        for (const message of messages)
          if (end !== undefined && BigInt(message.offset) < end) records.push(record(partition, message))
      },
    })
    signal.throwIfAborted()
    await over
  } finally {
    signal.removeEventListener('abort', giveUp)
    await consumer.disconnect()
  }
  await admin.deleteGroups([groupId])
  return records.sort((a, b) => a.partition - b.partition || Number(a.offset - b.offset))
}

function record(partition: number, { offset, timestamp, key, value, headers = {} }: KafkaMessage): ReadRecord {
  return {
    partition,
    offset: BigInt(offset),
    timestamp: BigInt(timestamp),
    key,
    value,
    headers: Object.entries(headers).flatMap(([name, values]) =>
      headerValues(values).map((value) => [name, value] as const),
    ),
  }
}

/** kafkajs puts what every object inherits first when the name is that of such a thing: constructor, __proto__. */
function headerValues(values: unknown): (Buffer | null)[] {
  return [values].flat().filter((value): value is Buffer | null => value === null || Buffer.isBuffer(value))
}
