// Makes engine items of a topic's records, by the format, keys and policies of its configuration.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { RecordItem, RejectedItem, Table, Track } from '../../core/types.ts'
import type { KafkaRecord } from '../types.ts'
import { FieldKinds } from '../../mapping/field-kinds.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import type { Provenance, ProvenanceColumn } from '../../mapping/provenance.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import { KeyShapes, topicKeyFields, topicTableName } from '../../mapping/topic-table.ts'
import type { TopicTable } from '../../mapping/topic-table.ts'
import { KeyRows, PlaceRows, ValueRows, columnsInWords, policyStop } from './topic-rows.ts'
import type { TopicRows, RecordOutcome } from './topic-rows.ts'
import { RecordData } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import { AirbyteValues } from '../values/airbyte-values.ts'
import { isDebeziumChange } from '../values/debezium-shape.ts'
import { DebeziumValues } from '../values/debezium-values.ts'
import { readObject } from '../values/read-object.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'

/** What all topics of a run share. */
export interface TopicShared {
  /** Items view it: to be reset only when they are consumed. */
  readonly space: MapperSpace
  /** In front of every table's name but one that a topic's entry gives. */
  readonly prefix: string
  /** By name: topics of one table have one object for it. */
  readonly tables: Map<string, TopicTable>
  /** Bytes of JSON that a value becomes, unless it is half as long itself; undefined: 4 MiB. */
  readonly mostBytes: number | undefined
  /** Added to every row. */
  readonly metadataColumns: readonly ProvenanceColumn[]
  /** Whether the fields of records are sampled. */
  readonly samplesFields?: boolean
}

export function topicShared(
  prefix: string,
  space = new MapperSpace(),
  mostBytes?: number,
  metadataColumns: readonly ProvenanceColumn[] = [],
): TopicShared {
  return { space, prefix, tables: new Map(), mostBytes, metadataColumns }
}

/** One topic's records as items. */
export class TopicMapper<O> {
  readonly table: Table
  /** For messages: what identifies a row. */
  readonly words: string
  /** Of rows that are not deleted; undefined: nobody asks. */
  readonly fields: FieldKinds | undefined
  readonly #ignored = new Map<string, number>()
  readonly #plan: TopicPlan
  /** Absent: no column tells where a record came from. */
  readonly #provenance: Provenance | undefined
  /** Made at the first record: of thousands of topics most may have none. */
  #format: TopicFormat | undefined

  /** @param warn called with what is odd about the topic's records
   *  @throws ConnectorError config when its options do not identify the topic's rows */
  constructor(
    topic: string,
    config: TopicConfig,
    shared: TopicShared,
    warn: (message: string) => void = () => undefined,
  ) {
    const table = tableOf(topic, config, shared)
    const rows = rowsOf(topic, config, table)
    this.table = table.table
    this.words = rows.words
    const { mostBytes, metadataColumns, space, samplesFields } = shared
    this.#provenance = metadataColumns.length > 0 ? space.provenance : undefined
    this.fields = samplesFields === true ? new FieldKinds() : undefined
    this.#plan = { topic, table: table.table.name, config, rows, mostBytes, fields: this.fields, warn }
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
    if (unread) return { kind: 'rejected', track, table: this.table, reason: unread.why, origin, held }
    slot.origin = origin
    slot.held = held
    this.#provenance?.nextRecord(this.#plan.topic, partition, record)
    this.#format ??= topicFormat(this.#plan)
    const made = this.#format(record, partition, slot)
    if (made === 'made') {
      slot.track = track
      return slot
    }
    if ('rejected' in made) return { kind: 'rejected', track, table: this.table, reason: made.rejected, origin, held }
    this.#ignored.set(made.ignored, (this.#ignored.get(made.ignored) ?? 0) + 1)
    return undefined
  }
}

function tableOf(topic: string, config: TopicConfig, shared: TopicShared): TopicTable {
  const { space, prefix, tables, metadataColumns } = shared
  const name = config.table ?? topicTableName(topic, prefix)
  const known = tables.get(name)
  if (!known) {
    const columns = metadataColumns.map((name) => ({ name }))
    const table = { table: { name, keepLast: config.keepLast }, shapes: new KeyShapes(), columns, space }
    tables.set(name, table)
    return table
  }
  if (known.table.keepLast !== config.keepLast)
    throw fault(topic, `its table "${name}" is that of another topic with another keep_last. Give both the same.`)
  return known
}

