// For tests: a consumer that does what it is asked to, and a log of records that it fetches from.

import type { TopicConfig } from '../../../config/stream/stream-config.ts'
import type { GroupMember } from '../../client/group-member.ts'
import { AwaitedSchemas } from '../awaited-schemas.ts'
import { FetchedAhead } from '../fetched-ahead.ts'
import { KafkaSource, type KafkaSourceOptions, type ReadUpTo } from '../kafka-source.ts'
import { StreamTopics } from '../stream-topics.ts'
import { TOPIC, topicConfig } from './topics.ts'
import { topicShared } from '../../topics/topic-tables.ts'
import type { FetchedBatch, KafkaRecord, PartitionPosition, TopicPartition } from '../../types.ts'
import { MapperSpace } from '../../../mapping/mapper-space.ts'
import type { SchemaStore } from '../../../registry/schema-store.ts'

export class TestConsumer implements Pick<GroupMember, 'pause' | 'resume' | 'commit'> {
  readonly paused = new Set<number>()
  readonly committed = new Map<number, bigint>()
  failsToCommit = false

  pause({ partition }: TopicPartition): void {
    this.paused.add(partition)
  }

  resume({ partition }: TopicPartition): void {
    this.paused.delete(partition)
  }

  commit(positions: readonly PartitionPosition[]): Promise<void> {
    if (this.failsToCommit) return Promise.reject(new Error('the coordinator is away'))
    for (const { partition, offset } of positions) this.committed.set(partition, offset)
    return Promise.resolve()
  }
}

/** @param store of the schemas that records name, where its topics' records do */
export function sourceOf(
  over: Partial<TopicConfig> = {},
  keepsRecords = false,
  upTo?: ReadUpTo,
  store?: SchemaStore,
  ahead = new FetchedAhead(),
) {
  const shared = topicShared('', new MapperSpace())
  const time = { now: 0, turns: 0 }
  const clock = { now: () => time.now }
  const topics = new StreamTopics([topicConfig({ topic: { name: TOPIC }, ...over })], shared)
  const said: string[] = []
  const options: KafkaSourceOptions = {
    space: shared.space,
    clock,
    wallClock: () => 1_700_000_000_000,
    schemas: store && new AwaitedSchemas({ store, clock, topic: (name) => topics.find(name) }),
    keepsRecords,
    upTo,
    ahead,
    topic: (name) => topics.find(name),
    turn: () => {
      time.turns++
      return new Promise((resolve) => setImmediate(resolve))
    },
    log: (_level, message) => said.push(message),
  }
  const source = new KafkaSource(options)
  const consumer = new TestConsumer()
  source.use(consumer)
  return { source, consumer, topics, said, time }
}

export function position(partition: number, offset: bigint): PartitionPosition {
  return { topic: TOPIC, partition, offset }
}

export function batchOf(partition: number, records: readonly KafkaRecord[], next?: bigint): FetchedBatch {
  const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
  const last = records.at(-1)?.offset ?? -1n
  return { topic: TOPIC, partition, records, bytes, next: next ?? last + 1n, highWatermark: last + 1n }
}
