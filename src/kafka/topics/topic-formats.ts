// A topic's formats: which records are rows, which rows are gone, and what the topic's policies say of the rest.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { RecordData } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import type { KafkaRecord } from '../types.ts'
import { AirbyteValues } from '../values/airbyte-values.ts'
import { isDebeziumChange } from '../values/debezium-shape.ts'
import { DebeziumValues } from '../values/debezium-values.ts'
import { readObject } from '../values/read-object.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { RecordOutcome, TopicRows } from './topic-rows.ts'
import { columnsInWords, tombstoneStop, truncateStop, unavailableStop } from './topic-stops.ts'
import type { RecordPlace } from './topic-stops.ts'

/** Where and by which rules one topic's records become rows. */
export interface TopicPlan {
  readonly topic: string
  readonly table: string
  readonly config: TopicConfig
  readonly rows: TopicRows
  /** Bytes of JSON that a value becomes, unless it is half as long itself; undefined: 4 MiB. */
  readonly mostBytes: number | undefined
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
const CHANGE = "it looks like a change of Debezium's: set format: debezium for the topic, if it is one"

function jsonFormat(plan: TopicPlan): TopicFormat {
  const scanner = new Scanner(256)
  const row = new RecordData()
  return (record, partition, slot) => {
    if (record.value === null) return tombstone(plan, record, partition, slot)
    const reason = readObject(scanner, record.value, row)
    if (reason !== undefined) return { rejected: `its value ${reason}` }
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
    return meaning === 'row' ? rows.live(record, partition, values.row, slot) : meaning
  }
}

function debeziumFormat(plan: TopicPlan): TopicFormat {
  const { topic, rows, config, mostBytes } = plan
  const values = new DebeziumValues(topic, config.unavailable === 'null', mostBytes)
  return (record, partition, slot) => {
    if (record.value === null) return record.key === null ? NULL_RECORD : TOMBSTONE
    const meaning = values.read(record.value, record.key)
    switch (meaning) {
      case 'row': {
        const made = rows.live(record, partition, values.row, slot)
        const before = made === 'made' ? values.before() : undefined
        return before && rows.moved(before, slot) ? MOVED : made
      }
      case 'deleted':
        return rows.deleted(record, partition, values.hasRow ? values.row : undefined, slot)
      case 'truncated':
        if (config.truncate === 'stop') throw truncateStop(placeOf(plan, record, partition))
        return TRUNCATE
      case 'unavailable':
        if (config.unavailable === 'fail') throw unavailableStop(placeOf(plan, record, partition), values.columns)
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
  throw tombstoneStop(placeOf(plan, record, partition))
}

function placeOf({ topic, table }: TopicPlan, { offset }: KafkaRecord, partition: number): RecordPlace {
  return { topic, partition, offset, table }
}
