// The member of a group that a run reads by: in which group, which topics it finds, where it begins.

import type { KafkaConfig, StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { fitsSession } from '../../config/stream/stream-load.ts'
import { entryFor } from '../../config/stream/topic-choice.ts'
import type { ReadSecret } from '../../core/secret.ts'
import { KafkaAdmin } from '../client/admin.ts'
import type { BrokerOutages } from '../client/broker-outages.ts'
import { GroupMember } from '../client/group-member.ts'
import type { GroupMemberOptions, TopicFinder } from '../client/group-member.ts'
import { replayGroup } from '../dead-letters/dead-letter-replay.ts'
import type { MemberEvents } from '../types.ts'
import { topicFinder } from './find-topics.ts'
import type { FinderOptions } from './find-topics.ts'

/** Kafka's config with the watch that learns how the brokers answer. */
type WatchedKafka = KafkaConfig<ReadSecret> & { readonly watch: BrokerOutages }
export type WatchedConfig = StreamConfig<ReadSecret> & { readonly kafka: WatchedKafka }

/** @param own options that no config has, or that stand before those of the config */
export function memberOf(
  { kafka, topics }: WatchedConfig,
  events: MemberEvents,
  own: Pick<GroupMemberOptions, 'topics' | 'scrub' | 'budget' | 'clock'> & Partial<GroupMemberOptions>,
): GroupMember {
  const { group, sessionTimeoutMs, rebalanceTimeoutMs, heartbeatMs, brokerDeadlineMs } = kafka
  const options = {
    connection: kafka,
    group,
    sessionTimeoutMs,
    rebalanceTimeoutMs,
    heartbeatMs,
    brokerDeadlineMs,
    startOf: (topic: string) => entryFor(topic, topics)!.start,
    outOfRangeOf: (topic: string) => entryFor(topic, topics)!.outOfRange,
    ...own,
  }
  return new GroupMember(options, events)
}

export function finderOf(
  { kafka, topics, rejects }: WatchedConfig,
  check: FinderOptions['check'],
  log: FinderOptions['log'],
): TopicFinder {
  const listTopics: FinderOptions['listTopics'] = (end) => asked((admin) => admin.topics(), kafka, end)
  return topicFinder({ kafka, topics, deadLetters: rejects.topic, listTopics, check, log })
}

/** Asks the brokers, by a client of its own each time: one stays with a first broker that hangs. */
export async function asked<T>(
  question: (admin: KafkaAdmin) => Promise<T>,
  connection: WatchedKafka,
  end?: AbortSignal,
): Promise<T> {
  await using admin = new KafkaAdmin({ connection, end })
  return await question(admin)
}

/** How long the session must still last where an attempt begins: then the request lands before the next owner of its partitions
 *  begins, however long the service takes for it. Where the two times don't fit, which is warned of, nothing would ever begin. */
export function sessionLeft({ limits: { requestTimeoutMs: request }, kafka }: StreamConfig): number {
  const { sessionTimeoutMs: session, heartbeatMs: heartbeat } = kafka
  return fitsSession({ request, session, heartbeat }) ? request : 0
}

/** The config as if the topic of dead letters were the one that is read, by a group of its own. */
export function readingLetters(config: WatchedConfig, letters: string): WatchedConfig {
  const entry: TopicConfig = {
    ...config.topics[0]!,
    topic: { name: letters },
    start: 'earliest',
    outOfRange: 'earliest',
  }
  const kafka = { ...config.kafka, group: replayGroup(config.kafka.group) }
  return { ...config, kafka, topics: [entry], rejects: { ...config.rejects, topic: undefined } }
}
