// What a stream is made of, by its config. A list of constructors.

import { permitsOf } from '../delivery-limits.ts'
import type { StreamOutages } from './stream-outages.ts'
import { fitsSession } from '../../config/stream/stream-load.ts'
import type { KafkaConfig, StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { entryFor } from '../../config/stream/topics.ts'
import { Tally } from '../../core/tally.ts'
import { KafkaAdmin } from '../../kafka/client/admin.ts'
import type { KafkaConnection } from '../../kafka/client/connection.ts'
import { GroupMember } from '../../kafka/client/group-member.ts'
import type { GroupMemberOptions } from '../../kafka/client/group-member.ts'
import type { OffsetRange } from '../../kafka/types.ts'
import { replayGroup, replayTopic } from '../../kafka/dead-letters/dead-letter-replay.ts'
import { openDeadLetterTopic } from '../../kafka/dead-letters/dead-letter-topic.ts'
import { FetchBudget } from '../../kafka/log/fetch-budget.ts'
import { AwaitedSchemas } from '../../kafka/source/awaited-schemas.ts'
import { deadLetterPolicy } from '../../kafka/source/dead-letter-policy.ts'
import type { DeadLetterPolicy } from '../../kafka/source/dead-letter-policy.ts'
import { Pauses } from '../../kafka/source/owned-partition.ts'
import { KafkaSource } from '../../kafka/source/kafka-source.ts'
import type { Replaying } from '../../kafka/source/kafka-source.ts'
import { ReplayFileMember, openReplayFile } from '../../kafka/source/replay-file.ts'
import { StreamTopics, topicFinder } from '../../kafka/source/stream-topics.ts'
import type { FinderOptions, MappedTopic } from '../../kafka/source/stream-topics.ts'
import { topicShared } from '../../kafka/topics/topic-mapper.ts'
import { eventLoopTurn, systemClock } from '../../process/system-clock.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { ServiceOptions } from '../../service/http/http.ts'
import { createTransport } from '../../service/import/transport.ts'
import type { Log } from '../../process/io.ts'
import { WatchedTransport } from '../../telemetry/watched-transport.ts'

/** What a run speaks to beside the brokers. */
export interface StreamRoutes {
  readonly service: ServiceOptions
  /** There if a topic needs it. */
  readonly schemas: SchemaStore | undefined
  readonly outages: StreamOutages
}

/** With the watch that learns how the brokers answer. */
type WatchedKafka = KafkaConfig & Pick<KafkaConnection, 'watch'>
type WatchedConfig = StreamConfig & { readonly kafka: WatchedKafka }

export interface StreamParts extends AsyncDisposable {
  readonly policy: DeadLetterPolicy
  readonly topics: StreamTopics
  readonly source: KafkaSource
  readonly membership: Pick<GroupMember, keyof GroupMember>
  readonly outages: StreamOutages
  readonly transport: WatchedTransport
  readonly permits: ReturnType<typeof permitsOf>
  readonly tally: Tally
  readonly pauses: Pauses
  /** Dead letters are read instead of topics. */
  readonly replaying: Replaying | undefined
}

/** Connects to what dead letters need; to nothing else.
 *  @param replays reads dead letters instead of topics
 *  @throws ConnectorError when dead letters could not be kept, or cannot be read */
export async function streamParts(
  given: StreamConfig,
  { service, schemas: store, outages }: StreamRoutes,
  log: Log,
  signal: AbortSignal,
  replays = false,
): Promise<StreamParts> {
  const config = { ...given, kafka: { ...given.kafka, watch: outages.brokers } }
  await using stack = new AsyncDisposableStack()
  const { file, topic: letters } = replays ? config.rejects : NONE
  const fileMember = file === undefined ? undefined : new ReplayFileMember(stack.use(await openReplayFile(file, log)))
  const logScrubbed = (level: 'info' | 'warn', message: string): void => void log(level, service.scrub(message))
  const policy = stack.use(await openPolicy(config, service, log, signal))
  const shared = topicShared(config.tablePrefix, undefined, config.limits.maxRequestBytes)
  const topics = new StreamTopics(config.topics, shared, logScrubbed)
  const topic = (name: string): MappedTopic => topics.find(name)
  const budget = new FetchBudget()
  const tally = new Tally()
  const isFull = {
    isBufferFull: () => (tally.engine?.bytes ?? 0) >= config.limits.bufferBytes,
    isBudgetFull: () => budget.isFull,
  }
  const pauses = new Pauses({ isDown: () => isDown(transport), ...isFull })
  const options = {
    budget,
    space: shared.space,
    clock: systemClock,
    wallClock: Date.now,
    keepsRecords: policy.keepsRecords,
    topic,
    turn: eventLoopTurn,
    schemas: store && new AwaitedSchemas({ store, clock: systemClock, topic }),
    pauses,
    log: logScrubbed,
  }
  const replaying =
    fileMember ?? (letters === undefined ? undefined : replayTopic(await rangesOf(config.kafka, letters)))
  const source = new KafkaSource(options, replaying)
  const read = letters === undefined ? config : readingLetters(config, letters)
  const check = (names: readonly string[]): void => (replaying ? undefined : topics.check(names))
  fileMember?.use(source)
  const membership = fileMember ?? memberOf(read, source, { check, scrub: service.scrub, budget })
  source.use(membership)
  const lastMs = sessionLeft(config)
  const transport: WatchedTransport = new WatchedTransport({
    transport: stack.use(createTransport(service)),
    clock: systemClock,
    outage: outages.service,
    isMember: () => membership.isMember(lastMs),
  })
  const permits = permitsOf(config.limits)
  const parts = { policy, topics, source, membership, outages, transport, permits, tally, pauses, replaying }
  const all = stack.move()
  return { ...parts, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const NONE = { file: undefined, topic: undefined }

/** The service takes nothing. One that asks for slower requests does. */
function isDown({ failingSince, throttledSince }: WatchedTransport): boolean {
  return failingSince !== undefined && throttledSince === undefined
}

/** How long the session must still last where an attempt begins: then the request lands before the next owner of its partitions
 *  begins, however long the service takes for it. Where the two times don't fit, which is warned of, nothing would ever begin. */
function sessionLeft({ limits: { requestTimeoutMs: request }, kafka }: StreamConfig): number {
  const { sessionTimeoutMs: session, heartbeatMs: heartbeat } = kafka
  return fitsSession({ request, session, heartbeat }) ? request : 0
}

/** As if the topic of dead letters were the one that is read, by a group of its own. */
function readingLetters(config: WatchedConfig, letters: string): WatchedConfig {
  const entry: TopicConfig = {
    ...config.topics[0]!,
    topic: { name: letters },
    start: 'earliest',
    outOfRange: 'earliest',
  }
  const kafka = { ...config.kafka, group: replayGroup(config.kafka.group) }
  return { ...config, kafka, topics: [entry], rejects: { ...config.rejects, topic: undefined } }
}

function openPolicy(
  { rejects, kafka }: WatchedConfig,
  { scrub }: ServiceOptions,
  log: Log,
  signal: AbortSignal,
): Promise<DeadLetterPolicy> {
  const connection = kafka
  const { brokerDeadlineMs } = kafka
  const waiting = (why: string): void =>
    void log(
      kafka.watch?.isFailing === true ? 'info' : 'warn',
      scrub(`The brokers cannot be asked for the topic of dead letters yet: ${why}.`),
    )
  return deadLetterPolicy(rejects, {
    scrub,
    log,
    wallClock: Date.now,
    openTopic: (topic, failed) =>
      openDeadLetterTopic({ connection, topic, clock: systemClock, brokerDeadlineMs, waiting, failed }, signal),
  })
}

function memberOf(
  { kafka, topics, rejects }: WatchedConfig,
  events: KafkaSource,
  { check, scrub, budget }: Pick<FinderOptions, 'check'> & Pick<GroupMemberOptions, 'scrub' | 'budget'>,
): GroupMember {
  const { group, sessionTimeoutMs, rebalanceTimeoutMs, heartbeatMs, brokerDeadlineMs } = kafka
  const options = {
    connection: kafka,
    topics: topicFinder({
      kafka,
      topics,
      deadLetters: rejects.topic,
      check,
      listTopics: (signal) => topicsOf(kafka, signal),
    }),
    group,
    sessionTimeoutMs,
    rebalanceTimeoutMs,
    heartbeatMs,
    brokerDeadlineMs,
    clock: systemClock,
    budget,
    scrub,
    startOf: (topic: string) => entryFor(topic, topics)!.start,
    outOfRangeOf: (topic: string) => entryFor(topic, topics)!.outOfRange,
  }
  return new GroupMember(options, events)
}

/** By a client of its own each time: one stays with a first broker that hangs. */
async function topicsOf(connection: WatchedKafka, end: AbortSignal): Promise<readonly string[]> {
  await using admin = new KafkaAdmin({ connection, end })
  return await admin.topics()
}

async function rangesOf(connection: WatchedKafka, topic: string): Promise<ReadonlyMap<number, OffsetRange>> {
  await using admin = new KafkaAdmin({ connection })
  return await admin.ranges(topic)
}

/** @param place where they are, for people */
export async function logReplayed(
  log: Log,
  place: string,
  { written, rejected }: { readonly written: number; readonly rejected: number },
): Promise<void> {
  const message = `Dead letters of ${place} replayed: ${written} stored, ${rejected} kept as dead letters again.`
  await log('info', message, { stored: written, rejected })
}
