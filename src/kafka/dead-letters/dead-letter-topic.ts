// Writes to the topic of dead letters. Whether it can be used is checked first, by `stream --check` too. Then letters of records of one
// partition are sent in their order, and again until they are confirmed. The errors are in dead-letter-problems.ts.

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

/** Sending is tried for at least this long, however short `brokerDeadlineMs` is. */
const SHORTEST_DEADLINE_MS = 60_000
/** How long brokers may say that they do not know the topic, which they knew before: one that starts has yet to learn of it. */
const UNKNOWN_TOPIC_MS = 10_000
/** Brokers' errors for letters that are too large alone or together, by their names in the protocol. */
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])

export interface DeadLetterTopicOptions {
  readonly connection: KafkaConnection
  readonly topic: string
  readonly clock: Clock
  /** How long brokers may be away. */
  readonly brokerDeadlineMs: number
  /** Called once, when the topic cannot be checked yet and is waited for; `why` ends without a full stop and is not scrubbed. */
  waiting?(why: string): void
  /** Called each time an attempt to send letters failed. */
  failed?(): void
}

/** Checks the topic and opens it. Once `signal` aborts, brokers that are away are no error.
 *  @throws ConnectorError as `checkDeadLetterTopic` */
export async function openDeadLetterTopic(
  options: DeadLetterTopicOptions,
  signal: AbortSignal,
): Promise<DeadLetterTopic> {
  const { partitions } = await checkDeadLetterTopic(options, signal).catch((error: unknown) => {
    if (!signal.aborted || asConnectorError(error).kind !== 'transient') throw error
    // any number will do: nothing is read any more, so no letter comes
    return { partitions: 1 }
  })
  return new DeadLetterTopic(options, partitions)
}

/** A letter that is ready to be sent. */
interface ReadyLetter {
  readonly message: LetterMessage
  readonly bytes: number
  /** The place where its record was read, for people. */
  readonly place: string
}

/** The open topic. It has a lane for each partition that a letter went to: lanes send at the same time, and each its letters in order. */
export class DeadLetterTopic implements AsyncDisposable {
  readonly #options: DeadLetterTopicOptions
  readonly #partitions: number
  readonly #producer: KafkaProducer
  /** Aborts when nothing more is to be sent. */
  readonly #ending = new AbortController()
  readonly #lanes = new Map<number, LetterLane<ReadyLetter>>()
  /** When the brokers first said that they do not know the topic, by `clock`. `undefined` when they know it. */
  #unknownSince: number | undefined

  constructor(options: DeadLetterTopicOptions, partitions: number) {
    this.#options = options
    this.#partitions = partitions
    this.#producer = new KafkaProducer(options.connection)
  }

