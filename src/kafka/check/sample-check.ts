// Reads recent records of the topics and lets each topic's sample judge them. Decides how many, and what it means when they
// cannot be read.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { kafkaProblem } from '../client/kafka-problem.ts'
import type { KafkaConnection } from '../client/kafkajs-connection.ts'
import { sampleTopics } from '../client/sample-topics.ts'
import type { PartitionSpan } from '../client/sample-topics.ts'
import type { HeadSpace } from '../../mapping/head-space.ts'
import type { CheckFinding } from './check-finding.ts'
import { fail, ok, warn } from './check-finding.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import { loadSchemas } from '../source/awaited-schemas.ts'
import type { CheckedPartition } from './check-positions.ts'
import type { CheckedTopic } from './check-topics.ts'
import { TopicSample } from './topic-sample.ts'

/** Of a partition; fewer where there are many partitions. */
const MOST_RECORDS = 200
const FEWEST_RECORDS = 20
const ALL_RECORDS = 20_000
const MOST_BYTES = 32 * 1024 * 1024
/** What may pass, as while a coordinator is being made, is tried again. */
const TRIES = 3
const TRY_AGAIN_MS = 300

/** A topic whose positions are known. */
export interface SampleSource {
  readonly topic: CheckedTopic
  readonly partitions: readonly CheckedPartition[]
}

export interface SampleReading {
  readonly connection: KafkaConnection
  readonly space: HeadSpace
  /** There if a topic needs them. */
  readonly schemas: SchemaStore | undefined
}

/** @param end aborts when it is to be waited for no longer */
export async function sampleFindings(
  config: StreamConfig,
  sources: readonly SampleSource[],
  { connection, space, schemas }: SampleReading,
  end: AbortSignal,
): Promise<CheckFinding[]> {
  const filled = sources.flatMap(({ partitions }) => partitions.filter(({ range }) => range.high > range.low))
  const most = Math.floor(ALL_RECORDS / Math.max(1, filled.length))
  const records = BigInt(Math.min(MOST_RECORDS, Math.max(FEWEST_RECORDS, most)))
  const parts = sources.flatMap((source) => partOf(source, records, space))
  if (sources.length === 0) return []
  if (parts.length === 0) return [ok('There are no records to look at yet.')]
  const divert = config.rejects.onRejected === 'dead-letter'
  const all = await read(parts, config.kafka.group, connection, end)
  if (all.kind !== 'unreadable' || parts.length === 1)
    return [...(await decode(parts, schemas, end)), ...told(parts, all, divert)]
  // which of them it was is not told
  const findings: CheckFinding[] = []
  for (const { source } of parts) {
    const [part] = partOf(source, records, space)
    const one = await read([part!], config.kafka.group, connection, end)
    findings.push(...(await decode([part!], schemas, end)), ...told([part!], one, divert))
  }
  return findings
}

interface Part {
  readonly source: SampleSource
  readonly sample: TopicSample
  readonly spans: readonly PartitionSpan[]
}

function partOf(source: SampleSource, records: bigint, space: HeadSpace): Part[] {
  const { name, mapper } = source.topic
  const spans = source.partitions.flatMap(({ partition, range: { low, high } }) =>
    high > low ? [{ topic: name, partition, from: high - low > records ? high - records : low, to: high }] : [],
  )
  if (!mapper || spans.length === 0) return []
  const sample = new TopicSample({ ...source.topic, mapper, partitions: source.partitions.length, space })
  return [{ source, sample, spans }]
}

/** unreadable: nor would a run be able to. skipped: a run may. Texts are whole sentences. */
type Read = { readonly kind: 'whole' | 'cut' } | { readonly kind: 'unreadable' | 'skipped'; readonly text: string }

async function read(
  parts: readonly Part[],
  ownGroup: string,
  connection: KafkaConnection,
  end: AbortSignal,
): Promise<Read> {
  for (let tries = 1; ; tries++) {
    const found = await readOnce(parts, ownGroup, connection, end)
    // a second reading would count what the first one took
    if (found.kind !== 'passing') return found
    const isLast = tries === TRIES || parts.some(({ sample }) => sample.records > 0)
    if (isLast || end.aborted) return { kind: 'skipped', text: found.text }
    await sleep(TRY_AGAIN_MS, undefined, { signal: end }).catch(() => {})
  }
}

async function readOnce(
  parts: readonly Part[],
  ownGroup: string,
  connection: KafkaConnection,
  end: AbortSignal,
): Promise<Read | { readonly kind: 'passing'; readonly text: string }> {
  const samples = new Map(parts.map(({ source, sample }) => [source.topic.name, sample]))
  const group = `${ownGroup}-check-${randomUUID()}`
  let answered: string | undefined
  try {
    const isWhole = await sampleTopics(
      {
        connection,
        group,
        spans: parts.flatMap(({ spans }) => spans),
        maxBytes: MOST_BYTES,
        take: ({ topic, partition }, record) => samples.get(topic)!.take(partition, record),
        answered: (error) => (answered = error),
      },
      end,
    )
    return { kind: isWhole ? 'whole' : 'cut' }
  } catch (error) {
    const problem = kafkaProblem(error, { brokers: connection.brokers, group, answered })
    if (problem.kind === 'passing') return { kind: 'passing', text: `Records could not be looked at: ${problem.text}.` }
    const { message } = problem.error
    if (!message.includes(group)) return { kind: 'unreadable', text: message }
    const text = `Records could not be looked at: ${message} Only to look at them it takes a group whose name begins with "${ownGroup}-check-".`
    return { kind: 'skipped', text }
  }
}

/** Looks at the records that name schemas.
 *  @returns why they could not be looked at */
async function decode(
  parts: readonly Part[],
  store: SchemaStore | undefined,
  end: AbortSignal,
): Promise<CheckFinding[]> {
  const ids = new Set(parts.flatMap(({ sample }) => [...sample.schemaIds]))
  if (ids.size > 0 && !store)
    return [warn('Records that name schemas were only counted, for the registry cannot be asked.')]
  try {
    const schemas = store ? await loadSchemas(store, ids, end) : new Map()
    for (const { sample } of parts) sample.finish(schemas)
    return []
  } catch (error) {
    if (error instanceof ConnectorError) return [fail(error.message)]
    const why = store?.waitsBecause ?? 'it did not answer in time'
    return [fail(`Records could not be looked at, for the schema registry cannot be asked: ${why}.`)]
  }
}

function told(parts: readonly Part[], read: Read, divert: boolean): CheckFinding[] {
  const names = parts.map(({ source }) => JSON.stringify(source.topic.name)).join(', ')
  if (read.kind === 'unreadable') return [fail(read.text.includes(names) ? read.text : `Topic ${names}: ${read.text}`)]
  if (read.kind === 'skipped') return [warn(read.text)]
  const records = parts.reduce((sum, { sample }) => sum + sample.records, 0)
  const topics = parts.length === 1 ? `topic ${names}` : `${parts.length} topics`
  const cut = read.kind === 'cut' ? ' Time was up before all of the sample was there.' : ''
  const line = `${records} recent records of ${topics} were looked at.${cut}`
  const findings = parts.flatMap(({ sample }) => sample.findings(divert))
  return [records === 0 && read.kind === 'cut' ? warn(line) : ok(line), ...findings]
}
