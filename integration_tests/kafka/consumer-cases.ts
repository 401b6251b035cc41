// What cases about consumers stand on: a broker, topics of their own, members of a group a topic. Knows no case.

import { afterAll, beforeAll } from 'vitest'
import type { PartitionPosition } from '../../src/kafka/types.ts'
import { describeOwnKafka } from './available.ts'
import type { Broker, BrokerOptions, StartBroker } from './broker.ts'
import { KafkaClient } from './client.ts'
import { Member, type MemberOptions } from './member.ts'

/** Of one group. */
export type Join = (more?: Partial<MemberOptions>) => Member

/** To be made once a test file: the broker of its `describe`s is started before the first of them and ended behind the last. */
export class ConsumerCases {
  readonly #options: BrokerOptions
  #broker: Broker | undefined
  #client: KafkaClient | undefined
  #names = 0

  constructor(options: BrokerOptions = {}) {
    this.#options = options
    afterAll(async () => {
      await this.#client?.[Symbol.asyncDispose]()
      await this.#broker?.[Symbol.asyncDispose]()
    })
  }

  /** For tests that use the broker: skipped where none can be started. */
  describe(title: string, define: () => void): void {
    describeOwnKafka(title, (startBroker) => {
      beforeAll(() => this.#start(startBroker))
      define()
    })
  }

  async #start(startBroker: StartBroker): Promise<void> {
    this.#broker ??= await startBroker(this.#options)
    this.#client ??= await KafkaClient.connect(this.broker.bootstrap)
  }

  get broker(): Broker {
    if (this.#broker === undefined) throw new Error('Only tests in a describe of ConsumerCases have its broker.')
    return this.#broker
  }

  get client(): KafkaClient {
    return this.#client!
  }

  async topicOf(partitions: number, config: Readonly<Record<string, string>> = {}): Promise<string> {
    const topic = `topic-${this.#names++}`
    await this.client.createTopic(topic, partitions, config)
    return topic
  }

  joiner(topic: string, common: Partial<MemberOptions> = {}): Join {
    const group = groupOf(topic)
    return (more = {}) => new Member({ brokers: [this.broker.bootstrap], group, topics: [topic], ...common, ...more })
  }

  async fill(topic: string, texts: readonly string[], partition = 0): Promise<void> {
    await this.client.produce(
      topic,
      texts.map((value) => ({ partition, value })),
    )
  }

  async deleteBefore(topic: string, offset: number, partition = 0): Promise<void> {
    // kafkajs looks for the leader in what it knows already
    await this.client.highWatermarks(topic)
    await this.client.admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: `${offset}` }] })
  }

  /** Of the group of that topic. */
  async committed(topic: string): Promise<(bigint | undefined)[]> {
    return this.client.committed(groupOf(topic), topic)
  }
}

export const letters = ['a', 'b', 'c', 'd', 'e', 'f']

export function groupOf(topic: string): string {
  return `group-of-${topic}`
}

export function at(topic: string, offset: bigint, partition = 0): PartitionPosition {
  return { topic, partition, offset }
}

/** Behind all it was told. */
export function whole(member: Member): PartitionPosition[] {
  return (member.of('assigned').at(-1)?.positions ?? []).map(({ topic, partition, offset }) => {
    const last = member.batches.findLast((batch) => batch.topic === topic && batch.partition === partition)
    return { topic, partition, offset: last?.next ?? offset }
  })
}
