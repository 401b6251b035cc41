// Questions about a cluster that need no membership: brokers, topics, offsets, groups.

import type { Admin } from 'kafkajs'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PartitionPosition } from '../types.ts'
import { closeKafkajs, connectOnce, kafkajsClient } from './connection.ts'
import type { KafkaConnection } from './connection.ts'
import { kafkaErrorType, kafkaProblem, problemText } from './kafka-problem.ts'
import type { KafkaProblem } from './kafka-problem.ts'
import type { OffsetRange } from './positions.ts'
import { until } from './waiting.ts'
import { KafkajsWire } from './wire.ts'

export interface KafkaAdminOptions {
  readonly connection: KafkaConnection
  /** Aborts when nothing is to be waited for any longer: every question throws its reason then. */
  readonly end?: AbortSignal | undefined
  /** Lines of the client's own log: not scrubbed yet. */
  readonly log?: ((message: string) => void) | undefined
  /** A broker's error in the client's words: not scrubbed yet. */
  readonly brokerError?: ((error: string) => void) | undefined
  /** Ends of partitions (`high` of a range) have the records of open transactions: to count what waits. Else they are before
   *  the first of these, where a reader of committed records gets to. */
  readonly countsOpen?: boolean
  /** No connection is made to any other broker than this, host:port. */
  readonly only?: string | undefined
  /** The connection over which a group's coordinator is asked about it. */
  readonly coordinator?: (socket: Socket) => void
}

export interface GroupState {
  /** Stable, Empty, Dead (also: never heard of), PreparingRebalance, CompletingRebalance. */
  readonly state: string
  /** "consumer" for consumers; "" for a group there is not. */
  readonly protocolType: string
  /** How the members share partitions; "" while they don't. */
  readonly protocol: string
  /** As they call themselves, and as the broker sees them. */
  readonly members: readonly { readonly clientId: string; readonly host: string }[]
}

/** As kafkajs numbers what can be configured. */
const TOPIC = 2

/** Every question connects by itself, tries a few times and throws kafkajs's errors (see `kafkaProblem`). Once asked about
 *  a topic's offsets it asks for its leaders with every question, and fails with all of them when that topic is deleted: make
 *  another then. */
export class KafkaAdmin implements AsyncDisposable {
  readonly #wire: KafkajsWire
  readonly #admin: Admin
  readonly #end: AbortSignal | undefined
  readonly #connected: () => Promise<void>
  readonly #knowsBrokers: () => Promise<void>