function rowsOf(topic: string, config: TopicConfig, table: TopicTable): TopicRows {
  const { keys, tombstones, format } = config
  if (keys.from === 'key') {
    if (keys.field === '__deleted')
      throw fault(topic, 'its key field cannot be "__deleted", which marks deleted rows. Choose another field.')
    const marks = format === 'debezium' || tombstones === 'mark'
    return new KeyRows(topic, keys.field, config, marks, table)
  }
  if (keys.from === 'offset') {
    if (format !== 'debezium' && tombstones === 'mark')
      throw fault(
        topic,
        'with keys from the offset, a tombstone names no row to mark. Choose other keys or tombstones.',
      )
    return new PlaceRows(topic, keys.epoch, table)
  }
  const fields = topicKeyFields(keys.paths, table.columns)
  if (fields) return new ValueRows(topic, fields, table)
  const shown = keys.paths.map((path) => JSON.stringify(path.join('.'))).join(', ')
  throw fault(
    topic,
    `its keys ${shown} cannot be those of a row: there are none, one is inside another, two would be one field, or one would be named "__deleted" or as a metadata column. Choose other keys.`,
  )
}

function fault(topic: string, message: string): ConnectorError {
  return new ConnectorError('config', `Topic "${topic}": ${message}`, { track: { name: topic } })
}

// A topic's formats: which records are rows, which rows are gone, and what the topic's policies say of the rest.

/** Where and by which rules one topic's records become rows. */
export interface TopicPlan {
  readonly topic: string
  readonly table: string
  readonly config: TopicConfig
  readonly rows: TopicRows
  /** Bytes of JSON that a value becomes, unless it is half as long itself; undefined: 4 MiB. */
  readonly mostBytes: number | undefined
  readonly fields: FieldKinds | undefined
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
const CHANGE = 'it looks like a change event of Debezium: if it is one, set format: debezium for the topic'

function jsonFormat(plan: TopicPlan): TopicFormat {
  const scanner = new Scanner(256)
  const row = new RecordData()
  return (record, partition, slot) => {
    if (record.value === null) return tombstone(plan, record, partition, slot)
    const reason = readObject(scanner, record.value, row)
    if (reason !== undefined) return { rejected: `its value ${reason}` }
    plan.fields?.see(row)
    const made = plan.rows.live(record, partition, row, slot)
    if (typeof made === 'string' || !('rejected' in made) || !isDebeziumChange(row)) return made
    return { rejected: `${made.rejected}; ${CHANGE}` }
  }
}

function airbyteFormat(plan: TopicPlan): TopicFormat {
  const { topic, table, config, rows, warn } = plan
  const values = new AirbyteValues(config.stream, (one, other) => {
    const streams = `${JSON.stringify(one)} and ${JSON.stringify(other)}`
    warn(
      `Topic "${topic}": it has records of several streams, ${streams}; all become rows of "${table}". Set its stream.`,
    )
  })
  return (record, partition, slot) => {
    if (record.value === null) return tombstone(plan, record, partition, slot)
    const meaning = values.read(record.value)
    if (meaning !== 'row') return meaning
    plan.fields?.see(values.row)
    return rows.live(record, partition, values.row, slot)
  }
}

function debeziumFormat(plan: TopicPlan): TopicFormat {
  const { topic, table, rows, config, mostBytes } = plan
  const values = new DebeziumValues(topic, config.unavailable === 'null', mostBytes)
  return (record, partition, slot) => {
    if (record.value === null) return record.key === null ? NULL_RECORD : TOMBSTONE
    const meaning = values.read(record.value, record.key)
    switch (meaning) {
      case 'row': {
        plan.fields?.see(values.row)
        const made = rows.live(record, partition, values.row, slot)
        const before = made === 'made' ? values.before() : undefined
        return before && rows.moved(before, slot) ? MOVED : made
      }
      case 'deleted':
        return rows.deleted(record, partition, values.hasRow ? values.row : undefined, slot)
      case 'truncated':
        if (config.truncate === 'stop')
          throw policyStop(
            { topic, partition, offset: record.offset },
            `the source table of "${table}" was truncated, and rows cannot be deleted there.`,
            'Delete them yourself if they must go, and choose truncate: ignore for the topic.',
          )
        return TRUNCATE
      case 'unavailable':
        if (config.unavailable === 'fail')
          throw policyStop(
            { topic, partition, offset: record.offset },
            `Debezium did not see the value of ${columnsInWords(values.columns)} of table "${table}": it is large and did not change.`,
            'Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.',
          )
        return { rejected: `Debezium did not see the value of its ${columnsInWords(values.columns)}` }
      default:
        return meaning
    }
  }
}

function tombstone(plan: TopicPlan, record: KafkaRecord, partition: number, slot: ItemSlot<unknown>): RecordOutcome {
  const { tombstones } = plan.config
  if (tombstones === 'ignore') return TOMBSTONE
  if (tombstones === 'mark') return plan.rows.deleted(record, partition, undefined, slot)
  if (tombstones === 'dead-letter') return NO_VALUE
  throw policyStop(
    { topic: plan.topic, partition, offset: record.offset },
    `the record has no value: a tombstone, for table "${plan.table}".`,
    'Choose tombstones: ignore, mark or dead-letter for the topic.',
  )
}
