// The formats json and airbyte: a value is a row, or an Airbyte message with one; a policy says what a tombstone (it has no value) means.

import { rulesOf, type TopicConfig } from '../../config/stream/stream-config.ts'
import { RecordData } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord } from '../types.ts'
import { AirbyteValues } from '../values/airbyte-values.ts'
import { isDebeziumChange } from '../values/debezium-shape.ts'
import { readObject, type RejectedValue } from '../values/read-object.ts'
import { policyStop, TOMBSTONE, type RecordOutcome } from './record-outcome.ts'
import { sampleFields, type TopicFormat, type TopicPlan } from './topic-plan.ts'

const NO_VALUE: RejectedValue = { rejected: 'it is a tombstone: it has no value' }
const DEBEZIUM_HINT = 'It looks like a change event of Debezium: if it is one, set format: debezium for the topic.'

/** The format json: each value is a row. */
export function jsonFormat(plan: TopicPlan): TopicFormat {
  const scanner = new Scanner()
  const row = new RecordData()
  return {
    outcome(record, partition, slot) {
      if (record.value === null) return tombstone(plan, record, partition, slot)
      const reason = readObject(scanner, record.value, row)
      if (reason !== undefined) return { rejected: `its value ${reason}` }
      const outcome = rowOutcome(plan, record, partition, slot, row)
      return 'rejected' in outcome && isDebeziumChange(row) ? { ...outcome, hint: DEBEZIUM_HINT } : outcome
    },
  }
}

/** The format airbyte: each value is an Airbyte message, and a row if that holds a record of the stream asked for. */
export function airbyteFormat(plan: TopicPlan): TopicFormat {
  const { topic, config, only, warn } = plan
  const warnOfStreams = (one: string, other: string): void => {
    const streams = `${JSON.stringify(one)} and ${JSON.stringify(other)}`
    warn(
      `Topic "${topic}": it has records of several streams, ${streams}; all become rows of "${only?.table.name}". Set its stream, or a route.`,
    )
  }
  const wantsStreamNames = only === undefined
  const values = new AirbyteValues(config.stream, warnOfStreams, wantsStreamNames)
  return {
    outcome(record, partition, slot) {
      if (record.value === null) return tombstone(plan, record, partition, slot)
      const meaning = values.read(record.value)
      return meaning === 'row' ? rowOutcome(plan, record, partition, slot, values.row, values.name) : meaning
    },
  }
}

/** Makes the row of a record, in the table that it belongs to.
 *  @param stream the one that an Airbyte message names. `undefined` in the format json */
function rowOutcome(
  plan: TopicPlan,
  record: KafkaRecord,
  partition: number,
  slot: ItemSlot<unknown>,
  row: RecordData,
  stream?: string,
): RecordOutcome {
  const to = plan.only ?? plan.route!.look(record, row, stream)
  if ('noTable' in to) return plan.route!.unrouted.outcome(to, record, partition, row)
  if ('rejected' in to) return to
  sampleFields(plan, to, row)
  return to.rows.live(record, partition, row, slot)
}

/** The outcome of a record without a value. */
function tombstone(plan: TopicPlan, record: KafkaRecord, partition: number, slot: ItemSlot<unknown>): RecordOutcome {
  const { config, only, route } = plan
  // only a header can name the table of a tombstone; by any other route the rules are those of the topic
  if (route && config.route!.by.header === undefined) return withoutValue(config, plan, record, partition)
  if (rulesOf(config).every(({ tombstones }) => tombstones === 'ignore')) return TOMBSTONE
  const to = only ?? route!.look(record)
  if ('noTable' in to) return route!.unrouted.outcome(to, record, partition)
  if ('rejected' in to) return to
  if (to.rules.tombstones === 'mark') return to.rows.gone(record, slot)
  return withoutValue(to.rules, plan, record, partition, `, for table "${to.table.name}"`)
}

/** The outcome of a tombstone that marks no row, by the policy of its table or topic.
 *  @param where words for its table; '' when that is not known */
function withoutValue(
  { tombstones }: TopicConfig,
  { topic }: TopicPlan,
  { offset }: KafkaRecord,
  partition: number,
  where = '',
): RecordOutcome {
  if (tombstones === 'ignore') return TOMBSTONE
  if (tombstones === 'dead-letter') return NO_VALUE
  throw policyStop(
    'record.no-value',
    { topic, partition, offset },
    `the record has no value: a tombstone${where}.`,
    'Choose tombstones: ignore, mark or dead-letter for the topic.',
  )
}
