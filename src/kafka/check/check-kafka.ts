// The part of `stream --check` that asks the cluster: everything a run depends on, bounded in time, and reported in the order of
// dependence: brokers, topics, group, offsets, dead letters, records. What cannot be asked is left out, and that is reported.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Code, Coded } from '../../core/codes.ts'
import { NoSecretError, type ReadSecret } from '../../core/secret.ts'
import { brokerFindings, clusterNodes, groupFinding, probeBroker, type BrokerProbe } from './check-cluster.ts'
import { deadLetterTopicFindings, letterLimitFindings } from './check-dead-letters.ts'
import { askTopics, checkTopics, goneOffsets, topicTable, type AskedTopics, type CheckedTopic } from './check-topics.ts'
import { fail, failed, note, warn, type CheckFinding, type CheckReport } from './check-report.ts'
import { sampleFindings } from './sample-check.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import { askCluster, describeGroup, whyUnanswered } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { tryPatterns } from '../source/find-topics.ts'
import { StreamTopics } from '../source/stream-topics.ts'
import { topicShared } from '../topics/topic-tables.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'

/** Time limits of the brokers' probes, of the question for the list of brokers, and of any other question. */
const PROBE_MS = 5000
const NODES_MS = 3000
const ASK_MS = 6000
/** Limit of all questions together. Samples of records are read until it is over; leaving and deleting their group takes up to 4 s more. */
const ALL_MS = 26_000
/** The same where a broker cannot be used. It is shorter, as each question may have to wait for that broker in vain. */
const ALL_WITH_ONE_AWAY_MS = 12_000
/** How often the names of topics are asked for while failures may pass. */
const NAMES_TRIES = 3

interface KafkaCheckParts {
  readonly config: StreamConfig<ReadSecret>
  readonly report: CheckReport
  /** The store of schemas. `undefined` when no topic needs schemas, or the registry does not answer. */
  readonly schemas: SchemaStore | undefined
  readonly signal: AbortSignal
}

/** One use: `run`, within a time that counts from when it is made. */
export class KafkaCheck {
  readonly #parts: KafkaCheckParts
  readonly #started = performance.now()
  /** ALL_WITH_ONE_AWAY_MS once a broker was found that cannot be used. */
  #allMs = ALL_MS

  constructor(parts: KafkaCheckParts) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    const connection = await this.#checkBrokers()
    if (!connection) {
      await this.#parts.report.add([note('Topics, group, offsets and records could not be examined for that reason.')])
      return
    }
    const visible = await this.#visibleTopics(connection)
    const visibleNames = 'code' in visible ? undefined : visible
    const letters = deadLetterTopicFindings(this.#parts.config, connection, visibleNames, this.#within(ASK_MS))
    // it is awaited only below: should it fail before, that must not count as an unhandled rejection
    letters.catch(() => {})
    if ('code' in visible) await this.#parts.report.add([failed(visible), ...(await letters)])
    else await this.#checkTopics(visible, connection, letters)
  }

  /** Reports on each broker. @returns a connection to those that can be used; `undefined` when nothing can be asked */
  async #checkBrokers(): Promise<KafkaConnection | undefined> {
    const { kafka } = this.#parts.config
    const probes = await this.#probe(kafka.brokers)
    await this.#parts.report.add(brokerFindings(probes, PROBE_MS, 'named'))
    const isRefused = probes.some((probe) => 'code' in probe && probe.code === 'kafka.login-refused')
    if (isRefused) await this.#parts.report.add(await tokenNotes(kafka))
    const ready = probes.filter(({ found }) => found === 'ready').map(({ address }) => address)
    if (ready.length < probes.length) this.#allMs = ALL_WITH_ONE_AWAY_MS
    if (ready.length === 0) return undefined
    const connection = { ...kafka, brokers: ready }
    const nodes = await clusterNodes(connection, this.#within(NODES_MS))
    if ('code' in nodes) {
      await this.#parts.report.add([failed(nodes)])
      return undefined
    }
    const others = await this.#probe(nodes.filter((node) => !kafka.brokers.includes(node)))
    await this.#parts.report.add(brokerFindings(others, PROBE_MS, 'advertised'))
    if (others.some(({ found }) => found !== 'ready')) this.#allMs = ALL_WITH_ONE_AWAY_MS
    return connection
  }

