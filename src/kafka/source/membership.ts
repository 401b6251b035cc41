// The member of a group that a run reads by: in which group, where it begins.

import type { KafkaConfig, StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { fitsSession } from '../../config/stream/stream-load.ts'
import { entryFor } from '../../config/stream/topic-choice.ts'
import type { ReadSecret } from '../../core/secret.ts'
import { KafkaAdmin } from '../client/admin.ts'
import type { BrokerOutages } from '../client/broker-outages.ts'
import { GroupMember, type GroupMemberOptions } from '../client/group-member.ts'
import { replayGroup } from '../dead-letters/dead-letter-replay.ts'
import type { MemberEvents } from '../types.ts'

/** Kafka's config with the watch that learns how the brokers answer. */
type WatchedKafka = KafkaConfig<ReadSecret> & { readonly watch: BrokerOutages }
export type WatchedConfig = StreamConfig<ReadSecret> & { readonly kafka: WatchedKafka }

/** @param own options that no config has, or that stand before those of the config */
export function groupMemberOf(
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

/** Asks the brokers, with a new client for each question: a client keeps asking its first broker, even if that hangs.
 *  @throws what the Kafka client throws (see `kafkaProblem`), or the reason of `end` */
export async function askBrokers<T>(
  question: (admin: KafkaAdmin) => Promise<T>,
  connection: WatchedKafka,
  end?: AbortSignal,
): Promise<T> {
  await using admin = new KafkaAdmin({ connection, end })
  return await question(admin)
}

/** How long a member's session must still last when an attempt begins.
 *  @returns milliseconds: the request timeout, because the request then lands before the next owner of its partitions begins. 0 when
 *  the session is too short for that, which the config's check warns of, because attempts could then seldom or never begin */
export function sessionLeft({ limits: { requestTimeoutMs: request }, kafka }: StreamConfig): number {
  const { sessionTimeoutMs: session, heartbeatMs: heartbeat } = kafka
  return fitsSession({ request, session, heartbeat }) ? request : 0
}

/** The config as if the topic of dead letters were the one that is read, by a group of its own. Its entry only says which topic that is
 *  and where reading begins: how a letter's record is read, the entry of the record's own topic says. So the rest of it may be any
 *  entry's; there is always a first. */
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
