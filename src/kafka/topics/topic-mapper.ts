// Makes engine items of a topic's records, by the format, keys and policies of its configuration.

import type { RouteConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import type { RecordItem, RejectedItem, Table, Track } from '../../core/types.ts'
import type { KafkaRecord } from '../types.ts'
import type { FieldKinds } from '../../mapping/field-kinds.ts'
import type { Provenance } from '../../mapping/provenance.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import { topicTableName } from '../../mapping/topic-table.ts'
import { DebeziumFormat } from './debezium-format.ts'
import { airbyteFormat, jsonFormat } from './plain-formats.ts'
import { MARK } from './record-outcome.ts'
import type { MarkedKey, TopicFormat, TopicPlan, WarnOf } from './topic-plan.ts'
import { TopicRoute } from './topic-route.ts'
import { destination, type TopicShared } from './topic-tables.ts'
import { counted } from '../../text/figures.ts'
import type { RejectedValue } from '../values/read-object.ts'

/** A partition as it was assigned, or a file of dead letters: records of a track are mapped in their order. */
export interface MappedTrack extends Track {
  /** The key of the record before, if that marked its row: a view (`MarkedKey`). Set by `TopicMapper.map`, for the record behind it. */
  marked?: MarkedKey
}

/** One topic's records as items. */
export class TopicMapper<O> {
  /** `undefined` when it has several, by its route. */
  readonly table: Table | undefined
  readonly route: TopicRoute | undefined
  /** Words for where its records go, and for messages what identifies a row there. */
  readonly words: string
  /** How many records were left out by policy, by the word for what they were. */
  readonly ignored = new Map<string, number>()
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
    const { prefix, metadataColumns, space, samplesFields } = shared
    this.#provenance = metadataColumns.length > 0 ? space.provenance : undefined
    const fields = samplesFields === true ? new Map<Table, FieldKinds>() : undefined
    const name = config.table ?? topicTableName(topic, prefix)
    const only = route ? undefined : destination(topic, name, config, shared)
    this.route = route && new TopicRoute(topic, config, route, shared, made)
    this.table = only?.table
    this.words = only?.rows.words ?? routeWords(this.route!, route!)
    this.#plan = { topic, config, only, route: this.route, shared, fields, warn }
  }

  /** The rules by which a table has its rows. */
  rulesOf(table: Table): TopicConfig {
    return this.route?.all.find((one) => one.table === table)?.rules ?? this.#plan.config
  }

  /** Fills `slot` with the record's item and returns it, or says why the record is rejected, without its data. Sets `track.marked` for the
   *  next record. The item's bytes are views: of the record's value, of the shared space until it is reset, or of a buffer of their own.
   *  @param partition, origin, held where the record was first read, what is carried along with the item, and the bytes of that
   *  @returns `undefined` when the record is ignored by policy, and counted
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
    if (unread) return this.#rejected(track, { rejected: unread.why }, origin, held)
    slot.origin = origin
    slot.held = held
    this.#provenance?.nextRecord(this.#plan.topic, partition, record)
    this.#format ??= formatOf(this.#plan)
    const outcome = this.#format.outcome(record, partition, slot, marked)
    if ('made' in outcome) {
      if (outcome === MARK) track.marked = record.key
      slot.track = track
      return slot
    }
    if ('rejected' in outcome) return this.#rejected(track, outcome, origin, held, this.route?.found?.to.table)
    this.ignored.set(outcome.ignored, (this.ignored.get(outcome.ignored) ?? 0) + 1)
    return undefined
  }

  /** The fields its rows of a table had. `undefined` when they are not asked for. */
  fieldsOf(table: Table | undefined): (() => FieldKinds['all']) | undefined {
    const { fields } = this.#plan
    return fields && table && (() => fields.get(table)?.all)
  }

  /** @param table where it was to go, as far as that is known */
  #rejected(track: MappedTrack, why: RejectedValue, origin: O, held: number, table = this.table): RejectedItem<O> {
    const { rejected: reason, hint } = why
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

/** Tables that a line names. */
const SHOWN = 10

function routeWords({ all }: TopicRoute, { any }: RouteConfig): string {
  const listed = all.map(({ table, rows }) => `"${table.name}" (${rows.words})`)
  const more = any ? [`at most ${counted(any.most, 'more table')} for values that match`] : []
  return [
    ...listed.slice(0, SHOWN),
    ...(listed.length > SHOWN ? [`${listed.length - SHOWN} others`] : []),
    ...more,
  ].join(', ')
}

function formatOf(plan: TopicPlan): TopicFormat {
  const { format } = plan.config
  if (format === 'json') return jsonFormat(plan)
  return format === 'airbyte' ? airbyteFormat(plan) : new DebeziumFormat(plan)
}
