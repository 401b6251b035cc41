// The topic of dead letters: checks that it can be used before anything is sent, and sends the letters of each partition in their
// order, again until they are confirmed.

import type { Code } from '../../core/codes.ts'
import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { KafkaAdmin } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { kafkaErrorType, kafkaProblem, isLoginRefused, problemText } from '../client/kafka-problem.ts'
import { KafkaProducer } from '../client/producer.ts'
import { toMessage } from './dead-letter.ts'
import type { DeadLetter, LetterMessage } from './dead-letter.ts'
import { LetterLane, Outage } from './letter-lane.ts'
import type { AttemptFailure } from './letter-lane.ts'
import type { TopicPartition } from '../types.ts'

const SHORTEST_DEADLINE_MS = 60_000
/** How long brokers may not know a topic they knew before: one that starts has to learn of it. */
const UNKNOWN_MS = 10_000
/** Bytes that a record costs beside its parts, and a header beside its. */
const RECORD_COST = 70
const HEADER_COST = 8
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])

/** Once `signal` aborts, brokers that are away are no error: nothing is read then, so no letter comes.
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

/** The topic that dead letters go to. */
export class DeadLetterTopic implements AsyncDisposable {
  readonly #options: DeadLetterTopicOptions
  readonly #partitions: number
  readonly #producer: KafkaProducer
  readonly #life = new AbortController()
  readonly #lanes = new Map<number, LetterLane<Sending>>()
  #followed: AbortSignal | undefined
  #unknownSince: number | undefined

  constructor(options: DeadLetterTopicOptions, partitions: number) {
    this.#options = options
    this.#partitions = partitions
    this.#producer = new KafkaProducer(options.connection)
  }