  constructor({ connection, end, log, brokerError, countsOpen, only, coordinator }: KafkaAdminOptions) {
    this.#wire = new KafkajsWire({ countsOpen, only, describe: coordinator })
    const admin = (this.#admin = kafkajsClient(connection, this.#wire, { log, brokerError }).admin())
    this.#end = end
    this.#connected = connectOnce(admin)
    this.#knowsBrokers = connectOnce({
      connect: async () => {
        await this.#connected()
        // kafkajs fails to find a group's coordinator before it knows a broker, and rests before it tries again
        await admin.describeCluster().catch(() => {})
      },
    })
  }

  async connect(): Promise<void> {
    await this.#until(this.#connected())
  }

  /** host:port each. It asks any broker of the cluster, also one that cannot be reached: another try may ask another. */
  async nodes(): Promise<readonly string[]> {
    const { brokers } = await this.#until(this.#connected().then(() => this.#admin.describeCluster()))
    return brokers.map(({ host, port }) => `${host}:${port}`)
  }

  /** Names of all topics that may be seen, the cluster's own (`__…`) too. */
  async topics(): Promise<readonly string[]> {
    return this.#ask((admin) => admin.listTopics())
  }

  /** How many partitions it has; 0: not known yet. */
  async partitions(topic: string): Promise<number> {
    const { topics } = await this.#ask((admin) => admin.fetchTopicMetadata({ topics: [topic] }))
    return topics.find(({ name }) => name === topic)?.partitions.length ?? 0
  }

  /** Values of a topic's configuration, by name: those of `names` that the broker knows. */
  async topicConfig(topic: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const resources = [{ type: TOPIC, name: topic, configNames: [...names] }]
    const answer = await this.#ask((admin) => admin.describeConfigs({ resources, includeSynonyms: false }))
    return new Map(answer.resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]))
  }

  /** Of each partition of the topic. */
  async ranges(topic: string): Promise<ReadonlyMap<number, OffsetRange>> {
    const offsets = await this.#ask((admin) => admin.fetchTopicOffsets(topic))
    return new Map(offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]))
  }

  /** Of each partition the first offset whose record is not older; its end if there is none.
   *  @param timestamp milliseconds since 1970 */
  async offsetsAt(topic: string, timestamp: bigint): Promise<ReadonlyMap<number, bigint>> {
    const offsets = await this.#ask((admin) => admin.fetchTopicOffsetsByTimestamp(topic, Number(timestamp)))
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }

  /** Partitions without committed offset are left out; -1 and -2 are none. Deleting a topic deletes its offsets too. */
  async committed(group: string, topics: readonly string[]): Promise<readonly PartitionPosition[]> {
    if (topics.length === 0) return []
    const answer = await this.#ask((admin) => admin.fetchOffsets({ groupId: group, topics: [...topics] }))
    return answer.flatMap(({ topic, partitions }) =>
      partitions
        .map(({ partition, offset }) => ({ topic, partition, offset: BigInt(offset) }))
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

interface AskOptions extends Pick<KafkaAdminOptions, 'connection' | 'only'> {
  /** Aborts when it is to be waited for no longer. */
  readonly end: AbortSignal
  /** For what is said of it. */
  readonly group?: string
  /** Absent: until `end`. */
  readonly tries?: number
}

/** What asking came to. `problem` undefined: no answer in time. It may hold what a broker sent: to be scrubbed. */
export type Answered<T> =
  | { readonly answer: T }
  | { readonly problem: KafkaProblem | undefined; readonly error: unknown }

const ASK_AGAIN_MS = 300

/** Asks by a client of its own, and what may pass again by another: a client stays with a first broker that hangs, and a
 *  cluster makes the topic of its groups when it is first asked for one. Never throws. */
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

/** ready: it takes this client. refused: whole sentences, with what to do. away: why it cannot be reached, without an
 *  end. silent: no answer in time. Texts may hold what a broker sent: to be scrubbed. */
export type BrokerProbe =
  | { readonly address: string; readonly found: 'ready' | 'silent' }
  | { readonly address: string; readonly found: 'refused' | 'away'; readonly text: string }

/** Whether one broker can be used, by its address: connection, TLS, login, version. No other is asked, so that another broker's
 *  problem is not reported as its own.
 *  @param address host:port
 *  @param end aborts when it is to be waited for no longer. Never throws. */
export async function probeBroker(
  connection: KafkaConnection,
  address: string,
  end: AbortSignal,
): Promise<BrokerProbe> {
  const options = { connection: { ...connection, brokers: [address] }, only: address, end, tries: 1 }
  const asked = await askCluster(options, async (admin) => {
    await admin.connect()
    // a broker that wants a login answers which versions it has without one, but nothing else
    await admin.nodes().catch((error: unknown) => {
      // what may pass is another broker's, which is not connected to
      if (end.aborted || kafkaProblem(error, { brokers: [address], group: '' }).kind !== 'passing') throw error
    })
  })
  if ('answer' in asked) return { address, found: 'ready' }
  if (!asked.problem) return { address, found: 'silent' }
  return { address, found: asked.problem.kind === 'passing' ? 'away' : 'refused', text: problemText(asked.problem) }
}

export type ClusterNodes =
  /** host:port each. */
  | { readonly nodes: readonly string[] }
  /** Not to be found out. `address`: of a broker that was to be asked, where it is known. `text`: to be scrubbed, without an
   *  end; undefined: no answer in time. */
  | { readonly address: string | undefined; readonly text: string | undefined }

const NODES_TRIES = 8

/** To which addresses a cluster sends its clients on.
 *  @param end aborts when it is to be waited for no longer. Never throws. */
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

/** Which broker it is about. */
function brokerOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('broker' in cause && typeof cause.broker === 'string') return cause.broker
  return undefined
}

/** What a consumer group is like now.
 *  @param end aborts when it is to be waited for no longer
 *  @returns a problem with what to do; it may hold what a broker sent: to be scrubbed. Never throws. */
export async function describeGroup(
  connection: KafkaConnection,
  group: string,
  end: AbortSignal,
): Promise<GroupState | { readonly problem: string }> {
  const asked = await askCluster({ connection, group, end }, (admin) => admin.group(group))
  if ('answer' in asked) return asked.answer
  const { problem } = asked
  if (problem && problem.kind !== 'passing') return { problem: problem.error.message }
  const why = problem?.text ?? 'no answer in time'
  return { problem: `Group ${group}: its coordinator cannot be asked: ${why}. Check the brokers.` }
}

const FORBIDDEN = 'TOPIC_AUTHORIZATION_FAILED'
const ABOUT_TOPICS = new Set(['UNKNOWN_TOPIC_OR_PARTITION', FORBIDDEN])
const SHOWN = 5

/** The same error with the topics' names. */
export class MissingTopics extends Error {
  readonly type: string

  constructor(type: string, topics: readonly string[], cause: unknown) {
    super(topics.join(', '), { cause })
    this.type = type
  }
}

/** Brokers say that a topic is not there, or not for this user, but not which one: they are asked.
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
  // one that is seen may still not be read
  return seen && type === FORBIDDEN ? new MissingTopics(type, someOf(topics), error) : error
}

function someOf(topics: readonly string[]): readonly string[] {
  if (topics.length <= 1) return topics
  const more = topics.length > SHOWN ? [`or one of ${topics.length - SHOWN} more`] : []
  return [`one of ${topics[0]}`, ...topics.slice(1, SHOWN), ...more]
}
