// The member of a group by which a run reads: how it is made of a config (`makeMember`); and what a run does with it (`StreamGroup`): runs
// and stops it, has settled offsets committed from time to time, and asks for facts.

import type { KafkaConfig, StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { fitsSession } from '../../config/stream/stream-load.ts'
import { entryFor } from '../../config/stream/topic-choice.ts'
import type { ReadSecret } from '../../core/secret.ts'
import type { Clock } from '../../core/types.ts'
import type { InputGroup } from '../../run/open-input.ts'
import type { GroupFacts, PartitionFacts, StoppedFacts } from '../../run/run-facts.ts'
import { KafkaAdmin } from '../client/admin.ts'
import type { BrokerOutages } from '../client/broker-outages.ts'
import { GroupMember, type GroupMemberOptions } from '../client/group-member.ts'
import { replayGroup } from '../dead-letters/dead-letter-replay.ts'
import type { MemberEvents } from '../types.ts'
import { within } from '../../process/waiting.ts'
import type { HeldToken } from '../../identity/held-token.ts'
import type { FetchedAhead } from './fetched-ahead.ts'
import { tokensReady } from './open-logins.ts'
import type { KafkaSource } from './kafka-source.ts'

/** Kafka's config with the watch that learns how the brokers answer. */
type WatchedKafka = KafkaConfig<ReadSecret> & { readonly watch: BrokerOutages }
export type WatchedConfig = StreamConfig<ReadSecret> & { readonly kafka: WatchedKafka }

/** Makes the member of the group that a config names.
 *  @param options that no config has, or that are to replace those of the config */
export function makeMember(
  { kafka, topics }: WatchedConfig,
  events: MemberEvents,
  options: Pick<GroupMemberOptions, 'topics' | 'scrub' | 'budget' | 'clock'> & Partial<GroupMemberOptions>,
): GroupMember {
  const { group, sessionTimeoutMs, rebalanceTimeoutMs, heartbeatMs, brokerDeadlineMs } = kafka
  const times = { sessionTimeoutMs, rebalanceTimeoutMs, heartbeatMs, brokerDeadlineMs }
  // each topic that is read has an entry
  const configured = {
    connection: kafka,
    group,
    ...times,
    startOf: (topic: string) => entryFor(topic, topics)!.start,
    outOfRangeOf: (topic: string) => entryFor(topic, topics)!.outOfRange,
  }
  return new GroupMember({ ...configured, ...options }, events)
}

/** Asks the brokers something, with a new client for each question: a client keeps asking its first broker, even if that hangs.
 *  @throws what the Kafka client throws (see `kafkaProblem`), or the reason of `end` */
export async function askBrokers<T>(
  question: (admin: KafkaAdmin) => Promise<T>,
  connection: WatchedKafka,
  end?: AbortSignal,
): Promise<T> {
  await using admin = new KafkaAdmin({ connection, end })
  return await question(admin)
}

/** How long a member's session must still last when a request to the service begins, in milliseconds: as long as the request may take, so
 *  that it lands before the next owner of its partitions begins. 0 when sessions are too short for that, because then requests could seldom
 *  or never begin; the config's check warns of it. */
export function sessionLeft({ limits: { requestTimeoutMs: request }, kafka }: StreamConfig): number {
  const { sessionTimeoutMs: session, heartbeatMs: heartbeat } = kafka
  return fitsSession({ request, session, heartbeat }) ? request : 0
}

/** The config as if the topic of dead letters were the one to read, by a group of its own. Of its entry only the name and where reading begins
 *  matter, as letters' records are mapped by the entries of their own topics. So all else is taken from the first entry: there always is one.
 *  @param letterTopic its name */
export function replayConfig(config: WatchedConfig, letterTopic: string): WatchedConfig {
  const begins = { start: 'earliest', outOfRange: 'earliest' } as const
  const entry: TopicConfig = { ...config.topics[0]!, ...begins, topic: { name: letterTopic } }
  return { ...config, kafka: { ...config.kafka, group: replayGroup(config.kafka.group) }, topics: [entry] }
}

interface StreamGroupParts {
  readonly clock: Clock
  readonly source: KafkaSource
  readonly membership: Pick<GroupMember, 'generation' | 'isMember' | 'end' | 'run' | 'halt' | 'hasLeft'>
  readonly brokers: Pick<BrokerOutages, 'down'>
  /** The watch of the registry, whose `state` is the outage that it has now, if any. `undefined` when no topic needs the registry. */
  readonly registry: { readonly state: { readonly cause: string } | undefined } | undefined
  /** The tokens that logins take. `undefined` when they take none. */
  readonly tokens?: readonly Pick<HeldToken, 'ready' | 'facts'>[] | undefined
  /** `failures`: how many attempts to keep a dead letter failed. */
  readonly policy: { readonly failures: number }
  readonly ahead: Pick<FetchedAhead, 'reasonOf'>
  /** How long the session must still last when a request begins (`sessionLeft`). */
  readonly leftMs: number
  readonly commitEveryMs: number
}

export class StreamGroup implements InputGroup {
  readonly #parts: StreamGroupParts
  #wasJoined = false
  /** When `#wasJoined` last changed, by the run's clock. */
  #since: number

  constructor(parts: StreamGroupParts) {
    this.#parts = parts
    this.#since = parts.clock.now()
  }

  async run(leave: AbortSignal): Promise<void> {
    const { source, membership, commitEveryMs, clock, tokens = [] } = this.#parts
    // a member without a token could not log in, and its heartbeats would have to wait
    await tokensReady(tokens, leave)
    const commits = commitSteadily(source, commitEveryMs, clock, leave)
    try {
      await membership.run(leave)
    } finally {
      await commits
    }
  }

  /** Whether a request to the service may begin. */
  mayBegin(): boolean {
    return this.#parts.membership.isMember(this.#parts.leftMs)
  }

  /** Stops fetching, as the run is about to end, but stays in the group. */
  halt(): void {
    this.#parts.membership.halt()
  }

  finish(signal: AbortSignal): Promise<void> {
    return this.#parts.source.finish(signal)
  }

  async commit(withinMs: number): Promise<void> {
    const { source, clock } = this.#parts
    source.end()
    await within(source.commit(), withinMs, clock)
  }

  /** Tells what came of a stop, once the group is left. */
  stopFacts(): StoppedFacts {
    const { source, membership } = this.#parts
    return {
      settled: source.settledRecords,
      unsettled: source.unsettledRecords,
      uncommitted: source.uncommittedPartitions,
      hasLeft: membership.hasLeft,
    }
  }

  /** Remembers whether the member had joined at the last call, to tell since when it has or has not. @param at now, by the run's clock */
  facts(at: number): GroupFacts {
    const { source, membership, registry, brokers, policy, ahead, tokens } = this.#parts
    const { generation } = membership
    const joined = generation !== undefined && membership.isMember()
    if (joined !== this.#wasJoined) this.#since = at
    this.#wasJoined = joined
    const partitions = source.partitions.map((owned): PartitionFacts => {
      const { topic, partition } = owned.track
      const lag = lagOf(owned.settledTo, membership.end(owned.track))
      return { topic, partition, lag, committedAt: owned.committedAt, held: ahead.reasonOf(owned) }
    })
    return {
      joined,
      since: this.#since,
      generation,
      rebalances: source.generations,
      commits: { ...source.commits },
      partitions,
      oldestAt: source.oldestAt,
      deadLetterFailures: policy.failures,
      schemasSince: source.schemasSince,
      schemasCause: registry?.state?.cause,
      brokersDown: brokers.down,
      tokens: tokens?.map(({ facts }) => facts),
    }
  }
}

/** How many offsets are not settled yet. `undefined` when the end is not known. It may be out of date and lower than what is settled: then 0. */
function lagOf(settledTo: bigint, end: bigint | undefined): bigint | undefined {
  if (end === undefined) return undefined
  return end > settledTo ? end - settledTo : 0n
}

/** So many settled records are committed at once, even if it is not time yet: a process that is killed while it catches up then repeats few. */
export const MANY_RECORDS = 1000
/** The least time between two commits, however much is settled: each costs the brokers a write. */
const APART_MS = 100

/** Commits again and again until `signal` aborts: every `everyMs`, or as soon as MANY_RECORDS records are settled. */
export async function commitSteadily(
  source: Pick<KafkaSource, 'uncommitted' | 'commit'>,
  everyMs: number,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (let committedAt = clock.now(); !signal.aborted;) {
    const leftMs = committedAt + everyMs - clock.now()
    await clock.wait(Math.min(APART_MS, Math.max(1, leftMs)), signal)
    const now = clock.now()
    if (signal.aborted || (source.uncommitted < MANY_RECORDS && now - committedAt < everyMs)) continue
    committedAt = now
    await source.commit()
  }
}
