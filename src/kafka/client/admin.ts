// Questions about a cluster that need no membership: brokers, topics, offsets, groups.

import type { Coded } from '../../core/codes.ts'
import type { Admin } from 'kafkajs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommittedPosition, OffsetRange } from '../types.ts'
import { closeKafkajs, connectOnce, kafkajsClient } from './connection.ts'
import type { KafkaConnection } from './connection.ts'
import { kafkaErrorType, kafkaProblem, problemCode, problemText } from './kafka-problem.ts'
import type { KafkaProblem } from './kafka-problem.ts'
import { API } from './request-bytes.ts'
import { topicIdIn } from './commits.ts'
import { TOPIC_IDS_VERSION, readTopicIds, topicIdsRequest } from './topic-ids.ts'
import { until } from '../../process/waiting.ts'
import { KafkajsWire } from './wire.ts'

export interface KafkaAdminOptions {
  readonly connection: KafkaConnection
  /** When it aborts, every pending question throws its reason. */
  readonly end?: AbortSignal | undefined
  /** Called with lines of kafkajs's log, not scrubbed yet. */
  readonly log?: ((message: string) => void) | undefined
  /** Called with kafkajs's text of a broker's error, not scrubbed yet. */
  readonly brokerError?: ((error: string) => void) | undefined
  /** Whether ends of partitions (`high` of a range) are high watermarks, which count records of open transactions. Otherwise they are
   *  last stable offsets, up to which committed records can be read. */
  readonly countsOpen?: boolean
  /** The only broker to connect to, host:port. */
  readonly only?: string | undefined
}

export interface GroupState {
  /** Stable, Empty, Dead (also: never heard of), PreparingRebalance, CompletingRebalance. */
  readonly state: string
  /** "consumer" for consumers; "" if there is no such group. */
  readonly protocolType: string
  /** How partitions are assigned; "" while there is no assignment. */
  readonly protocol: string
  /** Their client ids, and their addresses as the broker sees them. */
  readonly members: readonly { readonly clientId: string; readonly host: string }[]
}

/** kafkajs's number for this type of resource. */
const TOPIC = 2

/** Every question connects if needed, retries a few times and throws kafkajs's errors (see `kafkaProblem`). After a question
 *  about a topic's offsets, every question asks for the leaders of that topic too, and fails if it is deleted: make a new admin then. */
export class KafkaAdmin implements AsyncDisposable {
  readonly #options: KafkaAdminOptions
  readonly #wire: KafkajsWire
  readonly #admin: Admin
  readonly #end: AbortSignal | undefined
  readonly #connected: () => Promise<void>
  readonly #knowsBrokers: () => Promise<void>

