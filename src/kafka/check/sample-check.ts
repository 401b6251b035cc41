// Reads recent records of the topics and lets each topic's sample judge them. Decides how many, and what it means when they
// cannot be read.

import { randomUUID } from 'node:crypto'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Coded } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import { forgetGroup } from '../client/admin.ts'
import { GroupMember } from '../client/group-member.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { loadSchemas } from '../source/awaited-schemas.ts'
import { BatchItems } from '../source/batch-items.ts'
import type { ReadBatch } from '../source/types.ts'
import { originOf, recordOf } from '../source/kafka-origin.ts'
import type { KeptRecord } from '../source/kafka-origin.ts'
import type { StreamTopics } from '../source/stream-topics.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import type { FetchedBatch, KafkaRecord, MemberEvents, TopicPartition } from '../types.ts'
import type { MapperSpace } from '../../mapping/mapper-space.ts'
import { eventLoopTurn, systemClock } from '../../process/system-clock.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId } from '../../registry/types.ts'
import type { FoundPosition } from '../client/positions.ts'
import { fail, ok, warn } from './check-report.ts'
import type { CheckFinding } from './check-report.ts'
import { TopicSample } from './topic-sample.ts'

/** Of a partition; fewer where there are many partitions. */
const MOST_RECORDS = 200
const FEWEST_RECORDS = 20
const ALL_RECORDS = 20_000
const MOST_BYTES = 32 * 1024 * 1024
/** The member of the sample's own group. What may pass is tried again for up to `brokerDeadlineMs`. */
const MEMBER = {
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 10_000,
  heartbeatMs: 3000,
  brokerDeadlineMs: 1500,
  fetch: { maxBytesPerPartition: 256 * 1024, maxBytes: 4 * 1024 * 1024 },
}
/** Offsets `from` up to and without `to`. */
interface PartitionSpan extends TopicPartition {
  readonly from: bigint
  readonly to: bigint
}

export interface SampleParts {
  readonly config: StreamConfig
  readonly connection: KafkaConnection
  readonly topics: StreamTopics
  /** The mappers'. */
  readonly space: MapperSpace
  /** There if a topic needs them and the registry answers. */
  readonly schemas: SchemaStore | undefined
  /** Aborts when it is to be waited for no longer. */
  readonly end: AbortSignal
}

/** @param partitions by the name of a topic that a run could read */
export async function sampleFindings(
  parts: SampleParts,
  partitions: ReadonlyMap<string, readonly FoundPosition[]>,
): Promise<CheckFinding[]> {
  if (partitions.size === 0) return []
  const filled = [...partitions].flatMap(([topic, all]) =>
    all.flatMap(({ partition, range: { low, high } }) => (high > low ? [{ topic, partition, low, high }] : [])),
  )
  if (filled.length === 0) return [ok('There are no records to examine yet.')]
  const records = BigInt(Math.min(MOST_RECORDS, Math.max(FEWEST_RECORDS, Math.floor(ALL_RECORDS / filled.length))))
  const spans = filled.map(({ topic, partition, low, high }): PartitionSpan => {
    return { topic, partition, from: high - low > records ? high - records : low, to: high }
  })
  const { space, topics } = parts
  const options = { space, clock: systemClock, keepsRecords: true, topic: (name: string) => topics.find(name) }
  const items = new BatchItems(options)
  return judged(spans, parts, (name) => new TopicSample(topics.find(name), partitions.get(name)!.length, items))
}

async function judged(
  spans: readonly PartitionSpan[],
  parts: SampleParts,
  sampleOf: (topic: string) => TopicSample,
): Promise<CheckFinding[]> {
  const { group } = parts.config.kafka
  const names = [...new Set(spans.map(({ topic }) => topic))]
  const shown = names.map((name) => JSON.stringify(name)).join(', ')
  const found = await read(spans, group, parts)
  if (found.kind === 'skipped') return [warn('kafka.not-examined', found.text)]
  if (found.kind === 'unreadable' && names.length === 1)
    return [fail(found.code, found.text.includes(shown) ? found.text : `Topic ${shown}: ${found.text}`)]
  if (found.kind === 'unreadable') {
    // which of them it was is not known
    const findings: CheckFinding[] = []
    for (const name of names)
      findings.push(
        ...(await judged(
          spans.filter(({ topic }) => topic === name),
          parts,
          sampleOf,
        )),
      )
    return findings
  }
  const samples = names.map(sampleOf)
  const undecoded = await look(found.batches, samples, parts)
  const count = samples.reduce((sum, sample) => sum + sample.records, 0)
  const cut = found.isCut ? ' The time limit came before the whole sample was read.' : ''
  const of = names.length === 1 ? `topic ${shown}` : `${names.length} topics`
  const line = `${count} recent records of ${of} were examined.${cut}`
  const divert = parts.config.rejects.onRejected === 'dead-letter'
  return [
    ...undecoded,
    count === 0 && found.isCut ? warn('kafka.not-examined', line) : ok(line),
    ...samples.flatMap((sample) => sample.findings(divert)),
  ]
}

/** unreadable: nor would a run be able to. skipped: a run may. Texts are whole sentences. */
type Read =
  | { readonly kind: 'read'; readonly isCut: boolean; readonly batches: readonly ReadBatch[] }
  | ({ readonly kind: 'unreadable' } & Coded)
  | { readonly kind: 'skipped'; readonly text: string }

