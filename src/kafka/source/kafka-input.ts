// Puts the input of `stream` together, by its config: a member of a group, its source, its dead letters and its schemas.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { eventLoopTurn } from '../../process/system-clock.ts'
import type { Log } from '../../process/io.ts'
import type { EndWords, OpenInput, RunContext } from '../../run/open-input.ts'
import { lookForOutages, registryOutage } from '../../telemetry/outage-watch.ts'
import { BrokerOutages } from '../client/broker-outages.ts'
import { replayTopic } from '../dead-letters/dead-letter-replay.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import { Provenance } from '../../mapping/provenance.ts'
import { topicShared } from '../topics/topic-tables.ts'
import { AwaitedSchemas } from './awaited-schemas.ts'
import { openRejects, reservedPaths, whereFrom, type DeadLetterPolicy } from './dead-letter-policy.ts'
import { offsetOf, type KafkaOrigin } from './kafka-origin.ts'
import { KafkaSource, type KafkaSourceOptions } from './kafka-source.ts'
import type { KafkaCheckpoint } from './owned-partition.ts'
import { openLogins, tokensReady } from './open-logins.ts'
import type { LoginParts, OpenLogins } from './fetch-tokens.ts'
import type { OpenSchemasOptions } from './registry-route.ts'
import { whyStalled } from './stall.ts'
import type { ReplayFile } from './replay-file.ts'
import { askBrokers, makeMember, replayConfig, sessionLeft, StreamGroup, type WatchedConfig } from './stream-group.ts'
import { StreamTopics, type MappedTopic, type SettledCounts } from './stream-topics.ts'
import { topicFinder } from './find-topics.ts'
import { CountedTopics } from './counted-topics.ts'
import { FetchedAhead } from './fetched-ahead.ts'
import { openDryReading } from './span-reading.ts'
import { RecordSamples, shareOf } from './record-samples.ts'

export interface KafkaInputOptions {
  readonly config: StreamConfig
  /** How to ask the schema registry; its login is that of `config`. `undefined` when no topic needs schemas. */
  readonly registry: Omit<OpenSchemasOptions, 'login'> | undefined
  /** The means to fetch tokens, for logins that need them. */
  readonly identity: Pick<LoginParts, 'io' | 'onExchange'>
  /** Whether dead letters are read instead of topics. */
  readonly replays: boolean
  /** Most records that a dry run reads. `undefined` when it reads all that are there. */
  readonly mostRecords?: number | undefined
}

/** The longest `stallDeadlineMs` of a dry run: short, because a person waits for its end. */
const DRY_STALL_MS = 30_000

/** Everything that is opened and made before the source, whether that reads topics or a file of dead letters. */
interface Parts extends Pick<KafkaInputOptions, 'mostRecords'> {
  readonly config: WatchedConfig
  readonly context: RunContext
  readonly topics: StreamTopics
  readonly policy: DeadLetterPolicy
  /** Scrubs what it logs. */
  readonly log: KafkaSource['log']
  /** Notices outages of the registry. `undefined` when no topic needs it. */
  readonly registryWatch: ReturnType<typeof registryOutage> | undefined
  readonly tokens: OpenLogins['tokens']
  /** The topic of dead letters that are replayed. `undefined` when topics are read, or a file. */
  readonly letterTopic: string | undefined
  /** Closes what is put on it, after the run. */
  readonly stack: AsyncDisposableStack
  /** Options that both sources take. */
  readonly common: Pick<KafkaSourceOptions, 'space' | 'clock' | 'topic' | 'turn'> & {
    readonly schemas: AwaitedSchemas | undefined
  }
}

type KafkaInput = OpenInput<KafkaCheckpoint, KafkaOrigin>

/** The members of an input that differ between topics and a file of dead letters. */
type SourceMembers = Pick<KafkaInput, 'source' | 'rejects' | 'rows' | 'endWords' | 'spans' | 'group' | 'stopFacts'>