  constructor(options: KafkaAdminOptions) {
    const { connection, end, log, brokerError, countsOpen, only } = options
    this.#options = options
    this.#wire = new KafkajsWire({ countsOpen, only, watch: connection.watch })
    const admin = (this.#admin = kafkajsClient(connection, this.#wire, { log, brokerError }).admin())
    this.#end = end
    this.#connected = connectOnce(admin)
    this.#knowsBrokers = connectOnce({
      connect: async () => {
        await this.#connected()
        // before it knows a broker, kafkajs fails to find a group's coordinator, and waits before it retries
        await admin.describeCluster().catch(() => {})
      },
    })
  }

  async connect(): Promise<void> {
    await this.#until(this.#connected())
  }

  /** Milliseconds for which its login is good; `undefined` when it has no bound. */
  get sessionMs(): number | undefined {
    return this.#wire.sessionMs
  }

  /** @returns host:port each. It asks any broker, even one that cannot be reached: another try may ask another one. */
  async nodes(): Promise<readonly string[]> {
    const { brokers } = await this.#until(this.#connected().then(() => this.#admin.describeCluster()))
    return brokers.map(({ host, port }) => `${host}:${port}`)
  }

  /** Names of all visible topics, internal ones (`__…`) included. */
  async topics(): Promise<readonly string[]> {
    return this.#ask((admin) => admin.listTopics())
  }

  /** The number of its partitions; 0 if not known yet. */
  async partitions(topic: string): Promise<number> {
    const { topics } = await this.#ask((admin) => admin.fetchTopicMetadata({ topics: [topic] }))
    return topics.find(({ name }) => name === topic)?.partitions.length ?? 0
  }

  /** Ids by topic, each of which tells the topic from an earlier one of the same name. They leave out topics that are
   *  missing or may not be seen; empty if the broker knows no ids (before Kafka 2.8). */
  async topicIds(topics: readonly string[]): Promise<ReadonlyMap<string, string>> {
    // any request: a connection that works is known then
    await this.#ask((admin) => admin.describeCluster())
    if (!this.#wire.has(API.metadata, TOPIC_IDS_VERSION)) return new Map()
    return readTopicIds(await this.exchange(API.metadata, topicIdsRequest(this.#options.connection.clientId, topics)))
  }

  /** Sends a request of our own over the connection of the latest request of kind `api`.
   *  @returns the whole answer @throws if it does not come */
  async exchange(api: number, request: Buffer): Promise<Buffer> {
    return this.#until(this.#wire.exchange(api, request))
  }

  /** Values of a topic's configuration by name, for those of `names` that the broker knows. */
  async topicConfig(topic: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const resources = [{ type: TOPIC, name: topic, configNames: [...names] }]
    const answer = await this.#ask((admin) => admin.describeConfigs({ resources, includeSynonyms: false }))
    return new Map(answer.resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]))
  }

  /** Offsets by partition. */
  async ranges(topic: string): Promise<ReadonlyMap<number, OffsetRange>> {
    const offsets = await this.#ask((admin) => admin.fetchTopicOffsets(topic))
    return new Map(offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]))
  }

  /** High watermarks by partition, whatever `countsOpen` is. It connects anew. */
  async watermarks(topic: string): Promise<ReadonlyMap<number, bigint>> {
    await using admin = new KafkaAdmin({ ...this.#options, countsOpen: true })
    return new Map(Array.from(await admin.ranges(topic), ([partition, { high }]) => [partition, high]))
  }

  /** Offsets by partition: the first whose record is not older than `timestamp`; the end if there is none.
   *  @param timestamp milliseconds since 1970 */
  async offsetsAt(topic: string, timestamp: bigint): Promise<ReadonlyMap<number, bigint>> {
    const offsets = await this.#ask((admin) => admin.fetchTopicOffsetsByTimestamp(topic, Number(timestamp)))
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }

  /** Leaves out partitions without a committed offset. Brokers delete committed offsets with their topic. */
  async committed(group: string, topics: readonly string[]): Promise<readonly CommittedPosition[]> {
    if (topics.length === 0) return []
    const answer = await this.#ask((admin) => admin.fetchOffsets({ groupId: group, topics: [...topics] }))
    return answer.flatMap(({ topic, partitions }) =>
      partitions
        .map(({ partition, offset, metadata }) => {
          return { topic, partition, offset: BigInt(offset), topicId: topicIdIn(metadata) }
        })
        // -1: none; kafkajs itself commits -1 and -2 for "the end" and "the beginning"
        .filter(({ offset }) => offset >= 0n),
    )
  }

  async group(name: string): Promise<GroupState> {
    const { groups } = await this.#ask((admin) => admin.describeGroups([name]))
    const [group] = groups
    if (!group) return { state: 'Dead', protocolType: '', protocol: '', members: [] }
    const { state, protocolType, protocol } = group
    const members = group.members.map(({ clientId, clientHost }) => ({ clientId, host: clientHost }))
    return { state, protocolType, protocol, members }
  }

  async deleteGroup(name: string): Promise<void> {
    await this.#ask((admin) => admin.deleteGroups([name]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end?.aborted) this.#wire[Symbol.dispose]()
    await closeKafkajs(this.#admin, this.#wire)
  }

  #ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    return this.#until(this.#knowsBrokers().then(() => question(this.#admin)))
  }

  #until<T>(answer: Promise<T>): Promise<T> {
    return this.#end === undefined ? answer : until(answer, this.#end)
  }
}

