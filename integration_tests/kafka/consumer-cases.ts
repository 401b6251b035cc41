// What cases about consumers stand on: a broker, topics of their own, members of a group a topic. Knows no case.

import { afterAll, beforeAll } from 'vitest'
import type { PartitionPosition } from '../../src/kafka/types.ts'
import type { Broker, BrokerOptions } from './broker.ts'
import { startBroker } from './broker.ts'
import { KafkaClient } from './client.ts'
import { Member, type MemberOptions } from './member.ts'

/** Of one group. */
export type Join = (more?: Partial<MemberOptions>) => Member

/** To be made once a test file: its broker is started before the tests and ended behind them. */
export class ConsumerCases {
  #broker: Broker | undefined
  #client: KafkaClient | undefined
  #names = 0

  constructor(options: BrokerOptions = {}) {
    beforeAll(async () => {
      this.#broker = await startBroker(options)
      this.#client = await KafkaClient.connect(this.broker.bootstrap)
    })
    afterAll(async () => {
      await this.#client?.[Symbol.asyncDispose]()
      await this.#broker?.[Symbol.asyncDispose]()
    })
  }

  get broker(): Broker {
    return this.#broker!
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