  /** Resolves when the letter is confirmed by every replica in sync; letters of one partition are written in the order of
   *  their calls. At least once: a letter whose confirmation is lost is written again.
   *  @param signal ends those that are not confirmed: the same for all calls
   *  @throws ConnectorError config for a letter the topic cannot take, transient when brokers were away for too long */
  send(letter: DeadLetter, signal: AbortSignal): Promise<void> {
    this.#follow(signal)
    const message = toMessage(letter)
    const from = `topic "${letter.topic}", partition ${letter.partition}, offset ${letter.record.offset}`
    return this.#lane(partitionFor(letter, this.#partitions)).send({ message, bytes: sizeOf(message), from })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await this.#producer[Symbol.asyncDispose]()
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()))
  }

  #follow(signal: AbortSignal): void {
    if (signal === this.#followed) return
    this.#followed = signal
    if (signal.aborted) this.#end()
    else signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  #end(): void {
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

function sizeOf({ key, value, headers }: LetterMessage): number {
  let bytes = RECORD_COST + (key?.length ?? 0) + (value?.length ?? 0)
  for (const [name, value] of headers) bytes += HEADER_COST + Buffer.byteLength(name) + (value?.length ?? 0)
  return bytes
}

/** Letters of one partition always go to the same one, so that their order holds.
 *  @param count partitions there are */
export function partitionFor({ topic, partition }: TopicPartition, count: number): number {
  let hash = 0x811c9dc5
  // FNV-1a; no topic has a slash in its name
  for (const byte of Buffer.from(`${topic}/${partition}`)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % count
}

export interface DeadLetterTopicOptions {
  readonly connection: KafkaConnection
  readonly topic: string
  readonly clock: Clock
  /** How long brokers may be away. */
  readonly brokerDeadlineMs: number
  /** Once, when brokers are away and tried again; without an end, and not scrubbed yet. */
  waiting?(why: string): void
  /** An attempt to send letters failed. */
  failed?(): void
}

export interface DeadLetterTopicFacts {
  readonly partitions: number
  /** Doubt about what could not be found out, for people: a whole sentence. */
  readonly doubt: string | undefined
}

/** Asks whether it is there and keeps what it is sent. Nothing is written.
 *  @throws ConnectorError config when it will not do, transient when brokers were away for too long */
export async function checkDeadLetterTopic(
  options: DeadLetterTopicOptions,
  signal: AbortSignal,
): Promise<DeadLetterTopicFacts> {
  const { topic, clock, brokerDeadlineMs } = options
  const outage = new Outage(clock, brokerDeadlineMs)
  let isReported = false
  for (;;) {
    try {
      return await factsOf(options)
    } catch (error) {
      // at the start a refused login is a wrong configuration and no outage
      const general = kafkaProblem(error, { brokers: options.connection.brokers, group: '' })
      const about = kafkaErrorType(error) === undefined ? undefined : deadLetterProblem(topic, error)
      if (about) throw about
      if (general.kind !== 'passing') throw general.error
      if (!isReported) options.waiting?.(general.text)
      isReported = true
      const pause = outage.failed()
      if (pause !== undefined) await clock.wait(pause, signal)
      if (pause === undefined || signal.aborted) throw topicAway(topic, error)
    }
  }
}

async function factsOf({ connection, topic }: DeadLetterTopicOptions): Promise<DeadLetterTopicFacts> {
  await using admin = new KafkaAdmin({ connection })
  const partitions = await admin.partitions(topic)
  if (partitions === 0) throw new Error('its partitions are not known yet')
  const config = await admin.topicConfig(topic, [CLEANUP_POLICY, MAX_MESSAGE_BYTES]).catch((error: unknown) => {
    if (deadLetterProblem(topic, error)) return undefined
    throw error
  })
  const unfit = config && unfitTopic(topic, config)
  if (unfit) throw unfit
  return { partitions, doubt: config ? undefined : doubtOf(topic) }
}

const CLEANUP_POLICY = 'cleanup.policy'
/** The option of a topic that bounds its messages. */
export const MAX_MESSAGE_BYTES = 'max.message.bytes'
/** Bytes that a letter of an empty record may take: the head of its batch, then the longest texts its headers may
 *  hold. */
const LEAST_BYTES =
  61 +
  sizeOf(
    toMessage({
      topic: 'x'.repeat(249),
      partition: 0,
      record: { offset: 0n, timestamp: 1_700_000_000_000n, key: null, value: null, headers: [] },
      reason: 'rejected',
      error: 'x'.repeat(500),
      superseded: 0,
      supersededAt: [],
    }),
  )

/** @returns why a topic with this configuration keeps no letters, or not all; `undefined` when it will do */
export function unfitTopic(topic: string, config: ReadonlyMap<string, string>): ConnectorError | undefined {
  const policy = config.get(CLEANUP_POLICY)
  const mostBytes = Number(config.get(MAX_MESSAGE_BYTES) ?? Infinity)
  if (policy?.includes('compact')) {
    const found = `it is compacted (cleanup.policy=${policy}): of letters with one key all but the last would go, and one without a key is refused`
    return problem(topic, found, 'Set cleanup.policy=delete for "%"', undefined)
  }
  if (mostBytes >= LEAST_BYTES) return undefined
  const found = `it accepts no message of more than ${mostBytes} bytes (${MAX_MESSAGE_BYTES}), and a letter may need ${LEAST_BYTES} beside its record`
  return problem(topic, found, RAISE, undefined)
}

function doubtOf(topic: string): string {
  return `Whether the topic "${topic}" of dead letters is compacted could not be checked: this user may not describe its configuration. It must not be.`
}

const RAISE =
  'Raise max.message.bytes of "%" to more than that of the topics that are read, whose compressed records may be larger still'
/** Advice where there is no topic for them. */
const OR_FILE = 'or keep dead letters in a file (dead_letters.file)'

/** @returns `undefined` for what may pass, as where brokers are away or elect a leader */
export function deadLetterProblem(topic: string, error: unknown): ConnectorError | undefined {
  const type = kafkaErrorType(error)
  const words = type === undefined ? undefined : WORDS[type]
  if (words) return problem(topic, `${words[0]} (${type})`, words[1], error)
  if (isLoginRefused(error))
    return problem(topic, 'the brokers do not accept this user or password', 'Check them', error, 'kafka.login-refused')
  return undefined
}

/** The error for a letter that is too large alone. */
export function letterTooLarge(topic: string, from: string, bytes: number, error: unknown): ConnectorError {
  const found = `that of the record of ${from} is larger than it takes (about ${bytes} bytes with its headers, before it is compressed)`
  return problem(topic, found, RAISE, error, 'dead-letters.too-large')
}

export function topicAway(topic: string, error: unknown): ConnectorError {
  const words = problemText(kafkaProblem(error, { brokers: [], group: '' })).replace(/\.\s*$/, '')
  const message =
    `Dead letters for the topic "${topic}" were not confirmed: ${words}. ` +
    'Their records are not settled, and are read again. Check that the brokers can be reached and have enough replicas in sync, then run again.'
  return new ConnectorError('transient', 'dead-letters.unconfirmed', message, { cause: error, track: { name: topic } })
}

const MAY_NOT = ['this user may not write to it', 'Allow the operations Describe and Write on the topic "%"'] as const
/** Words by the protocol's name of an error: what was found, and what to do; % is the topic. */
const WORDS: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  UNKNOWN_TOPIC_OR_PARTITION: ['there is no such topic', 'Create "%", with cleanup.policy=delete'],
  INVALID_TOPIC_EXCEPTION: ['no topic has such a name', 'Give another name'],
  INVALID_RECORD: [
    'it does not accept a record without a key, as compacted topics do not',
    'Set cleanup.policy=delete for "%"',
  ],
  TOPIC_AUTHORIZATION_FAILED: MAY_NOT,
  CLUSTER_AUTHORIZATION_FAILED: MAY_NOT,
  POLICY_VIOLATION: ["the brokers' policy forbids it", 'Let the policy allow records of any content in "%"'],
}

function problem(
  topic: string,
  found: string,
  remedy: string,
  cause: unknown,
  code: Code = 'dead-letters.topic-unusable',
): ConnectorError {
  const message = `Dead letters cannot be kept in the topic "${topic}": ${found}. ${remedy.replaceAll('%', topic)}, ${OR_FILE}, and run again.`
  return new ConnectorError('config', code, message, { cause, track: { name: topic } })
}
