// Maps the records of a topic to items, which the engine takes, by the format, keys and policies of the topic's configuration.

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
  /** The key of the record that was mapped last, if that became a mark. `TopicMapper.map` reads it and sets it anew. It is a view of that
   *  record's memory: to be copied before that is freed. */
  marked?: MarkedKey
}

/** Maps the records of one topic, one after another. `O` is what the caller knows a record by (`origin`). */
export class TopicMapper<O> {
  /** The topic's one table. `undefined` when it has several, of which `route` finds that of each record. */
  readonly table: Table | undefined
  readonly route: TopicRoute | undefined
  /** Words for what identifies a row, as `one row per id …`; with a route, for its tables and what identifies a row of each. */
  readonly words: string
  /** How many records were left out by policy, by the word for what they were (`Ignored`). */
  readonly ignored = new Map<string, number>()
  readonly #plan: TopicPlan
  /** Absent when no column tells where a record came from. */
  readonly #provenance: Provenance | undefined
  /** Made at the first record: of thousands of topics most may have none. */
  #format: TopicFormat | undefined

  /** @param warn called with what is odd about the topic's records
   *  @param tableMade called when its route has made a table for a new value
   *  @throws ConnectorError config when its options do not identify the rows of its tables */
  constructor(
    topic: string,
    config: TopicConfig,
    shared: TopicShared,
    warn: WarnOf = () => undefined,
    tableMade: () => void = () => undefined,
  ) {
    const { prefix, metadataColumns, space, samplesFields } = shared
    this.#provenance = metadataColumns.length > 0 ? space.provenance : undefined
    const fields = samplesFields === true ? new Map<Table, FieldKinds>() : undefined
    const name = config.table ?? topicTableName(topic, prefix)
    const only = config.route ? undefined : destination(topic, name, config, shared)
    this.route = config.route && new TopicRoute(topic, config, config.route, shared, tableMade)
    this.table = only?.table
    this.words = only?.rows.words ?? routeWords(this.route!, config.route!)
    this.#plan = { topic, config, only, route: this.route, shared, fields, warn }
  }

  /** The rules by which a table has its rows. */
  rulesOf(table: Table): TopicConfig {
    return this.route?.all.find((one) => one.table === table)?.rules ?? this.#plan.config
  }

  /** Fills `slot` with the record's item and returns it, or says why the record is rejected, without its data. The item's bytes are views:
   *  of the record's value, of the shared space until it is reset, or of a buffer of their own.
   *  @param partition where the record was first read, even if it comes as a dead letter
   *  @param origin carried along with the item
   *  @param held bytes of memory that `origin` takes
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
    this.route?.nextRecord()
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
    // with a route, of the table that it found for this record
    if ('rejected' in outcome) return this.#rejected(track, outcome, origin, held, this.route?.lastListed?.to.table)
    this.ignored.set(outcome.ignored, (this.ignored.get(outcome.ignored) ?? 0) + 1)
    return undefined
  }

  /** Gives a function that tells, at any time, which fields the topic's rows of a table had. `undefined` when no summary asks for it. */
  fieldsOf(table: Table | undefined): (() => FieldKinds['all']) | undefined {
    const { fields } = this.#plan
    return fields && table && (() => fields.get(table)?.all)
  }

  /** @param table where the record was to go; by default the topic's one table. `undefined` when that is not known */
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

/** Most tables of a route that `routeWords` names. */
const MOST_NAMED = 10

function routeWords({ all }: TopicRoute, { any }: RouteConfig): string {
  const listed = all.map(({ table, rows }) => `"${table.name}" (${rows.words})`)
  const ofOthers = any ? [`at most ${counted(any.most, 'more table')} for values that match`] : []
  return [
    ...listed.slice(0, MOST_NAMED),
    ...(listed.length > MOST_NAMED ? [`${listed.length - MOST_NAMED} others`] : []),
    ...ofOthers,
  ].join(', ')
}

function formatOf(plan: TopicPlan): TopicFormat {
  const { format } = plan.config
  if (format === 'json') return jsonFormat(plan)
  return format === 'airbyte' ? airbyteFormat(plan) : new DebeziumFormat(plan)
}