/** How long tidying up may take. */
const DELETE_MS = 2000

/** Deletes a group of one's own to which nothing was committed: where this user may not, the broker forgets it by itself, as it is
 *  empty. Never throws. */
export async function forgetGroup(connection: KafkaConnection, group: string): Promise<void> {
  await using admin = new KafkaAdmin({ connection, end: AbortSignal.timeout(DELETE_MS) })
  await admin.deleteGroup(group).catch(() => {})
}

interface AskOptions extends Pick<KafkaAdminOptions, 'connection' | 'only'> {
  /** Aborts to stop waiting. */
  readonly end: AbortSignal
  /** Named in messages. */
  readonly group?: string
  /** Default: until `end` aborts. */
  readonly tries?: number
}

/** The answer to a question, or what came in its place; `problem` is `undefined` when nothing came in time. It may hold what a broker sent, so scrub it. */
export type Answered<T> =
  | { readonly answer: T }
  | { readonly problem: KafkaProblem | undefined; readonly error: unknown }

const ASK_AGAIN_MS = 300

/** Asks with a new client, and after an error that may pass again with another one: a client keeps asking a first broker that hangs,
 *  and a cluster creates its topic of groups only when it is first asked for one. Never throws. */
export async function askCluster<T>(
  { connection, only, end, group = '', tries = Infinity }: AskOptions,
  question: (admin: KafkaAdmin) => Promise<T>,
): Promise<Answered<T>> {
  let last: Answered<T> = { problem: undefined, error: undefined }
  for (let left = tries; left > 0 && !end.aborted; left--) {
    let brokerError: string | undefined
    try {
      await using admin = new KafkaAdmin({ connection, only, end, brokerError: (error) => (brokerError = error) })
      return { answer: await question(admin) }
    } catch (error) {
      if (end.aborted) break
      const problem = kafkaProblem(error, { brokers: connection.brokers, group, brokerError })
      last = { problem, error }
      if (problem.kind !== 'passing') break
      await sleep(ASK_AGAIN_MS, undefined, { signal: end }).catch(() => {})
    }
  }
  return last
}

/** ready: it accepts this client, for `sessionMs`, or without bound. refused: `text` has whole sentences with what to do. away: `text` says why it cannot be reached,
 *  without a full stop. silent: no answer in time. Texts may hold what a broker sent, so scrub them. */
export type BrokerProbe =
  | { readonly address: string; readonly found: 'ready'; readonly sessionMs?: number | undefined }
  | { readonly address: string; readonly found: 'silent' }
  | ({ readonly address: string; readonly found: 'refused' | 'away' } & Coded)

/** Whether one broker can be used: connection, TLS, login, version. No other broker is asked, so that its problems are not mixed
 *  in. Never throws.
 *  @param address host:port
 *  @param end aborts to stop waiting */
export async function probeBroker(
  connection: KafkaConnection,
  address: string,
  end: AbortSignal,
): Promise<BrokerProbe> {
  const options = { connection: { ...connection, brokers: [address] }, only: address, end, tries: 1 }
  const asked = await askCluster(options, async (admin) => {
    await admin.connect()
    // without a login, a broker that wants one lists its versions, but answers nothing else
    await admin.nodes().catch((error: unknown) => {
      // a passing error comes from another broker, to which we do not connect
      if (end.aborted || kafkaProblem(error, { brokers: [address], group: '' }).kind !== 'passing') throw error
    })
    return admin.sessionMs
  })
  if ('answer' in asked) return { address, found: 'ready', sessionMs: asked.answer }
  if (!asked.problem) return { address, found: 'silent' }
  const { problem } = asked
  const found = problem.kind === 'passing' ? 'away' : 'refused'
  return { address, found, code: problemCode(problem), text: problemText(problem) }
}

