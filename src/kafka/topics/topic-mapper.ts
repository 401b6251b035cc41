// Makes engine items of a topic's records, by the format, keys and policies of its configuration.

import { rulesOf } from '../../config/stream/stream-config.ts'
import type { RouteConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import type { RecordItem, RejectedItem, Table, Track } from '../../core/types.ts'
import type { KafkaRecord } from '../types.ts'
import { FieldKinds } from '../../mapping/field-kinds.ts'
import type { SampledFields } from '../../mapping/field-kinds.ts'
import type { Provenance } from '../../mapping/provenance.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import { topicTableName } from '../../mapping/topic-table.ts'
import { columnsInWords, policyStop } from './topic-rows.ts'
import type { RecordOutcome } from './topic-rows.ts'
import { TopicRoute } from './topic-route.ts'
import { destination } from './topic-tables.ts'
import type { Destination, TopicShared } from './topic-tables.ts'
import { RecordData } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import { counted } from '../../text/figures.ts'
import { AirbyteValues } from '../values/airbyte-values.ts'
import { isDebeziumChange } from '../values/debezium-shape.ts'
import { DebeziumValues } from '../values/debezium-values.ts'
import { readObject } from '../values/read-object.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'

/** One topic's records as items. */
export class TopicMapper<O> {
  /** undefined: it has several, by its route. */
  readonly table: Table | undefined
  /** There if it has several tables. */
  readonly route: TopicRoute | undefined
  /** Where its records go, and for messages what identifies a row there. */
  readonly words: string
  readonly #ignored = new Map<string, number>()
  /** Of rows that are not deleted, by table; undefined: nobody asks. */
  readonly #fields: Map<Table, FieldKinds> | undefined
  readonly #plan: TopicPlan
  /** Absent: no column tells where a record came from. */
  readonly #provenance: Provenance | undefined
  /** Made at the first record: of thousands of topics most may have none. */
  #format: TopicFormat | undefined

  /** @param warn called with what is odd about the topic's records
   *  @param made called when its route has one more table
   *  @throws ConnectorError config when its options do not identify the rows of its tables */
  constructor(
    topic: string,
    config: TopicConfig,
    shared: TopicShared,
    warn: (message: string) => void = () => undefined,
    made: () => void = () => undefined,
  ) {
    const { route } = config
    const { mostBytes, prefix, metadataColumns, space, samplesFields, allFields } = shared
    this.#provenance = metadataColumns.length > 0 ? space.provenance : undefined
    this.#fields = samplesFields === true ? new Map() : undefined
    const name = config.table ?? topicTableName(topic, prefix)
    const only = route ? undefined : destination(topic, name, config, shared)
    this.route = route && new TopicRoute(topic, config, route, shared, made)
    this.table = only?.table
    this.words = only?.rows.words ?? routeWords(this.route!, route!)
    this.#plan = { topic, config, only, route: this.route, mostBytes, fields: this.#fields, allFields, warn }
  }

  /** By which rules a table has its rows. */
  rulesOf(table: Table): TopicConfig {
    return this.route?.all.find((one) => one.table === table)?.rules ?? this.#plan.config
  }

  /** How many records were left out by policy, by the word for what they were. */
  get ignored(): ReadonlyMap<string, number> {
    return this.#ignored
  }

  /** Fills `slot` with the record's item and returns it, or says why the record is rejected, without its data. The item's
   *  bytes are views: of the record's value, of the shared space until it is reset, or of a buffer of their own.
   *  @returns undefined: ignored by policy, and counted
   *  @throws ConnectorError config where a policy says stop or fail */
  map(
    record: KafkaRecord,
    track: Track,
    partition: number,
    origin: O,
    held: number,
    slot: ItemSlot<O>,
  ): RecordItem<O> | RejectedItem<O> | undefined {
    const { unread } = record
    this.route?.begin()
    if (unread) return this.rejected(track, unread.why, origin, held)
    slot.origin = origin
    slot.held = held
    this.#provenance?.nextRecord(this.#plan.topic, partition, record)
    this.#format ??= topicFormat(this.#plan)
    const made = this.#format(record, partition, slot)
    if (made === 'made') {
      slot.track = track
      return slot
    }
    if ('rejected' in made) return this.rejected(track, made.rejected, origin, held, this.route?.found?.to.table)
    this.#ignored.set(made.ignored, (this.#ignored.get(made.ignored) ?? 0) + 1)
    return undefined
  }

  /** The fields its rows of a table had; undefined: nobody asks. */
  fieldsOf(table: Table | undefined): (() => SampledFields | undefined) | undefined {
    const fields = this.#fields
    return fields && table && (() => fields.get(table)?.all)
  }

  /** @param table where it was to go, as far as that is known */
  rejected(track: Track, reason: string, origin: O, held: number, table = this.table): RejectedItem<O> {
    return { kind: 'rejected', track, ...(table && { table }), reason, origin, held }
  }
}

function routeWords({ all }: TopicRoute, { any }: RouteConfig): string {
  const listed = all.map(({ table, rows }) => `"${table.name}" (${rows.words})`)
  const more = any ? [`at most ${counted(any.most, 'more table')} for values that match`] : []
  return [
    ...listed.slice(0, SHOWN),
    ...(listed.length > SHOWN ? [`${listed.length - SHOWN} others`] : []),
    ...more,
  ].join(', ')
}

/** Tables that a line names. */
const SHOWN = 10

// A topic's formats: which records are rows, which rows are gone, and what the topic's policies say of the rest.

/** Where and by which rules one topic's records become rows. */
export interface TopicPlan {
  readonly topic: string
  readonly config: TopicConfig
  /** Its one table, or its route to several. */
  readonly only: Destination | undefined
  readonly route: TopicRoute | undefined
  /** Bytes of JSON that a value becomes, unless it is half as long itself; undefined: 4 MiB. */
  readonly mostBytes: number | undefined
  /** Of the rows of each table; undefined: nobody asks. */
  readonly fields: Map<Table, FieldKinds> | undefined
  readonly allFields?: boolean | undefined
  /** What is odd about its records, once. */
  readonly warn: (message: string) => void
}

/** @throws ConnectorError config where a policy says stop */
export type TopicFormat = (record: KafkaRecord, partition: number, slot: ItemSlot<unknown>) => RecordOutcome

export function topicFormat(plan: TopicPlan): TopicFormat {
  const { format } = plan.config
  if (format === 'json') return jsonFormat(plan)
  return format === 'airbyte' ? airbyteFormat(plan) : debeziumFormat(plan)
}

const TOMBSTONE: Ignored = { ignored: 'tombstone' }
const NULL_RECORD: Ignored = { ignored: 'null record' }
const TRUNCATE: Ignored = { ignored: 'truncate' }
const NO_VALUE: RejectedValue = { rejected: 'it is a tombstone: it has no value' }
const MOVED: RejectedValue = {
  rejected:
    'the update changed its key fields, and the old row would stay: they are not the primary key; let the keys come from the Kafka key',
}
const MOVED_TABLE: RejectedValue = {
  rejected: 'the update changed the field that names its table, and the old row would stay in another one',
}
const CHANGE = 'it looks like a change event of Debezium: if it is one, set format: debezium for the topic'

/** @param row undefined: the record has none
 *  @param origin the stream or source table that its format names */
function tableFor(
  { only, route }: TopicPlan,
  record: KafkaRecord,
  partition: number,
  row?: RecordData,
  origin?: string,
): Destination | Ignored | RejectedValue {
  return only ?? route!.find(record, partition, row, origin)
}

/** For the summary of a run. */
function see({ fields, allFields }: TopicPlan, to: ReturnType<typeof tableFor>, row: RecordData): void {
  if (fields === undefined || !('rows' in to)) return
  let known = fields.get(to.table)
  if (!known) fields.set(to.table, (known = new FieldKinds([], allFields)))
  known.see(row)
}

function jsonFormat(plan: TopicPlan): TopicFormat {
  const scanner = new Scanner(256)
  const row = new RecordData()
  return (record, partition, slot) => {
    if (record.value === null) return tombstone(plan, record, partition, slot)
    const reason = readObject(scanner, record.value, row)
    if (reason !== undefined) return { rejected: `its value ${reason}` }
    const to = tableFor(plan, record, partition, row)
    see(plan, to, row)
    const made = 'rows' in to ? to.rows.live(record, partition, row, slot) : to
    if (typeof made === 'string' || !('rejected' in made) || !isDebeziumChange(row)) return made
    return { rejected: `${made.rejected}; ${CHANGE}` }
  }
}

function airbyteFormat(plan: TopicPlan): TopicFormat {
  const { topic, config, only, warn } = plan
  const mixed = (one: string, other: string): void => {
    const streams = `${JSON.stringify(one)} and ${JSON.stringify(other)}`
    warn(
      `Topic "${topic}": it has records of several streams, ${streams}; all become rows of "${only?.table.name}". Set its stream, or a route.`,
    )
  }
  const values = new AirbyteValues(config.stream, mixed, !only)
  return (record, partition, slot) => {
    if (record.value === null) return tombstone(plan, record, partition, slot)
    const meaning = values.read(record.value)
    if (meaning !== 'row') return meaning
    const to = tableFor(plan, record, partition, values.row, values.name)
    see(plan, to, values.row)
    return 'rows' in to ? to.rows.live(record, partition, values.row, slot) : to
  }
}

function debeziumFormat(plan: TopicPlan): TopicFormat {
  const { topic, route, config, mostBytes } = plan
  const values = new DebeziumValues(topic, config.unavailable === 'null', mostBytes)
  return (record, partition, slot) => {
    if (record.value === null) return record.key === null ? NULL_RECORD : TOMBSTONE
    const meaning = values.read(record.value, record.key)
    if (typeof meaning === 'object') return meaning
    if (meaning === 'truncated' && config.truncate === 'ignore') return TRUNCATE
    const row = meaning === 'truncated' || !values.hasRow ? undefined : values.row
    const to = tableFor(plan, record, partition, row, route && values.source())
    if (!('rows' in to)) return to
    const { rows } = to
    const table = to.table.name
    if (meaning === 'row') {
      see(plan, to, values.row)
      const made = rows.live(record, partition, values.row, slot)
      const before = made === 'made' ? values.before() : undefined
      if (before && rows.moved(before, slot)) return MOVED
      return before && route?.isElsewhere(before, to) ? MOVED_TABLE : made
    }
    if (meaning === 'deleted') return rows.deleted(record, partition, row, slot)
    if (meaning === 'truncated')
      throw policyStop(
        'record.table-truncated',
        { topic, partition, offset: record.offset },
        `the source table of "${table}" was truncated, and rows cannot be deleted there.`,
        'Delete them yourself if they must go, and choose truncate: ignore for the topic.',
      )
    if (config.unavailable === 'fail')
      throw policyStop(
        'record.value-unavailable',
        { topic, partition, offset: record.offset },
        `Debezium did not see the value of ${columnsInWords(values.columns)} of table "${table}": it is large and did not change.`,
        'Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.',
      )
    return { rejected: `Debezium did not see the value of its ${columnsInWords(values.columns)}` }
  }
}

function tombstone(plan: TopicPlan, record: KafkaRecord, partition: number, slot: ItemSlot<unknown>): RecordOutcome {
  const { topic, config, route } = plan
  if (route && config.route!.by.header === undefined)
    return ofTombstone(config.tombstones) ?? stopped(topic, record, partition)
  if (rulesOf(config).every(({ tombstones }) => tombstones === 'ignore')) return TOMBSTONE
  const to = tableFor(plan, record, partition)
  if (!('rows' in to)) return to
  const { tombstones } = to.rules
  if (tombstones === 'mark') return to.rows.deleted(record, partition, undefined, slot)
  return ofTombstone(tombstones) ?? stopped(topic, record, partition, to.table.name)
}

function ofTombstone(policy: TopicConfig['tombstones']): RecordOutcome | undefined {
  return policy === 'ignore' ? TOMBSTONE : policy === 'dead-letter' ? NO_VALUE : undefined
}

function stopped(topic: string, { offset }: KafkaRecord, partition: number, table?: string): never {
  throw policyStop(
    'record.no-value',
    { topic, partition, offset },
    `the record has no value: a tombstone${table === undefined ? '' : `, for table "${table}"`}.`,
    'Choose tombstones: ignore, mark or dead-letter for the topic.',
  )
}