  /** Writes a letter. Resolves when every replica in sync has confirmed it. Letters of records of one partition are written in the order of
   *  the calls, each at least once: one whose confirmation is lost is written again.
   *  @param signal aborts to end this and every other letter that is not confirmed
   *  @throws ConnectorError config for a letter the topic cannot take, transient when brokers were away for too long */
  send(letter: DeadLetter, signal: AbortSignal): Promise<void> {
    // all letters of a run come with one signal, to which the same listener is added only once
    signal.addEventListener('abort', this.#end, { once: true })
    if (signal.aborted) this.#end()
    const message = toMessage(letter)
    const place = `topic "${letter.topic}", partition ${letter.partition}, offset ${letter.record.offset}`
    return this.#lane(partitionFor(letter, this.#partitions)).send({ message, bytes: messageBytes(message), place })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await this.#producer[Symbol.asyncDispose]()
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()))
  }

  readonly #end = (): void => {
    const words = `Dead letters for the topic "${this.#options.topic}" were not confirmed before the end. Their records are not settled, and are read again.`
    this.#ending.abort(
      new ConnectorError('transient', 'dead-letters.unconfirmed', words, { track: { name: this.#options.topic } }),
    )
  }

  #lane(partition: number): LetterLane<ReadyLetter> {
    const known = this.#lanes.get(partition)
    if (known) return known
    const { clock, brokerDeadlineMs, topic } = this.#options
    const parts = {
      clock,
      outage: new Outage(clock, Math.max(SHORTEST_DEADLINE_MS, brokerDeadlineMs)),
      attempt: async (letters: readonly ReadyLetter[]) => {
        const messages = letters.map(({ message }) => message)
        await this.#producer.send(topic, partition, messages)
        this.#unknownSince = undefined
      },
      judge: (error: unknown, letters: readonly ReadyLetter[]) => this.#judgeFailure(error, letters),
      givenUp: (error: unknown) => topicAway(topic, error),
      failed: () => this.#options.failed?.(),
    }
    const lane = new LetterLane<ReadyLetter>(parts, this.#ending.signal)
    this.#lanes.set(partition, lane)
    return lane
  }

  #judgeFailure(error: unknown, letters: readonly ReadyLetter[]): AttemptFailure {
    const type = kafkaErrorType(error)
    const [first] = letters
    if (first && type !== undefined && TOO_LARGE.has(type))
      return { kind: 'too-large', error: letterTooLarge(this.#options.topic, first.place, first.bytes, error) }
    const now = this.#options.clock.now()
    if (type !== 'UNKNOWN_TOPIC_OR_PARTITION') this.#unknownSince = undefined
    // the broker that said so may have just started
    else if (now - (this.#unknownSince ??= now) < UNKNOWN_TOPIC_MS) return { kind: 'again' }
    const problem = deadLetterProblem(this.#options.topic, error)
    return problem ? { kind: 'stop', error: problem } : { kind: 'again' }
  }
}

/** The partition of the topic that takes the letters of all records of one partition, so that their order holds.
 *  @param count how many partitions the topic of dead letters has */
export function partitionFor({ topic, partition }: TopicPartition, count: number): number {
  // the hash FNV-1a with its two constants; no topic has a slash in its name, so no other partition has the same text
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(`${topic}/${partition}`)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % count
}

interface TopicFacts {
  readonly partitions: number
  /** A whole sentence on what could not be found out, for people. `undefined` when everything could. */
  readonly doubt: string | undefined
}

/** Checks that the topic is there and keeps what it is sent. Writes nothing. While brokers are away it waits for them.
 *  @throws ConnectorError config when it will not do, transient when brokers were away for too long or `signal` aborts */
export async function checkDeadLetterTopic(options: DeadLetterTopicOptions, signal: AbortSignal): Promise<TopicFacts> {
  const { topic, clock, brokerDeadlineMs } = options
  const outage = new Outage(clock, brokerDeadlineMs)
  // no question here is about a group
  const context = { brokers: options.connection.brokers }
  let isWaitingTold = false
  for (;;) {
    try {
      return await factsOf(options)
    } catch (error) {
      const problem = kafkaProblem(error, context)
      // an error that has no type is not about the topic, so it is told as that of any connection to the brokers
      const topicProblem = kafkaErrorType(error) === undefined ? undefined : deadLetterProblem(topic, error)
      if (topicProblem) throw topicProblem
      if (problem.kind !== 'passing') throw problem.error
      if (!isWaitingTold) options.waiting?.(problem.text)
      isWaitingTold = true
      // `undefined` when they have been away for too long
      const pauseMs = outage.failed()
      if (pauseMs !== undefined) await clock.wait(pauseMs, signal)
      if (pauseMs === undefined || signal.aborted) throw topicAway(topic, error)
    }
  }
}

async function factsOf({ connection, topic }: DeadLetterTopicOptions): Promise<TopicFacts> {
  await using admin = new KafkaAdmin({ connection })
  const partitions = await admin.partitions(topic)
  // an error without type or code counts as passing, so this is tried again
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
