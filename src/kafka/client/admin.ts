// Questions about a cluster that need no membership in a group: brokers, topics, offsets, groups. `KafkaAdmin` is a client that asks any
// number of them; code that asks only once, at the start or in a check, uses `askCluster`, which makes such a client for each try.

import type { Coded } from '../../core/codes.ts'
import type { Admin } from 'kafkajs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommittedPosition, OffsetRange } from '../types.ts'
import { closeKafkajs, connectOnce, kafkajsClient, type KafkaConnection } from './connection.ts'
import { kafkaProblem, problemCode, type KafkaProblem } from './kafka-problem.ts'
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
  /** Called with kafkajs's text of each error that a broker answers with, not scrubbed yet. */
  readonly brokerError?: ((error: string) => void) | undefined
  /** Whether `high` of a partition's range is the high watermark, behind the last record, even of an open transaction. Otherwise it is the
   *  last stable offset, before which no transaction is open. */
  readonly countsOpenTransactions?: boolean
  /** The only broker to connect to, host:port. `undefined` when any will do. */
  readonly onlyBroker?: string | undefined
}

export interface GroupState {
  /** Stable, Empty, Dead (also: never heard of), PreparingRebalance, CompletingRebalance. */
  readonly state: string
  /** The kind of program in the group: "consumer" for consumers; "" if there is no such group. */
  readonly protocolType: string
  /** The rule by which partitions are assigned, such as "range"; "" while there is no assignment. */
  readonly protocol: string
  /** Client ids of its members, and their addresses as the broker sees them. */
  readonly members: readonly { readonly clientId: string; readonly host: string }[]
}

/** The type "topic" of a resource with a configuration, by its number in the protocol. */
const TOPIC_RESOURCE = 2

/** A kafkajs client for questions. Each connects if needed, is retried a few times, and throws kafkajs's errors (`kafkaProblem` says what
 *  they mean). After a question about a topic's offsets, kafkajs asks with every question for the leaders of that topic too, and fails once
 *  the topic is deleted: make a new admin then. */
export class KafkaAdmin implements AsyncDisposable {
  readonly #options: KafkaAdminOptions
  readonly #wire: KafkajsWire
  readonly #admin: Admin
  readonly #connect: () => Promise<void>
  readonly #learnBrokers: () => Promise<void>

