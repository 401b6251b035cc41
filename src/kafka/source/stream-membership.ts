// This process's place in the group for as long as it runs: which topics there are, and a new membership when that changes.
// Knows nothing of records.

import type { KafkaConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { entryFor } from '../../config/stream/topic-entries.ts'
import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { kafkaProblem, problemText } from '../client/kafka-problem.ts'
import type { KafkajsConsumerOptions } from '../client/kafkajs-consumer.ts'
import type { FetchBudget } from '../log/fetch-budget.ts'
import { topicsToRead } from './stream-topics.ts'
import type { GroupMember, MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'

export interface StreamMembershipParts {
  readonly kafka: WatchedKafka
  readonly topics: readonly TopicConfig[]
  /** The topic of dead letters, which no pattern takes. */
  readonly deadLetters: string | undefined
  readonly clock: Clock
  readonly events: MemberEvents
  /** The process's: counts what is fetched. */
  readonly budget?: FetchBudget | undefined
  scrub(text: string): string
  /** @throws ConnectorError when these topics cannot be read together */
  check(topics: readonly string[]): void
  /** Names of all topics that may be seen. @throws as soon as `signal` aborts, too */
  listTopics(signal: AbortSignal): Promise<readonly string[]>
  makeConsumer(options: KafkajsConsumerOptions, events: MemberEvents): GroupMember
}

/** With who is told how the brokers answer. */
export type WatchedKafka = KafkaConfig & Pick<KafkaConnection, 'watch'>

/** As `GroupMember`, over several consumers. */
export class StreamMembership implements Pick<
  GroupMember,
  'pause' | 'resume' | 'commit' | 'isMember' | 'hasLeft' | 'end'
> {
  readonly #parts: StreamMembershipParts
  #consumer: GroupMember | undefined
  /** Aborts when topics are to be looked for at once. */
  #early = new AbortController()
  #isHalted = false
  #hasLeft = true

  constructor(parts: StreamMembershipParts) {
    this.#parts = parts
  }

  get generation(): string | undefined {
    return this.#consumer?.generation
  }

  get hasLeft(): boolean {
    return this.#consumer?.hasLeft ?? this.#hasLeft
  }

  pause(partition: TopicPartition): void {
    this.#consumer?.pause(partition)
  }

  resume(partition: TopicPartition): void {
    this.#consumer?.resume(partition)
  }

  /** Nothing more is fetched; heartbeats and commits go on. */
  halt(): void {
    this.#isHalted = true
    this.#consumer?.halt()
  }

  async commit(positions: readonly PartitionPosition[]): Promise<void> {
    await this.#consumer?.commit(positions)
  }

  isMember(forMs?: number): boolean {
    return this.#consumer?.isMember(forMs) ?? false
  }

  end(partition: TopicPartition): bigint | undefined {
    return this.#consumer?.end(partition)
  }

  /** Resolves when `signal` aborted and the group is left, or after `events.failed`. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { events } = this.#parts
    try {
      let topics = await this.#find(signal)
      while (!signal.aborted && topics !== undefined) topics = await this.#member(topics, signal)
    } catch (error) {
      events.failed(asConnectorError(error))
    }
  }

  /** One membership.
   *  @returns other topics to go on with; undefined: it is over */
  async #member(topics: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const life = new AbortController()
    const end = (): void => life.abort()
    signal.addEventListener('abort', end, { once: true })
    const consumer = this.#parts.makeConsumer(this.#options(topics), this.#parts.events)
    this.#consumer = consumer
    if (this.#isHalted) consumer.halt()
    const running = consumer.run(life.signal).finally(end)
    const others = await this.#watch(topics, life.signal).catch((error: unknown) => this.#fail(error, life.signal))
    if (others) {
      consumer.halt()
      await this.#parts.events.revoked(AbortSignal.timeout(this.#parts.kafka.rebalanceTimeoutMs))
    }
    if (others || signal.aborted) life.abort()
    await running
    this.#hasLeft = consumer.hasLeft
    signal.removeEventListener('abort', end)
    this.#consumer = undefined
    return others
  }

  /** A member until what is under way is settled and committed: until `signal`. */
  async #fail(error: unknown, signal: AbortSignal): Promise<undefined> {
    this.#parts.events.failed(asConnectorError(error))
    await aborted(signal)
  }

  /** Until there are other topics, or `signal`.
   *  @throws ConnectorError when they cannot be read together */
  async #watch(topics: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { clock, kafka, events } = this.#parts
    if (!this.#parts.topics.some(({ topic }) => 'pattern' in topic)) {
      await aborted(signal)
      return undefined
    }
    for (;;) {
      await clock.wait(kafka.topicRefreshMs, AbortSignal.any([signal, this.#early.signal]))
      if (signal.aborted) return undefined
      const isEarly = this.#early.signal.aborted
      if (isEarly) this.#early = new AbortController()
      const found = await this.#look(signal).catch((error: unknown) => {
        // one that is named may come back: how long the consumer waits for that is its own matter
        if (error instanceof ConnectorError && !isEarly) throw error
        return undefined
      })
      if (!found || found.length === 0 || this.#isHalted) continue
      const joined = found.filter((topic) => !topics.includes(topic))
      const gone = topics.filter((topic) => !found.includes(topic))
      if (joined.length > 0) events.log('INFO', `New topics join: ${joined.join(', ')}.`)
      if (gone.length > 0) events.log('WARN', `Topics are gone: ${gone.join(', ')}.`)
      if (joined.length + gone.length > 0) return found
    }
  }

  /** Those that are to be read; waits for the first one of a pattern.
   *  @throws ConnectorError when a named one is not there */
  async #find(signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { clock, kafka, events } = this.#parts
    let isTold = false
    for (const started = clock.now(); !signal.aborted;) {
      const found = await this.#look(signal).catch((error: unknown) => error)
      if (signal.aborted) break
      if (Array.isArray(found) && found.length > 0) return found as string[]
      if (found instanceof ConnectorError) throw found
      if (!Array.isArray(found)) throwIfFinal(found, started + kafka.brokerDeadlineMs - clock.now(), kafka)
      if (!isTold)
        events.log(
          !Array.isArray(found) && kafka.watch?.isFailing === true ? 'INFO' : 'WARN',
          Array.isArray(found)
            ? 'No topic matches yet; looked for again and again.'
            : `The brokers cannot be asked for topics yet: ${wordsOf(found, kafka)}.`,
        )
      isTold = true
      await clock.wait(Array.isArray(found) ? kafka.topicRefreshMs : RETRY_MS, signal)
    }
    return undefined
  }

  async #look(signal: AbortSignal): Promise<string[]> {
    const { topics, deadLetters } = this.#parts
    const there = await this.#parts.listTopics(signal)
    const missing = topics.flatMap(({ topic }) => ('name' in topic && !there.includes(topic.name) ? [topic.name] : []))
    if (missing.length > 0) throw noSuchTopic(missing, this.#parts.kafka)
    const read = topicsToRead(there, topics, deadLetters)
    this.#parts.check(read)
    return read
  }

  #options(topics: readonly string[]): KafkajsConsumerOptions {
    const parts = this.#parts
    const { kafka, clock } = parts
    const entry = (topic: string): TopicConfig => entryFor(topic, this.#parts.topics)!
    const { group, sessionTimeoutMs, rebalanceTimeoutMs, heartbeatMs } = kafka
    return {
      connection: kafka,
      topics,
      group,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      heartbeatMs,
      brokerDeadlineMs: kafka.brokerDeadlineMs,
      clock,
      budget: parts.budget,
      scrub: (text) => parts.scrub(text),
      startOf: (topic) => entry(topic).start,
      outOfRangeOf: (topic) => entry(topic).outOfRange,
      // one of a pattern that was deleted: until it is left, nothing else is read, and after a minute the consumer fails
      onAbsent: () => this.#early.abort(),
    }
  }
}

const RETRY_MS = 1000

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A refused login is not waited for: at the start it is a wrong configuration, not an outage. */
function throwIfFinal(found: unknown, leftMs: number, kafka: KafkaConfig): void {
  const problem = kafkaProblem(found, { brokers: kafka.brokers, group: kafka.group })
  if (problem.kind !== 'passing') throw problem.error
  if (leftMs > 0) return
  throw new ConnectorError(
    'transient',
    `The brokers ${kafka.brokers.join(', ')} could not be asked for topics in ${Math.round(kafka.brokerDeadlineMs / 1000)} s (kafka.broker_deadline_seconds): ${problem.text}. Start again when they can be reached.`,
    { cause: found },
  )
}

function noSuchTopic(topics: readonly string[], kafka: KafkaConfig): ConnectorError {
  const names = topics.map((topic) => JSON.stringify(topic)).join(', ')
  return new ConnectorError(
    'config',
    `The brokers ${kafka.brokers.join(', ')} have no topic ${names}, or this user may not see it. Create it, allow this user to describe and read it, or correct topics.`,
  )
}

function wordsOf(error: unknown, { brokers, group }: KafkaConfig): string {
  return problemText(kafkaProblem(error, { brokers, group }))
}
