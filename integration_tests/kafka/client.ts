// What tests do to topics and groups, by kafkajs: make, fill, read, look at, delete. Quiet: what goes wrong is thrown.

import kafkajs, { type Admin, type IHeaders, type Kafka, type KafkaConfig, type Message, type Producer } from 'kafkajs'
import { quietKafkajs } from './quiet-kafkajs.ts'
import { readTopic, type ReadRecord } from './read-topic.ts'
import { until } from './until.ts'

const RECORDS_A_SEND = 2000

export interface NewRecord {
  /** 0 when absent. */
  readonly partition?: number
  readonly key?: Buffer | string | null
  readonly value: Buffer | string | null
  /** Repeated names are kept, in order under their first place. */
  readonly headers?: readonly (readonly [name: string, value: Buffer | string])[]
  /** Milliseconds since 1970; now when absent. */
  readonly timestamp?: bigint | number
}

/** Those that are only a value are of the first partition, without a key. */
export type Records = readonly (NewRecord | string | Buffer)[]

export interface Group {
  /** Empty, Stable, PreparingRebalance, CompletingRebalance, Dead (also for a group there is not). */
  readonly state: string
  readonly members: readonly GroupMember[]
}

export interface GroupMember {
  readonly id: string
  readonly clientId: string
  /** Partitions by topic, in order; empty while the group rebalances. */
  readonly assigned: Readonly<Record<string, readonly number[]>>
}

export class KafkaClient implements AsyncDisposable {
  /** For what the methods don't do. */
  readonly kafka: Kafka
  readonly admin: Admin
  readonly #producer: Producer

