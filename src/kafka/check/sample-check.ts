// Reads recent records of the topics, as a dry run does with a group of its own, and says what a run would meet in them. All topics are
// read at once, and one by one only where one of them cannot be read.

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
const MOST_RECORDS = 200
/** The member of the sample's own group. What may pass is tried again for up to `brokerDeadlineMs`. */
const MEMBER = {
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
  /** `undefined` when no topic needs them, or the registry does not answer. */
  readonly schemas: SchemaStore | undefined
  /** Aborts when there is no more time. The records read so far are judged then. */
  readonly end: AbortSignal
}

/** Examines a sample of each topic.
 *  @param partitions by the name of a topic that a run could read */
export async function sampleFindings(
  parts: SampleParts,
  partitions: ReadonlyMap<string, readonly FoundPosition[]>,
): Promise<CheckFinding[]> {
  if (partitions.size === 0) return []
  const withRecords = [...partitions].filter(([, all]) => all.some(isFilled))
  if (withRecords.length === 0) return [ok('There are no records to examine yet.')]
  const topics = parts.freshTopics()
  const readable = withRecords.filter(([topic]) => parts.schemas !== undefined || !topics.find(topic).encoding)
  const records = Math.min(MOST_RECORDS, shareOf(readable.flatMap(([, all]) => all.filter(isFilled)).length))
  const spans = readable.flatMap(([topic, all]) =>
    all.map(({ partition, range: { low, high: to } }): DrySpan => {
      const from = to - low > records ? to - BigInt(records) : low
      return { topic, partition, from, to, begins: 'start' }
    }),
  )
  return [
    ...(readable.length > 0 ? await examined(spans, records, parts) : []),
    ...(readable.length < withRecords.length ? [warn('kafka.not-examined', NOT_ASKED)] : []),
  ]
}

const NOT_ASKED = 'Topics whose records need schemas were not examined, because the registry cannot be asked.'

function isFilled({ range: { low, high } }: FoundPosition): boolean {
  return high > low
}

async function examined(spans: readonly DrySpan[], records: number, parts: SampleParts): Promise<CheckFinding[]> {
  const { connection, config, freshTopics } = parts
  const byTopic = Map.groupBy(spans, ({ topic }) => topic)
  const names = [...byTopic.keys()]
  const shown = names.map((name) => JSON.stringify(name)).join(', ')
  await using reading = prepareReading(connection, `${config.kafka.group}-check-`, spans)
  const samples = new RecordSamples({ ...reading, records, goesOn: true })
  const topics = freshTopics()
  const found = await readSample(reading, samples, (name) => topics.find(name), parts)
  if ('level' in found) {
    if (found.level === 'warn') return [found]
    if (names.length === 1)
      return [found.text.includes(shown) ? found : { ...found, text: `Topic ${shown}: ${found.text}` }]
    // which of them it was is not known
    const findings: CheckFinding[] = []
    for (const own of byTopic.values()) findings.push(...(await examined(own, records, parts)))
    return findings
  }
  const all = names.map((name) => samples.of(topics.find(name)))
  const count = all.reduce((sum, { records }) => sum + records, 0)
  const cut = found.isCut ? ' The time limit came before the whole sample was read.' : ''
  const of = names.length === 1 ? `topic ${shown}` : `${names.length} topics`
  const line = `${count} recent records of ${of} were examined.${cut}`
  const divert = config.rejects.onRejected === 'dead-letter'
  return [
    ...(found.registry ? [failed(found.registry)] : []),
    count === 0 && found.isCut ? warn('kafka.not-examined', line) : ok(line),
    ...all.flatMap((one) => one.rejections(divert).map(one.endsAtAny(divert) ? failed : warned)),
    ...all.flatMap((one) => one.doubts.map(warned)),
  ]
}

/** What came of reading a sample. registry: why the records of some topics were not read. isCut: whether the time was up before its end. */
interface SampleRead {
  readonly isCut: boolean
  readonly registry?: Coded | undefined
}

/** @returns a finding where it cannot be read: FAIL if a run could not read it either */
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
  const options = { ...MEMBER, ...reading.member, connection, clock, scrub: (text: string) => text }
  const member = new GroupMember({ ...options, outOfRangeOf: () => 'earliest' }, source)
  source.use(member)
  const over = new AbortController()
  const running = member.run(AbortSignal.any([end, over.signal]))
  try {
    for await (const _ of source.read(end, settleAll, settleAll)) if (samples.isEnough) break
    const text = `Records could not be examined, because ${store?.waitsBecause ?? 'the schema registry did not answer in time'}.`
    const registry = schemas?.since === undefined ? undefined : ({ code: 'registry.unreachable', text } as const)
    return { isCut: end.aborted && !samples.isEnough, registry }
  } catch (error) {
    const { kind, code, message: text } = asConnectorError(error)
    // it is about the sample's own group: this user may use only others
    const isOwn = text.includes(group)
    if (code?.startsWith('registry.') === true) return { isCut: true, registry: { code, text } }
    if (kind !== 'transient' && !isOwn) return fail(code!, text)
    const advice = isOwn ? ` Examining them needs a group whose name begins with "${config.kafka.group}-check-".` : ''
    return warn('kafka.not-examined', `Records could not be examined: ${text}${advice}`)
  } finally {
    over.abort()
    source.end()
    await running
  }
}