/** Opens the input of a run. Connects only where dead letters or a dry run ask for it: everything else connects when reading begins.
 *  @throws ConnectorError when dead letters could not be kept, or cannot be read */
export async function openKafkaInput(options: KafkaInputOptions, context: RunContext): Promise<KafkaInput> {
  const { log, scrub, clock, outages, dry } = context
  const { replays, mostRecords } = options
  await using stack = new AsyncDisposableStack()
  const logins = stack.use(await openLogins(options.config, { ...options.identity, ...context }))
  const { tokens } = logins
  const { kafka, stallDeadlineMs: patienceMs } = logins.config
  const watch = new BrokerOutages({ brokerDeadlineMs: kafka.brokerDeadlineMs, clock, log, outages })
  const stallDeadlineMs = dry ? Math.min(patienceMs, DRY_STALL_MS) : patienceMs
  // clients of the brokers tell the watch how these answer
  const config = { ...logins.config, stallDeadlineMs, kafka: { ...kafka, watch } }
  const registry = options.registry && { ...options.registry, login: config.registry?.login }
  const registryWatch = registry && registryOutage(registry.url, config, { log, clock, outages })
  const closed = new AbortController()
  stack.defer(() => closed.abort())
  const watches = [watch, ...(registryWatch ? [registryWatch] : []), ...logins.outages]
  void lookForOutages(watches, clock, closed.signal)
  // loaded only where it is needed: the decoders of schemas take a while to load
  const store =
    registry && stack.use((await import('./registry-route.ts')).openSchemas(registry, log, registryWatch)).store
  // dead letters and a dry run connect below, and cannot without a token; what connects later waits for one by itself
  if (config.rejects.topic !== undefined || dry) await tokensReady(tokens, context.signal)
  const letterPath = replays ? config.rejects.file : undefined
  const letterFile = letterPath === undefined ? undefined : stack.use(await replayFileAt(letterPath, log))
  // memory that all mappers share, and the values of columns that tell where a record came from
  const space = new MapperSpace(new Provenance(context.runId, Date.now))
  const { tablePrefix, metadataColumns, limits } = config
  const sharedByTopics = {
    ...topicShared(tablePrefix, space, limits.maxRequestBytes, metadataColumns),
    samplesFields: context.samplesFields,
    allFields: dry !== undefined,
  }
  const logScrubbed: KafkaSource['log'] = (level, message, fields) => void log(level, scrub(message), fields)
  const topics = new StreamTopics(config.topics, sharedByTopics, logScrubbed)
  const policy = stack.use(await openRejects(config, topics, replays, context))
  const topic = (name: string): MappedTopic => topics.find(name)
  const schemas = store && new AwaitedSchemas({ store, clock, topic })
  const common = { space, clock, topic, turn: eventLoopTurn, schemas }
  const letterTopic = replays ? config.rejects.topic : undefined
  const opened = { policy, registryWatch, tokens, stack }
  const parts: Parts = { config, context, topics, common, letterTopic, mostRecords, log: logScrubbed, ...opened }
  const members = await (letterFile ? fileMembers(letterFile, parts) : topicMembers(parts))
  // from here on the input closes what the stack holds, not this function
  const closing = stack.move()
  return {
    ...members,
    replays,
    rejectsPlace: policy.place,
    // a catalog is of Airbyte's streams
    digests: { catalog: undefined, digestOf: topics.digest },
    reserved: reservedPaths(config),
    rejectCounts: policy.counts,
    scopeOf: ({ partition }) => partition.track.topic,
    recordPlace: (item) => `partition ${whereFrom(item).partition}, offset ${offsetOf(item.origin)}`,
    checkpointPlace: ({ partition: { track, from: first }, next }) => {
      return { topic: track.topic, partition: track.partition, first, last: next - 1n }
    },
    stallError: (facts) => whyStalled(facts, { stallDeadlineMs, schemas, tokens, isDry: dry !== undefined }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Opens what reads a file of dead letters. */
async function fileMembers(file: ReplayFile, { topics, policy, common }: Parts): Promise<SourceMembers> {
  const { ReplayFileSource } = await import('./replay-file-source.ts')
  const source = new ReplayFileSource({ ...common, file, keepsRecords: true })
  return {
    source,
    rejects: policy.rejects,
    rows: new CountedTopics({ topics, policy, letters: source.counts }),
    endWords: (isComplete) => (isComplete ? [replayedWords(`${policy.place}`, source.counts)] : []),
    // a file has no offsets to commit, and no group to leave
    stopFacts: () => ({ ...source.progress, uncommitted: 0, hasLeft: true }),
  }
}

/** Opens what reads the topics themselves, or the topic of dead letters. */
async function topicMembers(parts: Parts): Promise<SourceMembers> {
  const { config, context, topics, policy, log, common, registryWatch, tokens, letterTopic, mostRecords, stack } = parts
  const { scrub, clock, dry, signal, tally, service } = context
  const { kafka, commitEveryMs } = config
  const replay =
    letterTopic === undefined ? undefined : replayTopic(await askBrokers((admin) => admin.ranges(letterTopic), kafka))
  const readConfig = letterTopic === undefined ? config : replayConfig(config, letterTopic)
  const finder = topicFinder({
    ...readConfig,
    check: (names) => (replay ? names : topics.check(names)),
    listTopics: (end) => askBrokers((admin) => admin.topics(), kafka, end),
    log,
  })
  const reading = dry && stack.use(await openDryReading(config, finder, mostRecords, signal))
  const samples =
    reading && new RecordSamples({ ...reading, perPartition: shareOf(reading.spans.length), goesOnAfterStop: false })
  const budget = new FetchBudget()
  const ahead = new FetchedAhead({
    budget,
    // a service that asks for slower requests is not down: it still takes some
    isDown: () => service.failingSince !== undefined && service.throttledSince === undefined,
    isBufferFull: () => tally.engine().bufferedBytes >= config.limits.bufferBytes,
  })
  const rows = new CountedTopics({ topics, policy, ahead, letters: replay?.letters })
  const source = new KafkaSource({
    ...common,
    ahead,
    wallClock: Date.now,
    keepsRecords: policy.place !== undefined && dry === undefined,
    upTo: replay ?? reading,
    sampler: samples,
    // a policy that takes nothing behind a rejected record ends the run at it
    endsAtRejected: !policy.rejects.overlaps,
    onCounted: (name: string) => rows.counted(name),
    log,
  })
  const membership = makeMember(readConfig, source, { topics: finder, scrub, clock, budget, ...reading?.member })
  source.use(membership)
  const factSources = { brokers: kafka.watch, registry: registryWatch, tokens, policy, ahead }
  const leftMs = sessionLeft(config)
  const group = new StreamGroup({ ...factSources, clock, source, membership, leftMs, commitEveryMs })
  return {
    source,
    rejects: {
      ...policy.rejects,
      async put(rejected, signal) {
        const standIns = await policy.rejects.put(rejected, signal)
        // it is settled only after this: by then the source must know that it was rejected, and of which table it is
        source.rejected(rejected)
        return standIns
      },
    },
    rows,
    endWords: (isComplete) => [
      ...(replay && isComplete ? [replayedWords(`${policy.place}`, replay.letters)] : []),
      ...(samples?.doubts ?? []).map(({ code, text }): EndWords => ['warn', text, { code }]),
    ],
    spans: reading?.spans,
    group,
    stopFacts: () => group.stopFacts(),
  }
}

/** Opens a file of dead letters; what reads it is loaded only here. */
async function replayFileAt(path: string, log: Log): Promise<ReplayFile> {
  const { openReplayFile } = await import('./replay-file.ts')
  return openReplayFile(path, log)
}

/** The words for the user at the end of a replay.
 *  @param place of the dead letters, for people */
export function replayedWords(place: string, { written, rejected }: SettledCounts): EndWords {
  const message = `Dead letters of ${place} replayed: ${written} stored, ${rejected} kept as dead letters again.`
  return ['info', message, { stored: written, rejected }]
}
