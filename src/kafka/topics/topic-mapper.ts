// Makes engine items of a topic's records, by the format, keys and policies of its configuration.

import { rulesOf } from '../../config/stream/stream-config.ts'
import type { RouteConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import type { RecordItem, RejectedItem, Table, Track } from '../../core/types.ts'
import type { KafkaRecord } from '../types.ts'
import type { FieldKinds } from '../../mapping/field-kinds.ts'
import type { Provenance } from '../../mapping/provenance.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import { topicTableName } from '../../mapping/topic-table.ts'
import { policyStop } from './topic-rows.ts'
import type { RecordOutcome } from './topic-rows.ts'
import { debeziumFormat } from './debezium-format.ts'
import { see, tableFor, TOMBSTONE } from './topic-plan.ts'
import type { KeyBefore, TopicFormat, TopicPlan, WarnOf } from './topic-plan.ts'
import { TopicRoute } from './topic-route.ts'
import { destination } from './topic-tables.ts'
import type { TopicShared } from './topic-tables.ts'
import { RecordData } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import { counted } from '../../text/figures.ts'
import { AirbyteValues } from '../values/airbyte-values.ts'
import { isDebeziumChange } from '../values/debezium-shape.ts'
import { readObject } from '../values/read-object.ts'
import type { RejectedValue } from '../values/read-object.ts'

/** A partition as it was assigned, or what else records are read in the order of. */
export interface MappedTrack extends Track {
  /** A view of the record. */
  marked?: KeyBefore
}

/** One topic's records as items. */
export class TopicMapper<O> {
  /** `undefined` when it has several, by its route. */
  readonly table: Table | undefined
  /** There if it has several tables. */
  readonly route: TopicRoute | undefined
  /** Words for where its records go, and for messages what identifies a row there. */
  readonly words: string
  readonly #ignored = new Map<string, number>()
  /** Fields of rows that are not deleted, by table. `undefined` when they are not asked for. */
  readonly #fields: Map<Table, FieldKinds> | undefined
  readonly #plan: TopicPlan
  /** Absent when no column tells where a record came from. */
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
    warn: WarnOf = () => undefined,
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

  /** The rules by which a table has its rows. */
  rulesOf(table: Table): TopicConfig {
    return this.route?.all.find((one) => one.table === table)?.rules ?? this.#plan.config
  }

  /** How many records were left out by policy, by the word for what they were. */
  get ignored(): ReadonlyMap<string, number> {
    return this.#ignored
  }

  /** Fills `slot` with the record's item and returns it, or says why the record is rejected, without its data. The
   *  item's bytes are views: of the record's value, of the shared space until it is reset, or of a buffer of their
   *  own.
   *  @returns `undefined` when it is ignored by policy, and counted
   *  @throws ConnectorError config where a policy says stop or fail */
  map(
    record: KafkaRecord,
    track: MappedTrack,
    partition: number,
    origin: O,
    held: number,
    slot: ItemSlot<O>,
  ): RecordItem<O> | RejectedItem<O> | undefined {
    const { unread } = record
    const { marked } = track
    track.marked = undefined
    this.route?.begin()
    if (unread) return this.rejected(track, { rejected: unread.why }, origin, held)
    slot.origin = origin
    slot.held = held
    this.#provenance?.nextRecord(this.#plan.topic, partition, record)
    this.#format ??= topicFormat(this.#plan)
    const made = this.#format(record, partition, slot, marked)
    if (typeof made === 'string') {
      if (made === 'marked') track.marked = record.key
      slot.track = track
      return slot
    }
    if ('rejected' in made) return this.rejected(track, made, origin, held, this.route?.found?.to.table)
    this.#ignored.set(made.ignored, (this.#ignored.get(made.ignored) ?? 0) + 1)
    return undefined
  }

  /** The fields its rows of a table had. `undefined` when they are not asked for. */
  fieldsOf(table: Table | undefined): (() => FieldKinds['all']) | undefined {
    const fields = this.#fields
    return fields && table && (() => fields.get(table)?.all)
  }

  /** @param table where it was to go, as far as that is known */
  rejected(track: MappedTrack, why: RejectedValue, origin: O, held: number, table = this.table): RejectedItem<O> {
    const { rejected: reason, hint } = why
    track.marked = undefined
    return {
      kind: 'rejected',
      track,
      ...(table && { table }),
      reason,
      ...(hint !== undefined && { hint }),
      origin,
      held,
    }
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

export function topicFormat(plan: TopicPlan): TopicFormat {
  const { format } = plan.config
  if (format === 'json') return jsonFormat(plan)
  return format === 'airbyte' ? airbyteFormat(plan) : debeziumFormat(plan)
}

const NO_VALUE: RejectedValue = { rejected: 'it is a tombstone: it has no value' }
const CHANGE = 'It looks like a change event of Debezium: if it is one, set format: debezium for the topic.'

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
    return { ...made, hint: CHANGE }
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

function tombstone(plan: TopicPlan, record: KafkaRecord, partition: number, slot: ItemSlot<unknown>): RecordOutcome {
  const { topic, config, route } = plan
  if (route && config.route!.by.header === undefined)
    return ofTombstone(config.tombstones) ?? stopped(topic, record, partition)
  if (rulesOf(config).every(({ tombstones }) => tombstones === 'ignore')) return TOMBSTONE
  const to = tableFor(plan, record, partition)
  if (!('rows' in to)) return to
  const { tombstones } = to.rules
  if (tombstones === 'mark') return to.rows.gone(record, slot)
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
