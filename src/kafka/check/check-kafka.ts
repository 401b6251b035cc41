// Asks the cluster everything a run depends on, bounded in time, and reports it in the order of dependence: brokers, topics,
// group, offsets, dead letters, records. What cannot be asked is left out, and that is reported.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Code, Coded } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import { NoSecretError } from '../../core/secret.ts'
import type { ReadSecret } from '../../core/secret.ts'
import { brokerFindings, clusterFinding, groupFinding } from './check-cluster.ts'
import type { AskedTopic, CheckedTopic } from './check-topics.ts'
import { askTopics, positionFindings, topicTable, checkTopics } from './check-topics.ts'
import type { CheckFinding, CheckReport } from './check-report.ts'
import { fail, failed, note, ok, warn } from './check-report.ts'
import { sampleFindings } from './sample-check.ts'
import { askCluster, clusterNodes, describeGroup, probeBroker, whyUnanswered } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { until } from '../../process/waiting.ts'
import { checkDeadLetterTopic, MAX_MESSAGE_BYTES } from '../dead-letters/dead-letter-topic.ts'
import { StreamTopics, tryPatterns } from '../source/stream-topics.ts'
import { topicShared } from '../topics/topic-tables.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import { checkRejectFile, DEAD_LETTER_FILE } from '../../rejects/reject-file.ts'
import { counted } from '../../text/figures.ts'
import { didYouMean } from '../../text/nearest-name.ts'

/** How long is waited for each, and for all together. */
const PROBE_MS = 5000
const NODES_MS = 3000
const ASK_MS = 6000
/** The samples of records are read as long as it lasts: what is left for their group to be left and deleted makes 30 s. */
const ALL_MS = 26_000
/** Milliseconds for all questions where a broker is away: each may have to wait for it. */
const ALL_WITHOUT_ONE_MS = 12_000

/** Most topics whose limit is asked for. */
const MAX_LIMITS = 100

export class KafkaCheck {
  readonly #config: StreamConfig<ReadSecret>
  readonly #report: CheckReport
  readonly #schemas: SchemaStore | undefined
  readonly #signal: AbortSignal
  readonly #started = performance.now()
  #allMs = ALL_MS

  /** @param schemas there if a topic needs them */
  constructor(
    config: StreamConfig<ReadSecret>,
    report: CheckReport,
    schemas: SchemaStore | undefined,
    signal: AbortSignal,
  ) {
    this.#config = config
    this.#report = report
    this.#schemas = schemas
    this.#signal = signal
  }

