// The part of `stream --check` on records: reads recent ones of each topic, as a dry run does with a group of its own, and says what a run
// would meet in them. All topics are read at once, and one by one only where one of them cannot be read.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Coded } from '../../core/codes.ts'
import { asConnectorError } from '../../core/errors.ts'
import type { ReadSecret } from '../../core/secret.ts'
import { GroupMember } from '../client/group-member.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { AwaitedSchemas } from '../source/awaited-schemas.ts'
import { FetchedAhead } from '../source/fetched-ahead.ts'
import { prepareReading, type SpanReading } from '../source/span-reading.ts'
import { KafkaSource, settleAll } from '../source/kafka-source.ts'
import { RecordSamples, shareOf } from '../source/record-samples.ts'
import type { MappedTopic, StreamTopics } from '../source/stream-topics.ts'
import type { MapperSpace } from '../../mapping/mapper-space.ts'
import { eventLoopTurn, systemClock } from '../../process/system-clock.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { DrySpan } from '../../run/open-input.ts'
import type { FoundPosition } from '../client/positions.ts'
import { fail, failed, ok, warn, warned, type CheckFinding } from './check-report.ts'

/** Most records of a partition that are read; fewer where there are many partitions (`shareOf`). */
const MOST_OF_PARTITION = 200
/** Options of the only member of the sample's own group. Its deadline is short: the brokers have just answered. */
const MEMBER_OPTIONS = {
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 10_000,
  heartbeatMs: 3000,
  brokerDeadlineMs: 1500,
  fetch: { maxBytesPerPartition: 256 * 1024, maxBytes: 4 * 1024 * 1024 },
}

export interface SampleParts {
  readonly config: StreamConfig<ReadSecret>
  readonly connection: KafkaConnection
  /** Makes topics as a run has them that has met no record yet. */
  readonly freshTopics: () => StreamTopics
  /** The memory that mappers of those topics share. */
  readonly space: MapperSpace
  /** The store of schemas. `undefined` when no topic needs schemas, or the registry does not answer. */
  readonly schemas: SchemaStore | undefined
  /** Aborts when there is no more time. The records read so far are judged then. */
  readonly end: AbortSignal
}

const NOT_ASKED = 'Topics whose records need schemas were not examined, because the registry cannot be asked.'

/** Findings on a sample of each topic.
 *  @param partitions of each topic that a run could read, by its name */
export async function sampleFindings(
  parts: SampleParts,
  partitions: ReadonlyMap<string, readonly FoundPosition[]>,
): Promise<CheckFinding[]> {
  if (partitions.size === 0) return []
  const filled = [...partitions].filter(([, positions]) => positions.some(isFilled))
  if (filled.length === 0) return [ok('There are no records to examine yet.')]
  const topics = parts.freshTopics()
  // records of a topic with an `encoding` need schemas
  const readable = filled.filter(([topic]) => parts.schemas !== undefined || !topics.find(topic).encoding)
  const toSample = readable.flatMap(([, positions]) => positions.filter(isFilled))
  const perPartition = Math.min(MOST_OF_PARTITION, shareOf(toSample.length))
  const spans = readable.flatMap(([topic, positions]) =>
    positions.map(({ partition, range: { low, high: to } }): DrySpan => {
      const from = to - low > perPartition ? to - BigInt(perPartition) : low
      return { topic, partition, from, to, begins: 'start' }
    }),
  )
  return [
    ...(readable.length > 0 ? await examined(spans, perPartition, parts) : []),
    ...(readable.length < filled.length ? [warn('kafka.not-examined', NOT_ASKED)] : []),
  ]
}

function isFilled({ range: { low, high } }: FoundPosition): boolean {
  return high > low
}

