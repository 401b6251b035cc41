// Writes records so that none is lost: once `send` resolves they are in every in-sync replica. Each send is for one partition, because
// kafkajs silently drops records of a send to several when a leader changes. No send is retried by kafkajs, and each answer is checked.

import type { IHeaders, PartitionerArgs, Producer, RecordMetadata } from 'kafkajs'
import type { KafkaHeader } from '../types.ts'
import { closeKafkajs, connectOnce, kafkajsClient, type KafkaConnection } from './connection.ts'
import { KafkajsWire } from './wire.ts'

export interface NewRecord {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly KafkaHeader[]
}

/** How long the replicas may take to confirm. */
const CONFIRM_MS = 10_000
/** kafkajs's number for an answer that comes once all in-sync replicas have the records. */
const ALL_REPLICAS = -1
const NO_BYTES = Buffer.alloc(0)
/** Batches of at least this many bytes are compressed: otherwise a record that was read compressed may be too large for a topic. */
const LEAST_TO_COMPRESS = 65_536
/** Compression as the protocol numbers it. */
const PLAIN = 0
const GZIP = 1

export class KafkaProducer implements AsyncDisposable {
  readonly #wire: KafkajsWire
  readonly #producer: Producer
  readonly #connect: () => Promise<void>

  constructor(connection: KafkaConnection) {
    this.#wire = new KafkajsWire({ watch: connection.watch })
    const kafka = kafkajsClient(connection, this.#wire, {})
    this.#producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 }, createPartitioner })
    this.#connect = connectOnce(this.#producer)
  }

  /** Resolves when every in-sync replica has all records, in this order.
   *  @throws what kafkajs throws (see `kafkaProblem`), and whenever it is not certain that the records were written */
  async send(topic: string, partition: number, records: readonly NewRecord[]): Promise<void> {
    await this.#connect()
    const messages = records.map((record) => ({ ...record, headers: kafkajsHeaders(record.headers), partition }))
    const bytes = records.reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0)
    const compression = bytes < LEAST_TO_COMPRESS ? PLAIN : GZIP
    const answer = await this.#producer.send({ topic, acks: ALL_REPLICAS, timeout: CONFIRM_MS, compression, messages })
    if (!isConfirmed(answer, topic, partition)) throw new Error(`no confirmation for partition ${partition}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeKafkajs(this.#producer, this.#wire)
  }
}

/** Makes kafkajs use the partition that every message has set. */
function createPartitioner(): (args: PartitionerArgs) => number {
  return ({ message }) => message.partition ?? 0
}

/** Whether there is exactly one answer, of that partition, without error and with an offset. */
function isConfirmed(answer: readonly RecordMetadata[], topic: string, partition: number): boolean {
  const [only, ...others] = answer
  if (!only || others.length > 0) return false
  const { topicName, errorCode, baseOffset } = only
  return topicName === topic && only.partition === partition && errorCode === 0 && Number(baseOffset ?? -1) >= 0
}

/** Makes kafkajs encode headers in their order, with repeated names and null values. It expects an object of values by name, which has no
 *  order between repeated names and moves names such as "1" to the front, and it throws at a null. When a value is an array, kafkajs calls
 *  its `map` to get pairs of name and value; here the only value is an array whose `map` returns all headers. */
export function kafkajsHeaders(headers: readonly KafkaHeader[]): IHeaders {
  return { all: Object.assign<Buffer[], object>([], { map: () => headers.map(pairOf) }) }
}

function pairOf([key, value]: KafkaHeader): object {
  return value === null ? new NullHeader(key) : { key, value }
}

/** A header whose value is null. kafkajs reads `value` first for its length, where null would throw, so the first read gives no bytes. */
class NullHeader {
  readonly key: string
  #isMeasured = false

  constructor(key: string) {
    this.key = key
  }

  get value(): Buffer | null {
    if (this.#isMeasured) return null
    this.#isMeasured = true
    return NO_BYTES
  }
}
