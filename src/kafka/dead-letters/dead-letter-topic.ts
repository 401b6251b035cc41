// The topic of dead letters: whether it can be used is checked before anything is sent, by `stream --check` too; then the letters of each
// partition are sent in their order, again until they are confirmed. What is said of a failure is in dead-letter-problems.ts.

import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { KafkaAdmin } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { kafkaErrorType, kafkaProblem } from '../client/kafka-problem.ts'
import { KafkaProducer } from '../client/producer.ts'
import { deadLetterProblem, JUDGED_OPTIONS, letterTooLarge, topicAway, unfitTopic } from './dead-letter-problems.ts'
import { messageBytes, toMessage, type DeadLetter, type LetterMessage } from './dead-letter.ts'
import { LetterLane, Outage, type AttemptFailure } from './letter-lane.ts'
import type { TopicPartition } from '../types.ts'

/** Sending is tried for at least so long, however short `brokerDeadlineMs` is. */
const SHORTEST_DEADLINE_MS = 60_000
/** How long brokers may not know a topic they knew before: one that starts has to learn of it. */
const UNKNOWN_MS = 10_000
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])

export interface DeadLetterTopicOptions {
  readonly connection: KafkaConnection
  readonly topic: string
  readonly clock: Clock
  /** How long brokers may be away. */
  readonly brokerDeadlineMs: number
  /** Called once, when brokers are away and tried again; `why` ends without a full stop and is not scrubbed. */
  waiting?(why: string): void
  /** Called when an attempt to send letters failed. */
  failed?(): void
}

/** Checks the topic and opens it. Once `signal` aborts, brokers that are away are no error: nothing is read then, so no letter comes.
 *  @throws ConnectorError as `checkDeadLetterTopic` */
export async function openDeadLetterTopic(
  options: DeadLetterTopicOptions,
  signal: AbortSignal,
): Promise<DeadLetterTopic> {
  const { partitions } = await checkDeadLetterTopic(options, signal).catch((error: unknown) => {
    if (!signal.aborted || asConnectorError(error).kind !== 'transient') throw error
    return { partitions: 1 }
  })
  return new DeadLetterTopic(options, partitions)
}

/** A letter ready to be sent. */
interface Sending {
  readonly message: LetterMessage
  readonly bytes: number
  /** The place its record came from, for people. */
  readonly from: string
}

/** One lane for each partition that got a letter so far: lanes send side by side, letters of one in their order. */
export class DeadLetterTopic implements AsyncDisposable {
  readonly #options: DeadLetterTopicOptions
  readonly #partitions: number
  readonly #producer: KafkaProducer
  readonly #life = new AbortController()
  readonly #lanes = new Map<number, LetterLane<Sending>>()
  /** When the brokers first said that they do not know the topic. `undefined` when they know it. */
  #unknownSince: number | undefined

  constructor(options: DeadLetterTopicOptions, partitions: number) {
    this.#options = options
    this.#partitions = partitions
    this.#producer = new KafkaProducer(options.connection)
  }