export type ClusterNodes =
  /** host:port each. */
  | { readonly nodes: readonly string[] }
  /** No answer. `address` of the broker that was asked, if known. `text` has no full stop and must be scrubbed; `undefined` when the
   *  time was up. */
  | { readonly address: string | undefined; readonly text: string | undefined }

const NODES_TRIES = 8

/** The advertised addresses of a cluster's brokers. Never throws.
 *  @param end aborts to stop waiting */
export async function clusterNodes(connection: KafkaConnection, end: AbortSignal): Promise<ClusterNodes> {
  let last: unknown
  const asked = await askCluster({ connection, end, tries: 1 }, async (admin) => {
    await admin.connect()
    for (let left = NODES_TRIES; left > 0 && !end.aborted; left--) {
      try {
        return await admin.nodes()
      } catch (error) {
        if (!end.aborted) last = error
      }
    }
    throw last
  })
  if ('answer' in asked) return { nodes: asked.answer }
  const reason = last ?? asked.error
  if (reason === undefined) return { address: undefined, text: undefined }
  const text = problemText(kafkaProblem(reason, { brokers: connection.brokers, group: '' }))
  return { address: brokerOf(reason), text: text.replace(/\.$/, '') }
}

/** The broker that caused the error. */
function brokerOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('broker' in cause && typeof cause.broker === 'string') return cause.broker
  return undefined
}

/** The state of a consumer group. Never throws.
 *  @param end aborts to stop waiting
 *  @returns a problem includes what to do; it may hold what a broker sent, so scrub it */
export async function describeGroup(
  connection: KafkaConnection,
  group: string,
  end: AbortSignal,
): Promise<GroupState | Coded> {
  const asked = await askCluster({ connection, group, end }, (admin) => admin.group(group))
  return 'answer' in asked ? asked.answer : whyUnanswered(asked, `Group ${group}: its coordinator cannot be asked`)
}

/** Why there was no answer, as whole sentences, that may hold what a broker sent, so scrub them.
 *  @param what failed, for what may pass */
export function whyUnanswered({ problem }: Extract<Answered<unknown>, { error: unknown }>, what: string): Coded {
  const code = problem ? problemCode(problem) : 'kafka.unreachable'
  if (problem && problem.kind !== 'passing') return { code, text: problem.error.message }
  return { code, text: `${what}: ${problem?.text ?? 'no answer in time'}. Check the brokers.` }
}

const FORBIDDEN = 'TOPIC_AUTHORIZATION_FAILED'
const ABOUT_TOPICS = new Set(['UNKNOWN_TOPIC_OR_PARTITION', FORBIDDEN])
const SHOWN = 5

/** The error with the names of its topics. */
export class MissingTopics extends Error {
  readonly type: string

  constructor(type: string, topics: readonly string[], cause: unknown) {
    super(topics.join(', '), { cause })
    this.type = type
  }
}

/** Brokers report a topic that is missing or not allowed, but not which one. So the list of topics is read.
 *  @returns the error, with names if it is about topics and they can be found */
export async function namingTopics(
  error: Error,
  topics: readonly string[],
  admin: Pick<KafkaAdmin, 'topics'>,
): Promise<Error> {
  const type = kafkaErrorType(error)
  if (type === undefined || !ABOUT_TOPICS.has(type)) return error
  const seen = await admin.topics().catch(() => undefined)
  const missing = topics.filter((topic) => seen?.includes(topic) === false)
  if (missing.length > 0) return new MissingTopics(type, missing, error)
  // a visible topic may still not be readable
  return seen && type === FORBIDDEN ? new MissingTopics(type, someOf(topics), error) : error
}

function someOf(topics: readonly string[]): readonly string[] {
  if (topics.length <= 1) return topics
  const more = topics.length > SHOWN ? [`or one of ${topics.length - SHOWN} more`] : []
  return [`one of ${topics[0]}`, ...topics.slice(1, SHOWN), ...more]
}
