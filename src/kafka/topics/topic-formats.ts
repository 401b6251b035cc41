// A topic's formats: which records are rows, which rows are gone, and what the topic's policies say of the rest.
// Composes kafka and mapping, which don't know each other.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { Scanner } from '../../json/scanner.ts'
import { AirbyteValues } from '../values/airbyte-values.ts'
import { isDebeziumChange } from '../values/debezium-hint.ts'
import { DebeziumValues } from '../values/debezium-values.ts'
import { RecordData } from '../../json/record-data.ts'
import { readObject } from '../values/read-object.ts'
import type { KafkaRecord } from '../types.ts'
import type { ItemSlot } from '../../mapping/item-slot.ts'
import type { TopicRows } from './topic-rows.ts'
import { columnsInWords, tombstoneStop, truncateStop, unavailableStop } from './topic-stops.ts'
import type { RecordOutcome, RecordVerdict } from './topic-verdict.ts'

/** Where and by which rules one topic's records become rows. */
export interface TopicPlan<O> {
  readonly topic: string
  readonly table: string
  readonly config: TopicConfig
  readonly rows: TopicRows<O>
  readonly verdict: RecordVerdict
  /** Bytes of JSON that a value becomes, unless it is half as long itself; undefined: 4 MiB. */
  readonly mostBytes: number | undefined
  /** What is odd about its records, once. */
  readonly warn: (message: string) => void
}

export interface TopicFormat<O> {
  /** @throws ConnectorError config where a policy says stop */
  make(record: KafkaRecord, partition: number, slot: ItemSlot<O>): RecordOutcome
}

export function topicFormat<O>(plan: TopicPlan<O>): TopicFormat<O> {
  const { format } = plan.config
  if (format === 'json') return new JsonFormat(plan)
  return format === 'airbyte' ? new AirbyteFormat(plan) : new DebeziumFormat(plan)
}

class JsonFormat<O> implements TopicFormat<O> {
  readonly #plan: TopicPlan<O>
  readonly #scanner = new Scanner(256)
  readonly #row = new RecordData()

  constructor(plan: TopicPlan<O>) {
    this.#plan = plan
  }

  make(record: KafkaRecord, partition: number, slot: ItemSlot<O>): RecordOutcome {
    const { rows, verdict } = this.#plan
    if (record.value === null) return tombstone(this.#plan, record, partition, slot)
    const reason = readObject(this.#scanner, record.value, this.#row)
    if (reason !== undefined) return verdict.reject(`its value ${reason}`)
    const made = rows.live(record, partition, this.#row, slot)
    return made === 'rejected' && isDebeziumChange(this.#row) ? verdict.reject(`${verdict.why}; ${CHANGE}`) : made
  }
}

const CHANGE = "it looks like a change of Debezium's: set format: debezium for the topic, if it is one"

class AirbyteFormat<O> implements TopicFormat<O> {
  readonly #plan: TopicPlan<O>
  readonly #values: AirbyteValues

  constructor(plan: TopicPlan<O>) {
    this.#plan = plan
    const { topic, table, config, warn } = plan
    this.#values = new AirbyteValues(config.stream, (one, other) => {
      const streams = `${JSON.stringify(one)} and ${JSON.stringify(other)}`
      warn(
        `Topic "${topic}": it has records of several streams, ${streams}; all become rows of "${table}". Set its stream.`,
      )
    })
  }

  make(record: KafkaRecord, partition: number, slot: ItemSlot<O>): RecordOutcome {
    const { rows, verdict } = this.#plan
    const values = this.#values
    if (record.value === null) return tombstone(this.#plan, record, partition, slot)
    const meaning = values.read(record.value)
    if (meaning === 'ignored') return verdict.ignore(values.why)
    return meaning === 'rejected' ? verdict.reject(values.why) : rows.live(record, partition, values.row, slot)
  }
}

class DebeziumFormat<O> implements TopicFormat<O> {
  readonly #plan: TopicPlan<O>
  readonly #values: DebeziumValues

  constructor(plan: TopicPlan<O>) {
    this.#plan = plan
    this.#values = new DebeziumValues(plan.topic, plan.config.unavailable === 'null', plan.mostBytes)
  }

  make(record: KafkaRecord, partition: number, slot: ItemSlot<O>): RecordOutcome {
    const { verdict, rows, config } = this.#plan
    const values = this.#values
    if (record.value === null) return verdict.ignore(record.key === null ? 'null record' : 'tombstone')
    switch (values.read(record.value, record.key)) {
      case 'row':
        break
      case 'deleted':
        return rows.deleted(record, partition, values.hasRow ? values.row : undefined, slot)
      case 'truncated':
        if (config.truncate === 'stop') throw truncateStop(this.#place(record, partition))
        return verdict.ignore('truncate')
      case 'unavailable':
        if (config.unavailable === 'fail') throw unavailableStop(this.#place(record, partition), values.columns)
        return verdict.reject(`Debezium did not see the value of its ${columnsInWords(values.columns)}`)
      case 'ignored':
        return verdict.ignore(values.why)
      case 'rejected':
        return verdict.reject(values.why)
    }
    return this.#row(record, partition, slot)
  }

  #row(record: KafkaRecord, partition: number, slot: ItemSlot<O>): RecordOutcome {
    const { rows, verdict } = this.#plan
    const made = rows.live(record, partition, this.#values.row, slot)
    if (made !== 'made') return made
    const before = this.#values.before()
    return before && rows.moved(before, slot) ? verdict.reject(MOVED) : made
  }

  #place({ offset }: KafkaRecord, partition: number): Parameters<typeof truncateStop>[0] {
    return { topic: this.#plan.topic, partition, offset, table: this.#plan.table }
  }
}

const MOVED =
  'the update changed its key fields, and the old row would stay: they are not the primary key; let the keys come from the Kafka key'

function tombstone<O>(plan: TopicPlan<O>, record: KafkaRecord, partition: number, slot: ItemSlot<O>): RecordOutcome {
  const { verdict, rows, config, topic, table } = plan
  if (config.tombstones === 'ignore') return verdict.ignore('tombstone')
  if (config.tombstones === 'mark') return rows.deleted(record, partition, undefined, slot)
  if (config.tombstones === 'dead-letter') return verdict.reject('it is a tombstone: it has no value')
  throw tombstoneStop({ topic, partition, offset: record.offset, table })
}