  #probe(addresses: readonly string[]): Promise<BrokerProbe[]> {
    const end = this.#within(PROBE_MS)
    return Promise.all(addresses.map((address) => probeBroker(this.#parts.config.kafka, address, end)))
  }

  /** @returns names of all topics that this user may see, or what is wrong, which has a `code` */
  async #visibleTopics(connection: KafkaConnection): Promise<readonly string[] | Coded> {
    const { group } = this.#parts.config.kafka
    const options = { connection, group, end: this.#within(ASK_MS), tries: NAMES_TRIES }
    const asked = await askCluster(options, (admin) => admin.topics())
    return asked.kind === 'answered' ? asked.answer : whyUnanswered(asked, 'The brokers cannot be asked for topics')
  }

  /** Reports on topics, group, dead letters and records, in this order.
   *  @param visible names of all topics that this user may see
   *  @param letters findings on dead letters, which were asked for before and may still be to come */
  async #checkTopics(
    visible: readonly string[],
    connection: KafkaConnection,
    letters: Promise<CheckFinding[]>,
  ): Promise<void> {
    const { kafka, tablePrefix, metadataColumns, limits } = this.#parts.config
    const space = new MapperSpace()
    const shared = topicShared(tablePrefix, space, limits.maxRequestBytes, metadataColumns)
    // codes by text, so that each is told once: topics are mapped twice, here and by the samples
    const mappingWarnings = new Map<string, Code>()
    const freshTopics = (): StreamTopics =>
      new StreamTopics(this.#parts.config.topics, shared, (level, message, fields) => {
        if (level === 'warn') mappingWarnings.set(message, fields?.code ?? 'topic.warning')
      })
    const slow = await tryPatterns(visible, this.#parts.config.topics, this.#within(ASK_MS))
    await this.#parts.report.add(slow.map((text) => warn('topic.pattern-slow', text)))
    const { topics, findings } = checkTopics(this.#parts.config, visible, freshTopics())
    await this.#parts.report.add(findings)
    const state = await describeGroup(connection, kafka.group, this.#within(ASK_MS))
    const isGroupKnown = !('code' in state)
    const positions = await askTopics(topics, isGroupKnown ? kafka.group : undefined, connection, this.#within(ASK_MS))
    if (topics.length > 0) await this.#parts.report.block(topicTable(topics, positions, this.#parts.report.width))
    await this.#parts.report.add([
      ...(isGroupKnown ? [groupFinding(kafka.group, state, hasCommitted(topics, positions))] : [failed(state)]),
      ...topics.flatMap((topic) => topicFindings(topic, positions.get(topic.name))),
      ...(await letters),
      ...(await letterLimitFindings(this.#parts.config, connection, topics, this.#within(ASK_MS))),
    ])
    const partitionsByTopic = new Map(
      topics.flatMap(({ name, mapper }) => {
        const partitions = positions.get(name)
        return mapper && partitions && !('code' in partitions) ? [[name, partitions] as const] : []
      }),
    )
    const end = this.#within(ALL_MS)
    const parts = { ...this.#parts, connection, freshTopics, space, end }
    await this.#parts.report.add([
      ...(await sampleFindings(parts, partitionsByTopic)),
      ...Array.from(mappingWarnings, ([text, code]) => warn(code, text)),
    ])
  }

  /** Aborts after `ms`, when the time for all questions is over, or when the check is to end early. */
  #within(ms: number): AbortSignal {
    const left = Math.max(0, this.#allMs - (performance.now() - this.#started))
    return AbortSignal.any([this.#parts.signal, AbortSignal.timeout(Math.min(ms, Math.ceil(left)))])
  }
}

/** Whether the group has a committed offset in any of these topics; `undefined` when none is known of, but a topic has no answer. */
export function hasCommitted(topics: readonly CheckedTopic[], asked: AskedTopics): boolean | undefined {
  const known = [...asked.values()].flatMap((topic) => ('code' in topic ? [] : [topic]))
  if (known.flat().some(({ committed }) => committed !== undefined)) return true
  return known.length < topics.length ? undefined : false
}

function topicFindings({ name }: CheckedTopic, asked: ReturnType<AskedTopics['get']>): CheckFinding[] {
  const topic = `Topic ${JSON.stringify(name)}`
  if (!asked)
    return [fail('kafka.unreachable', `${topic}: the brokers did not return its offsets in time. Check them.`)]
  if ('code' in asked)
    return [fail(asked.code, `${topic}: its offsets cannot be asked for: ${asked.text} Check its leaders.`)]
  return goneOffsets(name, asked)
}

/** What in the token itself may have made brokers refuse the login; nothing for a login without a token, or when it cannot be read. */
async function tokenNotes({ sasl }: StreamConfig<ReadSecret>['kafka']): Promise<CheckFinding[]> {
  if (sasl?.mechanism !== 'oauthbearer') return []
  try {
    const token = await sasl.secret()
    const { oddities } = await import('../../identity/token-claims.ts')
    return [note(oddities(token.reveal().trim(), Date.now()))]
  } catch (error) {
    if (error instanceof NoSecretError) return []
    throw error
  }
}