async function read(
  spans: readonly PartitionSpan[],
  ownGroup: string,
  { connection, end }: SampleParts,
): Promise<Read> {
  const group = `${ownGroup}-check-${randomUUID()}`
  const topics = [...new Set(spans.map(({ topic }) => topic))]
  const sample = new Sample(spans)
  const member = new GroupMember(
    {
      ...MEMBER,
      connection,
      group,
      topics: { find: () => Promise.resolve(topics), refreshMs: Infinity, mayChange: false },
      startOf: (topic) =>
        new Map(spans.flatMap((span) => (span.topic === topic ? [[span.partition, span.from] as const] : []))),
      outOfRangeOf: () => 'earliest',
      clock: systemClock,
      scrub: (text) => text,
    },
    sample,
  )
  sample.use(member)
  await member.run(AbortSignal.any([end, sample.over]))
  await forgetGroup(connection, group)
  const { failure } = sample
  if (!failure) return { kind: 'read', isCut: !sample.over.aborted, batches: sample.batches }
  const { kind, code, message } = failure
  if (kind !== 'transient' && !message.includes(group)) return { kind: 'unreadable', code: code!, text: message }
  const advice = message.includes(group)
    ? ` Examining them needs a group whose name begins with "${ownGroup}-check-".`
    : ''
  return { kind: 'skipped', text: `Records could not be examined: ${message}${advice}` }
}

/** Takes each span's records, once. */
class Sample implements MemberEvents {
  readonly batches: readonly (ReadBatch & { readonly records: KafkaRecord[] })[]
  failure: ConnectorError | undefined
  /** Those that are not complete. */
  readonly #open: Set<Sample['batches'][number]>
  readonly #over = new AbortController()
  #member!: Pick<GroupMember, 'pause'>
  #bytes = 0

  constructor(spans: readonly PartitionSpan[]) {
    this.batches = spans.map(({ topic, partition, to }) => {
      return { topic, partition, records: [], bytes: 0, next: to, highWatermark: to }
    })
    this.#open = new Set(this.batches)
  }

  /** Aborts when there is nothing more to read. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  use(member: Pick<GroupMember, 'pause'>): void {
    this.#member = member
  }

  assigned(positions: readonly TopicPartition[]): void {
    // after a crash it begins again
    for (const { records } of this.#open) records.length = 0
    for (const position of positions) if (!this.#find(position)) this.#member.pause(position)
  }

  batch(fetched: FetchedBatch): void {
    const batch = this.#find(fetched)
    if (!batch) return
    for (const record of fetched.records)
      if (record.offset < batch.next && !this.#isEnough) {
        batch.records.push(copyOf(record))
        this.#bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
      }
    if (fetched.next >= batch.next) {
      this.#open.delete(batch)
      this.#member.pause(batch)
    }
    if (this.#open.size === 0 || this.#isEnough) this.#over.abort()
  }

  failed(error: ConnectorError): void {
    this.failure = error
    this.#over.abort()
  }

  revoked(): Promise<void> {
    return Promise.resolve()
  }

  lost(): void {}

  log(): void {}

  get #isEnough(): boolean {
    return this.#bytes >= MOST_BYTES
  }

  #find({ topic, partition }: TopicPartition): Sample['batches'][number] | undefined {
    return [...this.#open].find((batch) => batch.topic === topic && batch.partition === partition)
  }
}

/** Its buffers are views of what was fetched. */
function copyOf(record: KafkaRecord): KafkaRecord {
  const { unread } = record
  return { ...recordOf(originOf(record, true) as KeptRecord), unread: unread && { ...unread, ofLetter: undefined } }
}

/** @returns why records could not be looked at that name schemas */
async function look(
  batches: readonly ReadBatch[],
  samples: readonly TopicSample[],
  { schemas: store, end }: SampleParts,
): Promise<CheckFinding[]> {
  const ids = new Set<SchemaId>()
  const ofTopic = new Map(samples.map((sample) => [sample.topic.name, sample]))
  for (const { topic, records } of batches) {
    const sample = ofTopic.get(topic)!
    sample.records += records.length
    for (const record of records) sample.topic.encoding?.addIds(record, ids)
  }
  const findings: CheckFinding[] = []
  const schemas = await loaded(ids, store, end, findings)
  for (const batch of batches) {
    const sample = ofTopic.get(batch.topic)!
    if (sample.topic.encoding && !schemas) continue
    sample.look({ ...batch, schemas })
    await eventLoopTurn()
  }
  return findings
}

/** @returns undefined: they cannot be had, which is added to `findings` */
async function loaded(
  ids: ReadonlySet<SchemaId>,
  store: SchemaStore | undefined,
  end: AbortSignal,
  findings: CheckFinding[],
): Promise<KnownSchemas | undefined> {
  if (ids.size === 0) return new Map()
  if (!store) {
    findings.push(
      warn('kafka.not-examined', 'Records that name schemas were only counted, because the registry cannot be asked.'),
    )
    return undefined
  }
  try {
    return await loadSchemas(store, ids, end)
  } catch (error) {
    const why = store.waitsBecause ?? 'it did not answer in time'
    const text = `Records could not be examined, because the schema registry cannot be asked: ${why}.`
    const known = error instanceof ConnectorError ? error : undefined
    findings.push(fail(known?.code ?? 'registry.unreachable', known?.message ?? text))
    return undefined
  }
}