  constructor(options: KafkaAdminOptions) {
    const { connection, log, brokerError, countsOpenTransactions, onlyBroker } = options
    this.#options = options
    this.#wire = new KafkajsWire({ countsOpenTransactions, onlyBroker, watch: connection.watch })
    const admin = (this.#admin = kafkajsClient(connection, this.#wire, { log, brokerError }).admin())
    this.#connect = connectOnce(admin)
    this.#learnBrokers = connectOnce({
      connect: async () => {
        await this.#connect()
        // before it knows a broker, kafkajs fails to find a group's coordinator, and waits before it retries
        await admin.describeCluster().catch(() => {})
      },
    })
  }

  async connect(): Promise<void> {
    await this.#untilEnd(this.#connect())
  }

  /** Milliseconds for which its latest login at a broker is good; `undefined` when that has no bound, or there was none. */
  get sessionMs(): number | undefined {
    return this.#wire.sessionMs
  }

  /** The brokers, host:port each. kafkajs asks any one of them, maybe one that cannot be reached: another try may ask another. */
  async nodes(): Promise<readonly string[]> {
    const { brokers } = await this.#untilEnd(this.#connect().then(() => this.#admin.describeCluster()))
    return brokers.map(({ host, port }) => `${host}:${port}`)
  }

  /** Names of all visible topics, internal ones (`__…`) included. */
  async topics(): Promise<readonly string[]> {
    return this.#ask((admin) => admin.listTopics())
  }

  /** The number of a topic's partitions; 0 if not known yet. */
  async partitions(topic: string): Promise<number> {
    const { topics } = await this.#ask((admin) => admin.fetchTopicMetadata({ topics: [topic] }))
    return topics.find(({ name }) => name === topic)?.partitions.length ?? 0
  }

  /** Ids by topic, each of which tells the topic from an earlier one of the same name. Topics that are missing or may not be seen are left
   *  out; it is empty if the broker knows no ids (before Kafka 2.8). */
  async topicIds(topics: readonly string[]): Promise<ReadonlyMap<string, string>> {
    // kafkajs does this by a Metadata request, so there is a connection for `exchange`
    await this.#ask((admin) => admin.describeCluster())
    if (!this.#wire.supports(API.metadata, TOPIC_IDS_VERSION)) return new Map()
    return readTopicIds(await this.exchange(API.metadata, topicIdsRequest(this.#options.connection.clientId, topics)))
  }

  /** Sends a request that kafkajs does not have over the connection of its latest request of kind `api`. @returns the whole answer */
  async exchange(api: number, request: Buffer): Promise<Buffer> {
    return this.#untilEnd(this.#wire.exchange(api, request))
  }

  /** Values of a topic's configuration by name, for those of `names` that the broker knows. */
  async topicConfig(topic: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const resources = [{ type: TOPIC_RESOURCE, name: topic, configNames: [...names] }]
    const answer = await this.#ask((admin) => admin.describeConfigs({ resources, includeSynonyms: false }))
    return new Map(answer.resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]))
  }

  /** Ranges of offsets by partition. */
  async ranges(topic: string): Promise<ReadonlyMap<number, OffsetRange>> {
    const offsets = await this.#ask((admin) => admin.fetchTopicOffsets(topic))
    return new Map(offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]))
  }

  /** High watermarks by partition, whatever `countsOpenTransactions` is. Opens a connection of its own. */
  async watermarks(topic: string): Promise<ReadonlyMap<number, bigint>> {
    await using admin = new KafkaAdmin({ ...this.#options, countsOpenTransactions: true })
    return new Map(Array.from(await admin.ranges(topic), ([partition, { high }]) => [partition, high]))
  }

  /** Offsets by partition: of the first record that is not older than `timestamp`, or the partition's end where all are older.
   *  @param timestamp milliseconds since 1970 */
  async offsetsAt(topic: string, timestamp: bigint): Promise<ReadonlyMap<number, bigint>> {
    const offsets = await this.#ask((admin) => admin.fetchTopicOffsetsByTimestamp(topic, Number(timestamp)))
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }

  /** The committed offsets of a group; partitions without one are left out. Brokers delete committed offsets with their topic. */
  async committed(group: string, topics: readonly string[]): Promise<readonly CommittedPosition[]> {
    if (topics.length === 0) return []
    const answer = await this.#ask((admin) => admin.fetchOffsets({ groupId: group, topics: [...topics] }))
    return answer.flatMap(({ topic, partitions }) =>
      partitions
        .map(({ partition, offset, metadata }) => {
          return { topic, partition, offset: BigInt(offset), topicId: topicIdIn(metadata) }
        })
        // -1 says that there is none; kafkajs itself commits -1 and -2 for "the end" and "the beginning"
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
    // closes the sockets first: a client that is to end at once must not wait for its open requests
    if (this.#options.end?.aborted) this.#wire[Symbol.dispose]()
    await closeKafkajs(this.#admin, this.#wire)
  }

  #ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    return this.#untilEnd(this.#learnBrokers().then(() => question(this.#admin)))
  }

  /** The answer, or the reason of `options.end` once that aborts. */
  #untilEnd<T>(answer: Promise<T>): Promise<T> {
    const { end } = this.#options
    return end === undefined ? answer : until(answer, end)
  }
}

/** How long deleting a group may take. */
const DELETE_MS = 2000

/** Deletes a group that a run made for itself and committed nothing to. Never throws, since brokers forget an empty group anyway. */
export async function forgetGroup(connection: KafkaConnection, group: string): Promise<void> {
  await using admin = new KafkaAdmin({ connection, end: AbortSignal.timeout(DELETE_MS) })
  await admin.deleteGroup(group).catch(() => {})
}

interface AskOptions extends Pick<KafkaAdminOptions, 'connection' | 'onlyBroker'> {
  /** Aborts to stop waiting. */
  readonly end: AbortSignal
  /** The group that messages name. `undefined` when the question is about none. */
  readonly group?: string | undefined
  /** The most tries. Default: until `end` aborts. */
  readonly tries?: number
  /** Whether to ask again after a refusal too, since a broker that is starting or shutting down may refuse. */
  readonly retriesRefusals?: boolean
}

/** The answer to a question, or the last problem and the error that it was found in, both `undefined` when nothing came in time. They may
 *  hold what a broker sent, so scrub them before they are shown. */
export type Answered<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'unanswered'; readonly problem: KafkaProblem | undefined; readonly error: unknown }

const ASK_AGAIN_MS = 300

/** Asks with a new client, and after an error that may pass with another new one: the same client would ask a broker that hangs again and
 *  again. (A cluster that is asked for its first group also fails for a moment, while it creates its topic of groups.) Never throws. */
export async function askCluster<T>(
  { connection, onlyBroker, end, group, tries = Infinity, retriesRefusals = false }: AskOptions,
  question: (admin: KafkaAdmin) => Promise<T>,
): Promise<Answered<T>> {
  let unanswered: Answered<T> = { kind: 'unanswered', problem: undefined, error: undefined }
  for (let triesLeft = tries; triesLeft > 0 && !end.aborted; triesLeft--) {
    let brokerError: string | undefined
    try {
      await using admin = new KafkaAdmin({ connection, onlyBroker, end, brokerError: (error) => (brokerError = error) })
      return { kind: 'answered', answer: await question(admin) }
    } catch (error) {
      if (end.aborted) break
      const problem = kafkaProblem(error, { brokers: connection.brokers, group, brokerError })
      unanswered = { kind: 'unanswered', problem, error }
      if (problem.kind === 'final' || (problem.kind !== 'passing' && !retriesRefusals)) break
      await sleep(ASK_AGAIN_MS, undefined, { signal: end }).catch(() => {})
    }
  }
  return unanswered
}

/** Asks for the state of a consumer group. Never throws. @param end aborts to stop waiting @returns the state; or why there is none and
 *  what to do, a text that may hold what a broker sent: scrub it before it is shown */
export async function describeGroup(
  connection: KafkaConnection,
  group: string,
  end: AbortSignal,
): Promise<GroupState | Coded> {
  const asked = await askCluster({ connection, group, end }, (admin) => admin.group(group))
  if (asked.kind === 'answered') return asked.answer
  return whyUnanswered(asked, `Group ${group}: its coordinator cannot be asked`)
}

/** The reason why there was no answer, as whole sentences. They may hold what a broker sent, so scrub them before they are shown.
 *  @param failure what failed, as the beginning of a sentence, for a problem whose message does not say it: "The topic cannot be read" */
export function whyUnanswered({ problem }: Extract<Answered<unknown>, { kind: 'unanswered' }>, failure: string): Coded {
  const code = problem ? problemCode(problem) : 'kafka.unreachable'
  if (problem && problem.kind !== 'passing') return { code, text: problem.error.message }
  return { code, text: `${failure}: ${problem?.text ?? 'no answer in time'}. Check the brokers.` }
}