  async run(): Promise<void> {
    const connection = await this.#brokers()
    if (!connection) {
      await this.#report.add([note('Topics, group, offsets and records could not be examined for that reason.')])
      return
    }
    const there = await this.#topicsThere(connection)
    const seen = 'code' in there ? undefined : there
    const letters = deadLetterTopicFindings(this.#config, connection, seen, this.#within(ASK_MS))
    // it may fail before it is waited for
    letters.catch(() => {})
    if ('code' in there) await this.#report.add([failed(there), ...(await letters)])
    else await this.#topics(there, connection, letters)
  }

  /** @returns a connection to those that can be used; `undefined` when nothing can be asked */
  async #brokers(): Promise<KafkaConnection | undefined> {
    const { kafka } = this.#config
    const probes = await this.#probe(kafka.brokers)
    await this.#report.add(brokerFindings(probes, PROBE_MS, 'named'))
    const isRefused = probes.some((probe) => 'code' in probe && probe.code === 'kafka.login-refused')
    if (isRefused) await this.#report.add(await tokenNotes(kafka))
    const ready = probes.filter(({ found }) => found === 'ready').map(({ address }) => address)
    if (ready.length < probes.length) this.#allMs = ALL_WITHOUT_ONE_MS
    if (ready.length === 0) return undefined
    const connection = { ...kafka, brokers: ready }
    const found = await clusterNodes(connection, this.#within(NODES_MS))
    if (!('nodes' in found)) {
      await this.#report.add([clusterFinding(found)])
      return undefined
    }
    const others = await this.#probe(found.nodes.filter((node) => !kafka.brokers.includes(node)))
    await this.#report.add(brokerFindings(others, PROBE_MS, 'advertised'))
    if (others.some(({ found }) => found !== 'ready')) this.#allMs = ALL_WITHOUT_ONE_MS
    return connection
  }

  #probe(addresses: readonly string[]): Promise<Awaited<ReturnType<typeof probeBroker>>[]> {
    const end = this.#within(PROBE_MS)
    return Promise.all(addresses.map((address) => probeBroker(this.#config.kafka, address, end)))
  }

  /** @returns names, or what is wrong */
  async #topicsThere(connection: KafkaConnection): Promise<readonly string[] | Coded> {
    const { group } = this.#config.kafka
    const asked = await askCluster({ connection, group, end: this.#within(ASK_MS), tries: 3 }, (admin) =>
      admin.topics(),
    )
    return 'answer' in asked ? asked.answer : whyUnanswered(asked, 'The brokers cannot be asked for topics')
  }

  async #topics(
    there: readonly string[],
    connection: KafkaConnection,
    letters: Promise<CheckFinding[]>,
  ): Promise<void> {
    const { kafka, tablePrefix, metadataColumns, limits } = this.#config
    const shared = topicShared(tablePrefix, undefined, limits.maxRequestBytes, metadataColumns)
    const odd = new Map<string, Code>()
    const freshTopics = (): StreamTopics =>
      new StreamTopics(this.#config.topics, shared, (level, message, fields) => {
        if (level === 'warn') odd.set(message, fields?.code ?? 'topic.warning')
      })
    const slow = await tryPatterns(there, this.#config.topics, this.#within(ASK_MS))
    await this.#report.add(slow.map((text) => warn('topic.pattern-slow', text)))
    const { topics, findings } = checkTopics(this.#config, there, freshTopics())
    await this.#report.add(findings)
    const state = await describeGroup(connection, kafka.group, this.#within(ASK_MS))
    const isUsable = !('code' in state)
    const asked = await askTopics(topics, isUsable ? kafka.group : undefined, connection, this.#within(ASK_MS))
    if (topics.length > 0) await this.#report.block(topicTable(topics, asked, this.#report.width))
    await this.#report.add([
      ...(isUsable ? [groupFinding(kafka.group, state, hasCommitted(asked))] : [failed(state)]),
      ...topics.flatMap((topic) => topicFindings(topic, asked.get(topic.name))),
      ...(await letters),
      ...(await this.#letterLimits(connection, topics)),
    ])
    const partitions = new Map(
      topics.flatMap(({ name, mapper }) => {
        const known = asked.get(name)
        return mapper && known && !('code' in known) ? [[name, known] as const] : []
      }),
    )
    const end = this.#within(ALL_MS)
    const parts = { config: this.#config, connection, freshTopics, space: shared.space, schemas: this.#schemas, end }
    await this.#report.add([
      ...(await sampleFindings(parts, partitions)),
      ...Array.from(odd, ([text, code]) => warn(code, text)),
    ])
  }

  /** Warns where a topic takes messages that are larger than those of the dead letters' topic. Nothing, where brokers do not say. */
  async #letterLimits(connection: KafkaConnection, topics: readonly CheckedTopic[]): Promise<CheckFinding[]> {
    const { onRejected, topic: letters } = this.#config.rejects
    if (onRejected === 'stop' || letters === undefined) return []
    const names = [letters, ...topics.slice(0, MAX_LIMITS).map(({ name }) => name)]
    const asked = await askCluster({ connection, end: this.#within(ASK_MS), tries: 1 }, (admin) =>
      Promise.all(
        names.map(async (name) => Number((await admin.topicConfig(name, [MAX_MESSAGE_BYTES])).get(MAX_MESSAGE_BYTES))),
      ),
    )
    const [most = NaN, ...sources] = 'answer' in asked ? asked.answer : []
    const larger = names.filter((_, at) => at > 0 && sources[at - 1]! > most)
    if (larger.length === 0) return []
    const first = `topic ${JSON.stringify(larger[0])} takes ${bytes(Math.max(...sources))}`
    const some =
      larger.length === 1 ? first : `${counted(larger.length, 'topic')} take more, up to ${bytes(Math.max(...sources))}`
    const found = `Dead letters: their topic ${JSON.stringify(letters)} takes messages of up to ${bytes(most)}, and ${some}`
    return [
      warn(
        'dead-letters.topic-unusable',
        `${found}. A record in between may be too large for it, and would end the run. Raise ${MAX_MESSAGE_BYTES} of ${JSON.stringify(letters)}; what a producer compressed may be larger still once it is read.`,
      ),
    ]
  }

  #within(ms: number): AbortSignal {
    const left = Math.max(0, this.#allMs - (performance.now() - this.#started))
    return AbortSignal.any([this.#signal, AbortSignal.timeout(Math.min(ms, Math.ceil(left)))])
  }
}

function bytes(count: number): string {
  return counted(count, 'byte')
}

function hasCommitted(asked: ReadonlyMap<string, AskedTopic>): boolean {
  return [...asked.values()].some(
    (found) => 'length' in found && found.some(({ committed }) => committed !== undefined),
  )
}

function topicFindings({ name }: CheckedTopic, asked: AskedTopic | undefined): CheckFinding[] {
  const topic = `Topic ${JSON.stringify(name)}`
  if (!asked)
    return [fail('kafka.unreachable', `${topic}: the brokers did not return its offsets in time. Check them.`)]
  if ('code' in asked)
    return [fail(asked.code, `${topic}: its offsets cannot be asked for: ${asked.text} Check its leaders.`)]
  return positionFindings(name, asked)
}

/** Findings on a token that brokers refused, by what it says of itself. */
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

/** How long brokers may be away, of which one has just answered. */
const AWAY_MS = 3000

/** Findings on dead letters that go nowhere or to a file. */
export async function deadLetterFileFindings({ rejects }: StreamConfig): Promise<CheckFinding[]> {
  const { onRejected, file } = rejects
  if (onRejected === 'stop')
    return [ok('Dead letters are not kept: the first record that cannot be stored ends the run.')]
  if (file === undefined) return []
  const problem = await checkRejectFile(file, DEAD_LETTER_FILE)
  return [
    problem === undefined
      ? ok(`Dead letters can be kept in the file ${JSON.stringify(file)}.`)
      : fail('rejects.file-unusable', problem),
  ]
}

/** Findings on dead letters that go to a topic.
 *  @param there names of all topics that may be seen; `undefined` when not known */
async function deadLetterTopicFindings(
  { rejects }: StreamConfig,
  connection: KafkaConnection,
  there: readonly string[] | undefined,
  end: AbortSignal,
): Promise<CheckFinding[]> {
  const { onRejected, topic } = rejects
  if (onRejected === 'stop' || topic === undefined) return []
  const options = { connection, topic, clock: systemClock, brokerDeadlineMs: AWAY_MS }
  try {
    const { partitions, doubt } = await until(checkDeadLetterTopic(options, end), end)
    const known = counted(partitions, 'partition')
    if (doubt !== undefined) return [warn('dead-letters.topic-unusable', doubt)]
    return [ok(`Dead letters can be kept in the topic ${JSON.stringify(topic)} (${known}, not compacted).`)]
  } catch (error) {
    if (end.aborted)
      return [fail('kafka.unreachable', 'The brokers did not describe the topic of dead letters in time. Check them.')]
    if (!(error instanceof ConnectorError)) throw error
    const meant = there?.includes(topic) === false ? didYouMean(topic, there) : ''
    return [fail(error.code!, `${error.message}${meant}`)]
  }
}
