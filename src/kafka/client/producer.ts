// Writes records so that none is lost: what resolves is in every replica in sync. The client drops records of a send over several
// partitions in silence when a leader changes, so each send is of one, without retries of its own, and its answer is read.

import type { IHeaders, PartitionerArgs, Producer, RecordMetadata } from 'kafkajs'
import type { KafkaHeader } from '../types.ts'
import { closeKafkajs, connectOnce, kafkajsClient } from './connection.ts'
import type { KafkaConnection } from './connection.ts'
import { KafkajsWire } from './wire.ts'

export interface NewRecord {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly KafkaHeader[]
}

/** For the replicas to confirm. */
const CONFIRM_MS = 10_000
const NOTHING = Buffer.alloc(0)

export class KafkaProducer implements AsyncDisposable {
  readonly #wire = new KafkajsWire()
  readonly #producer: Producer
  readonly #connect: () => Promise<void>

  /** @param log given lines of the client's own log: not scrubbed yet */
  constructor(connection: KafkaConnection, log?: (message: string) => void) {
    const kafka = kafkajsClient(connection, this.#wire, { log })
    this.#producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 }, createPartitioner })
    this.#connect = connectOnce(this.#producer)
  }

  /** Resolves when every replica in sync has all of them, in this order.
   *  @throws what the client throws (see `kafkaProblem`), and whenever they are not surely there */
  async send(topic: string, partition: number, records: readonly NewRecord[]): Promise<void> {
    await this.#connect()
    const messages = records.map(({ key, value, headers }) => ({
      key,
      value,
      headers: kafkajsHeaders(headers),
      partition,
    }))
    const answer = await this.#producer.send({ topic, acks: -1, timeout: CONFIRM_MS, messages })
    if (!isConfirmed(answer, topic, partition)) throw new Error(`no confirmation for partition ${partition}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeKafkajs(this.#producer, this.#wire)
  }
}

/** Each message names its partition. */
function createPartitioner(): (args: PartitionerArgs) => number {
  return ({ message }) => message.partition ?? 0
}

/** The one answer there must be. */
function isConfirmed(answer: readonly RecordMetadata[], topic: string, partition: number): boolean {
  const [one, ...more] = answer
  if (!one || more.length > 0) return false
  const { topicName, errorCode, baseOffset } = one
  return topicName === topic && one.partition === partition && errorCode === 0 && Number(baseOffset ?? -1) >= 0
}

/** Headers as kafkajs encodes them, in their own order, with repeated names and without values. What it offers for headers is an
 *  object: that has no order between repeated names, puts names such as "1" first, and throws at a null. It asks an array of values
 *  for name and value pairs by `map`, once each time it encodes, and is given all headers there are. */
export function kafkajsHeaders(headers: readonly KafkaHeader[]): IHeaders {
  return { all: Object.assign<Buffer[], object>([], { map: () => headers.map(pairOf) }) }
}

function pairOf([key, value]: KafkaHeader): object {
  return value === null ? new NullHeader(key) : { key, value }
}

/** kafkajs measures a value before it looks whether there is one. */
class NullHeader {
  readonly key: string
  #isMeasured = false

  constructor(key: string) {
    this.key = key
  }

  get value(): Buffer | null {
    if (this.#isMeasured) return null
    this.#isMeasured = true
    return NOTHING
  }
}