/** Findings on the records of these spans, of which `perPartition` are sampled of each partition. */
async function examined(spans: readonly DrySpan[], perPartition: number, parts: SampleParts): Promise<CheckFinding[]> {
  const { connection, config, freshTopics } = parts
  const byTopic = Map.groupBy(spans, ({ topic }) => topic)
  const names = [...byTopic.keys()]
  const shown = names.map((name) => JSON.stringify(name)).join(', ')
  await using reading = prepareReading(connection, `${config.kafka.group}-check-`, spans)
  const samples = new RecordSamples({ ...reading, perPartition, goesOnAfterStop: true })
  const topics = freshTopics()
  const outcome = await readSample(reading, samples, (name) => topics.find(name), parts)
  if ('level' in outcome) {
    // the reason of a warning is in no topic, so each by itself would not be read either
    if (outcome.level === 'warn') return [outcome]
    if (names.length === 1)
      return [outcome.text.includes(shown) ? outcome : { ...outcome, text: `Topic ${shown}: ${outcome.text}` }]
    // it is not known at which topic reading failed, so each is read by itself
    const findings: CheckFinding[] = []
    for (const ofTopic of byTopic.values()) findings.push(...(await examined(ofTopic, perPartition, parts)))
    return findings
  }
  const all = names.map((name) => samples.of(topics.find(name)))
  const count = all.reduce((sum, { records }) => sum + records, 0)
  const whose = names.length === 1 ? `topic ${shown}` : `${names.length} topics`
  const keepsLetters = config.rejects.onRejected === 'dead-letter'
  return [
    ...readFindings(outcome, `${count} recent records of ${whose} were examined.`, count === 0),
    // a problem only where a run would end at each sampled record
    ...all.flatMap((one) => one.rejections(keepsLetters).map(one.endsAtAny(keepsLetters) ? failed : warned)),
    ...all.flatMap((one) => one.doubts.map(warned)),
  ]
}

/** The outcome of reading a sample: whether some of it was not read, and why schemas that records need did not come. */
interface SampleRead {
  readonly isCut: boolean
  readonly registry?: Coded
}

/** Findings on what was read of a sample. @param line how many records it was @param isNone whether it was none */
export function readFindings({ isCut, registry }: SampleRead, line: string, isNone: boolean): CheckFinding[] {
  const text = isCut && !registry ? `${line} The time limit came before the whole sample was read.` : line
  const read = isCut && isNone ? warn('kafka.not-examined', text) : ok(text)
  return registry ? [failed(registry), read] : [read]
}

/** Reads the records of `reading`, each of which `samples` gets to see.
 *  @returns a finding when they cannot be read: FAIL if a run could not read them either */
async function readSample(
  reading: SpanReading,
  samples: RecordSamples,
  topic: (name: string) => MappedTopic,
  { config, connection, space, schemas: store, end }: SampleParts,
): Promise<SampleRead | CheckFinding> {
  const { group } = reading.member
  const clock = systemClock
  const schemas = store && new AwaitedSchemas({ store, clock, topic })
  const shared = { space, clock, topic, schemas, wallClock: Date.now, turn: eventLoopTurn, log: () => {} }
  const ahead = new FetchedAhead()
  const source = new KafkaSource({ ...shared, ahead, keepsRecords: false, sampler: samples, upTo: reading })
  // the report scrubs every text
  const options = { ...MEMBER_OPTIONS, ...reading.member, connection, clock, scrub: (text: string) => text }
  const member = new GroupMember({ ...options, outOfRangeOf: () => 'earliest' }, source)
  source.use(member)
  const done = new AbortController()
  const running = member.run(AbortSignal.any([end, done.signal]))
  try {
    // items are not needed and never sent, so partitions that are taken away are settled at once
    for await (const _ of source.read(end, settleAll, settleAll)) if (samples.isEnough) break
    const isCut = end.aborted && !samples.isEnough
    if (schemas?.since === undefined) return { isCut }
    const text = `Records could not be examined, because ${store?.waitsBecause ?? 'the schema registry did not answer in time'}.`
    return { isCut, registry: { code: 'registry.unreachable', text } }
  } catch (error) {
    const { kind, code, message: text } = asConnectorError(error)
    // a user who may join the run's group may not be allowed to join this one
    const isOwnGroup = text.includes(group)
    if (code?.startsWith('registry.') === true) return { isCut: true, registry: { code, text } }
    if (kind !== 'transient' && !isOwnGroup) return fail(code!, text)
    const need = ` Examining them needs a group whose name begins with "${config.kafka.group}-check-".`
    return warn('kafka.not-examined', `Records could not be examined: ${text}${isOwnGroup ? need : ''}`)
  } finally {
    done.abort()
    source.end()
    await running
  }
}
