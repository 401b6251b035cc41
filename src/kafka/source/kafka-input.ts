// The input of `stream`: a member of a group, its source, its dead letters and its schemas, put together by its config.

import type { StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import type { OutageEvents } from '../../core/network.ts'
import { eventLoopTurn } from '../../process/system-clock.ts'
import type { Log } from '../../process/io.ts'
import { RejectBudgets } from '../../rejects/reject-budget.ts'
import type { EndWords, OpenInput, ReservedPath, RunContext } from '../../run/open-input.ts'
import { lookForOutages, registryOutage } from '../../telemetry/outages.ts'
import { BrokerOutages } from '../client/broker-outages.ts'
import { placePath, replayTopic } from '../dead-letters/dead-letter-replay.ts'
import { openDeadLetterTopic } from '../dead-letters/dead-letter-topic.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import { Provenance } from '../../mapping/provenance.ts'
import { topicShared } from '../topics/topic-tables.ts'
import { AwaitedSchemas } from './awaited-schemas.ts'
import { deadLetterPolicy, whereFrom } from './dead-letter-policy.ts'
import type { DeadLetterPolicy, DeadLetterPolicyParts } from './dead-letter-policy.ts'
import { offsetOf } from './kafka-origin.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import { KafkaSource } from './kafka-source.ts'
import type { KafkaSourceOptions } from './kafka-source.ts'
import { Pauses } from './partition-pauses.ts'
import type { KafkaCheckpoint } from './owned-partition.ts'
import { openLogins, tokensReady } from './open-logins.ts'
import type { LoginParts, OpenLogins } from './fetch-tokens.ts'
import type { OpenSchemas, OpenSchemasOptions } from './registry-route.ts'
import { whyStalled } from './stall.ts'
import type { ReplayFile } from './replay-file.ts'
import { asked, finderOf, groupMemberOf, readingLetters, sessionLeft } from './membership.ts'
import type { WatchedConfig } from './membership.ts'
import { StreamGroup } from './stream-group.ts'
import { StreamTopics } from './stream-topics.ts'
import type { MappedTopic, SettledCounts } from './stream-topics.ts'
import type { FinderOptions } from './find-topics.ts'
import { CountedTopics } from './counted-topics.ts'
import { openDryReading } from './span-reading.ts'
import { RecordSamples, shareOf } from './record-samples.ts'

export interface KafkaInputOptions {
  readonly config: StreamConfig
  /** Absent when no topic needs it. */
  readonly registry: Omit<OpenSchemasOptions, 'login'> | undefined
  readonly identity: Pick<LoginParts, 'io' | 'onExchange'>
  /** Dead letters are read instead of topics. */
  readonly replays: boolean
  /** Most records that a dry run reads. `undefined` when it reads all that are there. */
  readonly mostRecords?: number | undefined
}

/** Short, as a person waits for a dry run. */
const DRY_STALL_MS = 30_000

/** Parts of the input that topics and files of dead letters have alike. */
interface SharedParts {
  readonly config: WatchedConfig
  readonly context: RunContext
  readonly topics: StreamTopics
  readonly policy: DeadLetterPolicy
  readonly log: KafkaSource['log']
  /** Options of either source. */
  readonly common: Pick<KafkaSourceOptions, 'space' | 'clock' | 'topic' | 'turn'> & {
    readonly schemas: AwaitedSchemas | undefined
  }
}

type KafkaInput = OpenInput<KafkaCheckpoint, KafkaOrigin>

/** The part of an input that differs between topics and a file. */
type OwnParts = Pick<KafkaInput, 'source' | 'rejects' | 'rows' | 'endWords' | 'spans' | 'replays' | 'group' | 'stopped'>

/** Connects to what dead letters need; to nothing else.
 *  @throws ConnectorError when dead letters could not be kept, or cannot be read */
export async function openKafkaInput(
  { config: wanted, registry: asked, identity: around, replays, mostRecords }: KafkaInputOptions,
  context: RunContext,
): Promise<KafkaInput> {
  const { log, scrub, clock, outages, dry } = context
  await using stack = new AsyncDisposableStack()
  const {
    config: given,
    tokens,
    outages: tokenOutages,
  } = stack.use(await openLogins(wanted, { ...around, ...context }))
  const registry = asked && { ...asked, login: given.registry?.login }
  const brokers = new BrokerOutages({ brokerDeadlineMs: given.kafka.brokerDeadlineMs, clock, log, outages })
  const stallDeadlineMs = dry ? Math.min(given.stallDeadlineMs, DRY_STALL_MS) : given.stallDeadlineMs
  const config = { ...given, stallDeadlineMs, kafka: { ...given.kafka, watch: brokers } }
  const outage = registry && registryOutage(registry.url, config, { log, clock, outages })
  const over = new AbortController()
  stack.defer(() => over.abort())
  void lookForOutages([brokers, ...(outage ? [outage] : []), ...tokenOutages], clock, over.signal)
  const store = registry && stack.use(await schemasOf(registry, log, outage)).store
  // what is opened here connects, and what is opened later waits by itself
  if (config.rejects.topic !== undefined || dry) await tokensReady(tokens, context.signal)
  const path = replays ? config.rejects.file : undefined
  const letters = path === undefined ? undefined : stack.use(await replayFileAt(path, log))
  const space = new MapperSpace(new Provenance(context.runId, Date.now))
  const { tablePrefix, metadataColumns, limits } = config
  const mapping = {
    ...topicShared(tablePrefix, space, limits.maxRequestBytes, metadataColumns),
    samplesFields: context.samplesFields,
    allFields: dry !== undefined,
  }
  const say: KafkaSource['log'] = (level, message, fields) => void log(level, scrub(message), fields)
  const topics = new StreamTopics(config.topics, mapping, say)
  const policy = stack.use(await openPolicy(config, budgetsOf(config, topics, replays), context))
  const topic = (name: string): MappedTopic => topics.find(name)
  const schemas = store && new AwaitedSchemas({ store, clock, topic })
  const common = { space, clock, topic, turn: eventLoopTurn, schemas }
  const shared = { config, context, topics, policy, log: say, common }
  const own = letters
    ? await fileParts(letters, shared)
    : await topicParts(shared, { replays, mostRecords, registry: outage, tokens, stack })
  const all = stack.move()
  return {
    ...own,
    rejectsPlace: policy.place,
    digests: { catalog: undefined, of: topics.digest },
    reserved: reservedPaths(config),
    rejectCounts: policy.counts,
    scopeOf: ({ partition }) => partition.track.topic,
    whereOf: (item) => `partition ${whereFrom(item).partition}, offset ${offsetOf(item.origin)}`,
    placeOf: ({ partition: { track, from: first }, next }) => {
      return { topic: track.topic, partition: track.partition, first, last: next - 1n }
    },
    stalled: (facts) => whyStalled(facts, { stallDeadlineMs, schemas, tokens, isDry: dry !== undefined }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function fileParts(file: ReplayFile, { topics, policy, common }: SharedParts): Promise<OwnParts> {
  const { ReplayFileSource } = await import('./replay-file-source.ts')
  const source = new ReplayFileSource({ ...common, file, keepsRecords: true })
  return {
    source,
    rejects: policy.rejects,
    rows: new CountedTopics({ topics, policy, letters: source.counts }),
    endWords: (isComplete) => (isComplete ? [replayedWords(`${policy.place}`, source.counts)] : []),
    replays: true,
    stopped: () => ({ ...source.progress, uncommitted: 0, hasLeft: true }),
  }
}

interface TopicPartsOptions extends Pick<KafkaInputOptions, 'replays' | 'mostRecords'> {
  readonly registry: ReturnType<typeof registryOutage> | undefined
  readonly tokens: OpenLogins['tokens']
  readonly stack: AsyncDisposableStack
}

/** Opens what reads the topics themselves, or the topic of dead letters. */
async function topicParts(
  shared: SharedParts,
  { replays, mostRecords, registry, tokens, stack }: TopicPartsOptions,
): Promise<OwnParts> {
  const { config, context, topics, policy, log, common } = shared
  const { scrub, clock, dry, signal, tally, service } = context
  const letters = replays ? config.rejects.topic : undefined
  const replaying =
    letters === undefined ? undefined : replayTopic(await asked((admin) => admin.ranges(letters), config.kafka))
  const check: FinderOptions['check'] = (names) => (replaying ? names : topics.check(names))
  const reading =
    dry && stack.use(await openDryReading(config, { topics: finderOf(config, check, log), mostRecords, signal }))
  const samples = reading && new RecordSamples({ ...reading, records: shareOf(reading.spans.length), goesOn: false })
  const budget = new FetchBudget()
  const pauses = new Pauses({
    // a service that asks for slower requests takes something
    isDown: () => service.failingSince !== undefined && service.throttledSince === undefined,
    isBufferFull: () => tally.engine().bufferedBytes >= config.limits.bufferBytes,
    isBudgetFull: () => budget.isFull,
  })
  const rows = new CountedTopics({ topics, policy, pauses, letters: replaying?.letters })
  const options = {
    ...common,
    budget,
    wallClock: Date.now,
    // a dry run keeps none
    keepsRecords: policy.keepsRecords && dry === undefined,
    upTo: replaying ?? reading,
    sampler: samples,
    endsAtRejected: !policy.rejects.overlaps,
    pauses,
    counted: (name: string) => rows.counted(name),
    log,
  }
  const source = new KafkaSource(options)
  const read = letters === undefined ? config : readingLetters(config, letters)
  const own = { topics: finderOf(read, check, log), scrub, clock, budget, ...reading?.member }
  const membership = groupMemberOf(read, source, own)
  source.use(membership)
  const { commitEveryMs, kafka } = config
  const told = { brokers: kafka.watch, registry, tokens, policy, pauses }
  const group = new StreamGroup({ ...told, clock, source, membership, lastMs: sessionLeft(config), commitEveryMs })
  return {
    source,
    rejects: {
      ...policy.rejects,
      async put(rejected, signal) {
        const instead = await policy.rejects.put(rejected, signal)
        source.rejected(rejected)
        return instead
      },
    },
    rows,
    endWords: (isComplete) => [
      ...(replaying && isComplete ? [replayedWords(`${policy.place}`, replaying.letters)] : []),
      ...(samples?.doubts ?? []).map(({ code, text }): EndWords => ['warn', text, { code }]),
    ],
    spans: reading?.spans,
    replays: replaying !== undefined,
    group,
    stopped: () => group.stopped(),
  }
}

/** Counts rejected records of each table or topic against its limits. A replay has no limit of its share by default: all its letters were
 *  rejected before. */
function budgetsOf(
  { rejectLimits: { maxRejected, maxRejectedShare, isShareGiven } }: StreamConfig,
  topics: StreamTopics,
  replays: boolean,
): DeadLetterPolicyParts['take'] {
  const entries = new Map<{ readonly records: number }, TopicConfig>()
  const share = replays && !isShareGiven ? 1 : maxRejectedShare
  const budgets = new RejectBudgets<{ readonly records: number }>(
    { maxRejected, maxRejectedShare: share },
    (counts) => entries.get(counts),
    ({ records }) => records,
  )
  return (topic, table) => {
    const { entry, counts, mapper } = topics.find(topic)
    const own = table && mapper.route?.counts.get(table)
    const of = own ?? counts
    entries.set(of, entry)
    return budgets.take(of, own && table.name)
  }
}

/** Loaded only where dead letters are read from a file. */
async function replayFileAt(path: string, log: Log): Promise<ReplayFile> {
  const { openReplayFile } = await import('./replay-file.ts')
  return openReplayFile(path, log)
}

/** Loaded only where a topic needs schemas: its formats take a while. */
async function schemasOf(registry: OpenSchemasOptions, log: Log, outage?: OutageEvents): Promise<OpenSchemas> {
  const { openSchemas } = await import('./registry-route.ts')
  return openSchemas(registry, log, outage)
}

function reservedPaths({ rejects: { file: letters }, files }: StreamConfig): readonly ReservedPath[] {
  const referred = files.map((file) => ({ file, what: 'one that the config refers to' }))
  if (letters === undefined) return referred
  return [
    { file: letters, what: 'that of dead_letters.file' },
    { file: placePath(letters), what: 'where it is kept how far dead letters are replayed' },
    ...referred,
  ]
}

function openPolicy(
  { rejects, kafka }: WatchedConfig,
  take: DeadLetterPolicyParts['take'],
  { scrub, log, clock, signal, dry }: RunContext,
): Promise<DeadLetterPolicy> {
  const waiting = (why: string): void =>
    void log(
      kafka.watch.isFailing ? 'info' : 'warn',
      scrub(`The brokers cannot be asked for the topic of dead letters yet: ${why}.`),
    )
  return deadLetterPolicy(rejects, {
    scrub,
    log,
    take,
    wallClock: Date.now,
    isDry: dry !== undefined,
    openTopic: (topic, failed) =>
      openDeadLetterTopic(
        { connection: kafka, brokerDeadlineMs: kafka.brokerDeadlineMs, topic, clock, waiting, failed },
        signal,
      ),
  })
}

export function replayedWords(place: string, { written, rejected }: SettledCounts): EndWords {
  const message = `Dead letters of ${place} replayed: ${written} stored, ${rejected} kept as dead letters again.`
  return ['info', message, { stored: written, rejected }]
}