  /** Resolves when the letter is confirmed by every replica in sync; letters of one partition are written in the order of
   *  their calls. At least once: a letter whose confirmation is lost is written again.
   *  @param signal ends all that are not confirmed
   *  @throws ConnectorError config for a letter the topic cannot take, transient when brokers were away for too long */
  send(letter: DeadLetter, signal: AbortSignal): Promise<void> {
    // the same listener is added only once
    signal.addEventListener('abort', this.#end, { once: true })
    if (signal.aborted) this.#end()
    const message = toMessage(letter)
    const from = `topic "${letter.topic}", partition ${letter.partition}, offset ${letter.record.offset}`
    return this.#lane(partitionFor(letter, this.#partitions)).send({ message, bytes: messageBytes(message), from })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await this.#producer[Symbol.asyncDispose]()
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()))
  }

  readonly #end = (): void => {
    const words = `Dead letters for the topic "${this.#options.topic}" were not confirmed before the end. Their records are not settled, and are read again.`
    this.#life.abort(
      new ConnectorError('transient', 'dead-letters.unconfirmed', words, { track: { name: this.#options.topic } }),
    )
  }

  #lane(partition: number): LetterLane<Sending> {
    const known = this.#lanes.get(partition)
    if (known) return known
    const { clock, brokerDeadlineMs, topic } = this.#options
    const parts = {
      clock,
      outage: new Outage(clock, Math.max(SHORTEST_DEADLINE_MS, brokerDeadlineMs)),
      attempt: async (letters: readonly Sending[]) => {
        await this.#producer.send(
          topic,
          partition,
          letters.map(({ message }) => message),
        )
        this.#unknownSince = undefined
      },
      judge: (error: unknown, letters: readonly Sending[]) => this.#judge(error, letters),
      givenUp: (error: unknown) => topicAway(topic, error),
      failed: () => this.#options.failed?.(),
    }
    const lane = new LetterLane<Sending>(parts, this.#life.signal)
    this.#lanes.set(partition, lane)
    return lane
  }

  #judge(error: unknown, letters: readonly Sending[]): AttemptFailure {
    const type = kafkaErrorType(error)
    const [first] = letters
    if (first && type !== undefined && TOO_LARGE.has(type))
      return { kind: 'too-large', error: letterTooLarge(this.#options.topic, first.from, first.bytes, error) }
    const now = this.#options.clock.now()
    if (type !== 'UNKNOWN_TOPIC_OR_PARTITION') this.#unknownSince = undefined
    // there is still hope for it
    else if (now - (this.#unknownSince ??= now) < UNKNOWN_MS) return { kind: 'again' }
    const problem = deadLetterProblem(this.#options.topic, error)
    return problem ? { kind: 'stop', error: problem } : { kind: 'again' }
  }
}

/** The partition of the topic that takes all letters of one partition, so that their order holds.
 *  @param count partitions there are */
export function partitionFor({ topic, partition }: TopicPartition, count: number): number {
  let hash = 0x811c9dc5
  // FNV-1a; no topic has a slash in its name
  for (const byte of Buffer.from(`${topic}/${partition}`)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % count
}

interface TopicFacts {
  readonly partitions: number
  /** Doubt about what could not be found out, for people: a whole sentence. */
  readonly doubt: string | undefined
}

/** Asks whether the topic is there and keeps what it is sent. Writes nothing.
 *  @throws ConnectorError config when it will not do, transient when brokers were away for too long or `signal` aborts */
export async function checkDeadLetterTopic(options: DeadLetterTopicOptions, signal: AbortSignal): Promise<TopicFacts> {
  const { topic, clock, brokerDeadlineMs } = options
  const outage = new Outage(clock, brokerDeadlineMs)
  let isReported = false
  for (;;) {
    try {
      return await factsOf(options)
    } catch (error) {
      // at the start a refused login is a wrong configuration and no outage
      const problem = kafkaProblem(error, { brokers: options.connection.brokers, group: '' })
      const topicProblem = kafkaErrorType(error) === undefined ? undefined : deadLetterProblem(topic, error)
      if (topicProblem) throw topicProblem
      if (problem.kind !== 'passing') throw problem.error
      if (!isReported) options.waiting?.(problem.text)
      isReported = true
      const pause = outage.failed()
      if (pause !== undefined) await clock.wait(pause, signal)
      if (pause === undefined || signal.aborted) throw topicAway(topic, error)
    }
  }
}

async function factsOf({ connection, topic }: DeadLetterTopicOptions): Promise<TopicFacts> {
  await using admin = new KafkaAdmin({ connection })
  const partitions = await admin.partitions(topic)
  if (partitions === 0) throw new Error('its partitions are not known yet')
  const config = await admin.topicConfig(topic, JUDGED_OPTIONS).catch((error: unknown) => {
    if (deadLetterProblem(topic, error)) return undefined
    throw error
  })
  const doubt = `Whether the topic "${topic}" of dead letters is compacted could not be checked: this user may not describe its configuration. It must not be.`
  if (!config) return { partitions, doubt }
  const unfit = unfitTopic(topic, config)
  if (unfit) throw unfit
  return { partitions, doubt: undefined }
}
