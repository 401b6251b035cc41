// Questions about a cluster that need no membership: topics, offsets. Decides nothing.

import type { Admin } from 'kafkajs'
import type { PartitionPosition } from '../types.ts'
import { closeKafkajs } from './close-kafkajs.ts'
import { connectOnce } from './connect-once.ts'
import { kafkajsClient } from './kafkajs-connection.ts'
import type { KafkaConnection } from './kafkajs-connection.ts'
import { KafkajsWire } from './kafkajs-wire.ts'
import type { OffsetRange } from './start-position.ts'
import { uncommittedEnds } from './uncommitted-ends.ts'

/** Every question connects by itself, tries a few times and throws kafkajs's errors (see `kafkaProblem`). Once asked about
 *  a topic it asks for its leaders with every question, and fails with all of them when that topic is deleted: make
 *  another then. */
export interface KafkaAdmin extends AsyncDisposable {
  /** Names of all topics that may be seen, the cluster's own (`__…`) too. */
  topics(): Promise<readonly string[]>
  /** Of each partition of the topic. */
  ranges(topic: string): Promise<ReadonlyMap<number, OffsetRange>>
  /** Of each partition the first offset whose record is not older; its end if there is none.
   *  @param timestamp milliseconds since 1970 */
  offsetsAt(topic: string, timestamp: bigint): Promise<ReadonlyMap<number, bigint>>
  /** Partitions without committed offset are left out; -1 and -2 are none. Deleting a topic deletes its offsets too. */
  committed(group: string, topics: readonly string[]): Promise<readonly PartitionPosition[]>
}

export interface KafkaAdminOptions {
  readonly connection: KafkaConnection
  /** Lines of the client's own log: not scrubbed yet. */
  readonly said?: (message: string) => void
  /** A broker's error in the client's words: not scrubbed yet. */
  readonly answered?: (error: string) => void
  /** Ends of partitions (`high` of a range) have the records of open transactions: to count what waits. Else they are before
   *  the first of these, where a reader of committed records gets to. */
  readonly countsOpen?: boolean
}

export function kafkajsAdmin(options: KafkaAdminOptions): KafkaAdmin {
  return new KafkajsAdmin(options)
}

class KafkajsAdmin implements KafkaAdmin {
  readonly #wire = new KafkajsWire()
  readonly #admin: Admin
  readonly #connected: () => Promise<void>

  constructor({ connection, said, answered, countsOpen = false }: KafkaAdminOptions) {
    const { socketFactory } = this.#wire
    const wire = { socketFactory: countsOpen ? uncommittedEnds(socketFactory) : socketFactory }
    const listener = { said: (message: string) => said?.(message), ...(answered ? { answered } : {}) }
    const admin = (this.#admin = kafkajsClient(connection, wire, listener).admin())
    this.#connected = connectOnce({
      async connect() {
        await admin.connect()
        // kafkajs fails to find a group's coordinator before it knows a broker, and rests before it tries again
        await admin.describeCluster().catch(() => {})
      },
    })
  }

  async topics(): Promise<readonly string[]> {
    return (await this.#connect()).listTopics()
  }

  async ranges(topic: string): Promise<ReadonlyMap<number, OffsetRange>> {
    const offsets = await (await this.#connect()).fetchTopicOffsets(topic)
    return new Map(offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]))
  }

  async offsetsAt(topic: string, timestamp: bigint): Promise<ReadonlyMap<number, bigint>> {
    const offsets = await (await this.#connect()).fetchTopicOffsetsByTimestamp(topic, Number(timestamp))
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }

  async committed(group: string, topics: readonly string[]): Promise<readonly PartitionPosition[]> {
    if (topics.length === 0) return []
    const answer = await (await this.#connect()).fetchOffsets({ groupId: group, topics: [...topics] })
    return answer.flatMap(({ topic, partitions }) =>
      partitions
        .map(({ partition, offset }) => ({ topic, partition, offset: BigInt(offset) }))
        // -1: none; kafkajs itself commits -1 and -2 for "the end" and "the beginning"
        .filter(({ offset }) => offset >= 0n),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeKafkajs(this.#admin, this.#wire)
  }

  async #connect(): Promise<Admin> {
    await this.#connected()
    return this.#admin
  }
}
