// Has recent records of the topics looked at, read as a dry run reads. Decides how many, and what it means when they cannot be read.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Coded } from '../../core/codes.ts'
import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import type { TakenTrack } from '../../core/types.ts'
import { GroupMember } from '../client/group-member.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { loadSchemas } from '../source/awaited-schemas.ts'
import { lookAt } from '../source/dry-look.ts'
import type { OpenDryLook } from '../source/dry-look.ts'
import { KafkaSource } from '../source/kafka-source.ts'
import { RecordLooks, shareOf } from '../source/record-looks.ts'
import type { StreamTopics } from '../source/stream-topics.ts'
import type { ReadBatch } from '../source/types.ts'
import type { MapperSpace } from '../../mapping/mapper-space.ts'
import { eventLoopTurn, systemClock } from '../../process/system-clock.ts'
import type { SchemaStore } from '../../registry/schema-store.ts'
import type { SchemaId } from '../../registry/types.ts'
import type { DrySpan } from '../../telemetry/open-input.ts'
import type { FoundPosition } from '../client/positions.ts'
import { fail, ok, warn } from './check-report.ts'
import type { CheckFinding } from './check-report.ts'

/** Of a partition; fewer where there are many partitions. */
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
  readonly config: StreamConfig
  readonly connection: KafkaConnection
  /** The run's, that have met no record. */
  readonly freshTopics: () => StreamTopics
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
  const all = [...partitions].filter(([, all]) => all.some(({ range: { low, high } }) => high > low))
  if (all.length === 0) return [ok('There are no records to examine yet.')]
  const filled = all.flatMap(([, found]) => found.filter(({ range: { low, high } }) => high > low))
  const records = Math.min(MOST_RECORDS, shareOf(filled.length))
  const spans = all.flatMap(([topic, all]) =>
    all.map(({ partition, range: { low, high: to } }): DrySpan => {
      const from = to - low > records ? to - BigInt(records) : low
      return { topic, partition, from, to, begins: 'start' }
    }),
  )
  return judged(spans, records, parts)
}

async function judged(spans: readonly DrySpan[], records: number, parts: SampleParts): Promise<CheckFinding[]> {
  const { connection, config, freshTopics } = parts
  const names = [...new Set(spans.map(({ topic }) => topic))]
  const shown = names.map((name) => JSON.stringify(name)).join(', ')
  await using look = lookAt(connection, `${config.kafka.group}-check-`, spans)
  const looks = new RecordLooks({ ...look, records, goesOn: true })
  const topics = freshTopics()
  const found = await read(look, looks, topics, parts)
  if (found.kind === 'skipped') return [warn('kafka.not-examined', found.text)]
  if (found.kind === 'unreadable' && names.length === 1)
    return [fail(found.code, found.text.includes(shown) ? found.text : `Topic ${shown}: ${found.text}`)]
  if (found.kind === 'unreadable') {
    // which of them it was is not known
    const findings: CheckFinding[] = []
    for (const own of Map.groupBy(spans, ({ topic }) => topic).values())
      findings.push(...(await judged(own, records, parts)))
    return findings
  }
  const all = names.map((name) => looks.of(topics.find(name)))
  const count = all.reduce((sum, { records }) => sum + records, 0)
  const cut = found.isCut ? ' The time limit came before the whole sample was read.' : ''
  const of = names.length === 1 ? `topic ${shown}` : `${names.length} topics`
  const line = `${count} recent records of ${of} were examined.${cut}`
  const divert = config.rejects.onRejected === 'dead-letter'
  return [
    ...found.undecoded,
    count === 0 && found.isCut ? warn('kafka.not-examined', line) : ok(line),
    ...all.flatMap((one) => [...one.rejections(divert), ...one.doubts].map(({ code, text }) => warn(code, text))),
  ]
}

/** unreadable: nor would a run be able to. skipped: a run may. Texts are whole sentences. */
type Read =
  | { readonly kind: 'read'; readonly isCut: boolean; readonly undecoded: readonly CheckFinding[] }
  | ({ readonly kind: 'unreadable' } & Coded)
  | { readonly kind: 'skipped'; readonly text: string }

async function read(look: OpenDryLook, looks: RecordLooks, topics: StreamTopics, parts: SampleParts): Promise<Read> {
  const { config, connection, space, end } = parts
  const { group } = look.member
  const schemas = sampleSchemas(parts, topics, looks)
  const clock = systemClock
  const source = new KafkaSource({
    space,
    clock,
    wallClock: Date.now,
    keepsRecords: false,
    look: looks,
    topic: (name) => topics.find(name),
    turn: eventLoopTurn,
    upTo: look,
    schemas,
    log: () => {},
  })
  const options = { ...MEMBER, ...look.member, connection, clock, scrub: (text: string) => text }
  const member = new GroupMember({ ...options, outOfRangeOf: () => 'earliest' }, source)
  source.use(member)
  const over = new AbortController()
  const running = member.run(AbortSignal.any([end, over.signal]))
  try {
    for await (const _ of source.read(end, settle, settle)) if (looks.isEnough) break
    const isCut = end.aborted && !looks.isEnough
    return { kind: 'read', isCut, undecoded: await schemas.findings() }
  } catch (error) {
    const { kind, code, message } = asConnectorError(error)
    const isOwn = message.includes(group)
    if (kind !== 'transient' && !isOwn) return { kind: 'unreadable', code: code!, text: message }
    const advice = isOwn ? ` Examining them needs a group whose name begins with "${config.kafka.group}-check-".` : ''
    return { kind: 'skipped', text: `Records could not be examined: ${message}${advice}` }
  } finally {
    over.abort()
    await running
  }
}

/** Nothing of them is under way. */
function settle(taken: readonly TakenTrack[]): void {
  for (const one of taken) one.settled()
}

/** Records whose schemas cannot be had are only counted. */
function sampleSchemas({ schemas: store, end }: SampleParts, topics: StreamTopics, looks: RecordLooks) {
  let failure: CheckFinding | undefined
  const loads = new Set<Promise<void>>()
  const load = async (batch: ReadBatch, ids: ReadonlySet<SchemaId>, done: () => void): Promise<void> => {
    try {
      if (store && !failure) batch.schemas = await loadSchemas(store, ids, end)
      else failure ??= warn('kafka.not-examined', NOT_ASKED)
    } catch (error) {
      const why = store!.waitsBecause ?? 'it did not answer in time'
      const text = `Records could not be examined, because the schema registry cannot be asked: ${why}.`
      const { code = 'registry.unreachable', message = text } = error instanceof ConnectorError ? error : {}
      failure ??= fail(code, message)
    }
    if (batch.schemas === 'awaited') {
      looks.of(topics.find(batch.topic)).records += batch.records.length
      Object.assign(batch, { records: [], schemas: new Map() })
    }
    done()
  }
  return {
    since: undefined,
    prepare(batch: ReadBatch, done: () => void): void {
      const ids = new Set<SchemaId>()
      for (const record of batch.records) topics.find(batch.topic).encoding?.addIds(record, ids)
      batch.schemas = ids.size > 0 ? 'awaited' : new Map()
      if (ids.size > 0) loads.add(load(batch, ids, done))
    },
    forget: () => {},
    end: () => {},
    /** Why some could not be had, once all is read. */
    findings: async () => Promise.all(loads).then(() => (failure ? [failure] : [])),
  }
}

const NOT_ASKED = 'Records that name schemas were only counted, because the registry cannot be asked.'