  private constructor(kafka: Kafka, idempotent: boolean) {
    this.kafka = kafka
    this.admin = kafka.admin()
    this.#producer = kafka.producer({
      allowAutoTopicCreation: false,
      idempotent,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    })
  }

  /** @param bootstrap `host:port`, or several with commas between @param config ssl, sasl …
   *  @param idempotent each record comes to lie once, also where a broker takes it and does not answer */
  static async connect(bootstrap: string, config: Partial<KafkaConfig> = {}, idempotent = false): Promise<KafkaClient> {
    quietKafkajs()
    const client = new KafkaClient(
      new kafkajs.Kafka({
        brokers: bootstrap.split(','),
        clientId: 'test-client',
        logLevel: kafkajs.logLevel.NOTHING,
        retry: { initialRetryTime: 100, maxRetryTime: 1000, retries: 8 },
        ...config,
      }),
      idempotent,
    )
    await client.admin.connect()
    await client.#producer.connect()
    return client
  }

  /** Resolves when the broker tells of it: right after its making it may not.
   *  @param config of the topic: `{ 'cleanup.policy': 'compact' }` @throws when it exists */
  async createTopic(topic: string, partitions = 1, config: Readonly<Record<string, string>> = {}): Promise<void> {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
    const topics = [{ topic, numPartitions: partitions, configEntries }]
    // kafkajs can wait for its leaders, but not while the topic is still unknown
    if (!(await this.admin.createTopics({ topics, waitForLeaders: false }))) throw new Error(`topic ${topic} exists`)
    await until(
      async () => (await this.highWatermarks(topic)).length === partitions,
      () => `topic ${topic} never came`,
    )
  }

  /** Deletes it, and creates it again as soon as the broker does that. */
  async recreateTopic(topic: string): Promise<void> {
    await this.deleteTopic(topic)
    const topics = [{ topic, numPartitions: 1 }]
    await until(
      () => this.admin.createTopics({ topics, waitForLeaders: false }),
      () => `topic ${topic} is still there`,
    )
    await until(
      async () => String(await this.highWatermarks(topic).catch(() => '')) === '0',
      () => `topic ${topic} never came again`,
    )
  }

  async deleteTopic(topic: string): Promise<void> {
    await this.admin.deleteTopics({ topics: [topic] })
  }

  /** The order within a partition is that of the records. Each has been taken when this resolves. @returns their offsets */
  async produce(topic: string, given: Records, more: { gzip?: boolean } = {}): Promise<bigint[]> {
    const records = given.map((one) => (typeof one === 'string' || Buffer.isBuffer(one) ? { value: one } : one))
    const offsets: bigint[] = []
    const compression = more.gzip ? kafkajs.CompressionTypes.GZIP : kafkajs.CompressionTypes.None
    const byPartition = Map.groupBy(records.keys(), (index) => records[index]!.partition ?? 0)
    for (const [partition, indexes] of byPartition)
      for (let from = 0; from < indexes.length; from += RECORDS_A_SEND) {
        const some = indexes.slice(from, from + RECORDS_A_SEND)
        const messages = some.map((index) => message(records[index]!))
        // one partition a send: kafkajs may lose records of others and not say so
        const [answer] = await this.#producer.send({ topic, messages, acks: -1, compression })
        if (answer?.partition !== partition || answer.baseOffset === undefined)
          throw new Error(`partition ${partition} of ${topic} did not confirm its records`)
        for (const [place, index] of some.entries()) offsets[index] = BigInt(answer.baseOffset) + BigInt(place)
      }
    return offsets
  }

  /** All that lies in a topic now, by partition and offset; transactions that were aborted left out. */
  async read(topic: string, signal: AbortSignal = AbortSignal.timeout(60_000)): Promise<ReadRecord[]> {
    return readTopic(this.kafka, this.admin, topic, signal)
  }

  /** What a group has committed, by partition: the offset it would go on at; undefined for nothing yet. */
  async committed(groupId: string, topic: string): Promise<(bigint | undefined)[]> {
    const offsets: (bigint | undefined)[] = []
    // a group's coordinator may be moving
    await until(
      async () => {
        const [found] = await this.admin.fetchOffsets({ groupId, topics: [topic] })
        for (const { partition, offset } of found?.partitions ?? [])
          offsets[partition] = offset === '-1' ? undefined : BigInt(offset)
        return true
      },
      () => `what the group ${groupId} has committed is not told`,
      30_000,
    )
    return offsets
  }

  /** The ends of a topic's partitions: the offsets their next records get. */
  async highWatermarks(topic: string): Promise<bigint[]> {
    const offsets: bigint[] = []
    for (const { partition, high } of await this.admin.fetchTopicOffsets(topic)) offsets[partition] = BigInt(high)
    return offsets
  }

  async describeGroup(groupId: string): Promise<Group> {
    const { groups } = await this.admin.describeGroups([groupId])
    const { state, members } = groups[0]!
    return {
      state,
      members: members.map(({ memberId, clientId, memberAssignment }) => ({
        id: memberId,
        clientId,
        assigned: memberAssignment.length === 0 ? {} : decodeAssigned(memberAssignment),
      })),
    }
  }

  /** Names of all. */
  async groups(): Promise<string[]> {
    return (await this.admin.listGroups()).groups.map(({ groupId }) => groupId)
  }

  /** @throws while it has members */
  async deleteGroup(groupId: string): Promise<void> {
    await this.admin.deleteGroups([groupId])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.admin.disconnect(), this.#producer.disconnect()])
  }
}

function message({ partition = 0, key = null, value, headers = [], timestamp }: NewRecord): Message {
  const grouped = Object.create(null) as IHeaders
  for (const [name, values] of Map.groupBy(headers, ([name]) => name)) grouped[name] = values.map(([, value]) => value)
  return {
    partition,
    key,
    value,
    headers: grouped,
    ...(timestamp === undefined ? {} : { timestamp: String(timestamp) }),
  }
}

function decodeAssigned(assignment: Buffer): Record<string, number[]> {
  const decoded = kafkajs.AssignerProtocol.MemberAssignment.decode(assignment)
  const topics = Object.entries(decoded?.assignment ?? {})
  return Object.fromEntries(topics.map(([topic, partitions]) => [topic, partitions.toSorted((a, b) => a - b)]))
}
