// The format debezium: which records are rows, which mark deleted rows, and what the topic's policies make of all others. `DebeziumValues`
// reads a record's value: `row`, `columns` (those that Debezium did not see), `before()` and `source()` are of the record read last.
//
// A tombstone (a record without a value) is a delete too, and may be the only sign of one: flattened records have no other by default, and
// log compaction leaves nothing else. Right behind a delete that became a mark, with the same Kafka key, it says nothing new.

import { rulesOf } from '../../config/stream/stream-config.ts'
import type { Code } from '../../core/codes.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord, PartitionPosition } from '../types.ts'
import { DebeziumValues } from '../values/debezium-values.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'
import { columnsInWords, policyStop, ROWLESS, TABLELESS, TOMBSTONE, type RecordOutcome } from './record-outcome.ts'
import { UNREADABLE_KEY } from './topic-encoding.ts'
import { sampleFields, type MarkedKey, type TopicFormat, type TopicPlan } from './topic-plan.ts'
import { UNKNOWN_WITHOUT_KEY } from './topic-rows.ts'
import type { Destination } from './topic-tables.ts'
import { UNLISTED, UNNAMED, type NoTable } from './unrouted-records.ts'

const TRUNCATE: Ignored = { ignored: 'truncate' }
const NULL_RECORD: Ignored = { ignored: 'null record' }
const KEY_CHANGED: RejectedValue = {
  rejected:
    'the update changed its key fields, and the old row would stay: they are not the primary key; let the keys come from the Kafka key',
}

type Slot = ItemSlot<unknown>
/** A change of one row: it exists, is deleted, or has columns whose value Debezium did not see. */
type RowChange = 'row' | 'deleted' | 'unavailable'

/** Makes the rows and marks of one topic's records. */
export class DebeziumFormat implements TopicFormat {
  readonly #plan: TopicPlan
  readonly #values: DebeziumValues
  /** Whether all tombstones are left out: by every rule of the topic, they are to be ignored or rows are known by offsets alone. */
  readonly #ignoresTombstones: boolean
  /** Whether, by some rule of the topic, a record without a Kafka key is a row of its own: a tombstone without one deletes nothing then. */
  readonly #hasKeylessRows: boolean
  readonly #warnedOf = new Set<Code>()

  constructor(plan: TopicPlan) {
    const { topic, config, shared } = plan
    this.#plan = plan
    const makesNull = config.unavailable === 'null'
    this.#values = new DebeziumValues(topic, makesNull, shared.mostBytes, config.unavailablePlaceholder)
    const rules = rulesOf(config)
    this.#ignoresTombstones = rules.every(({ tombstones, keys }) => tombstones === 'ignore' || keys.from === 'offset')
    this.#hasKeylessRows = rules.some(
      ({ keys: { from }, nullKeys }) => from === 'offset' || (from === 'key' && nullKeys === 'offset'),
    )
  }

  outcome(record: KafkaRecord, partition: number, slot: Slot, marked: MarkedKey): RecordOutcome {
    const meaning = record.value === null ? 'tombstone' : this.#values.read(record.value, record.key)
    switch (meaning) {
      case 'row':
      case 'deleted':
      case 'unavailable':
        return this.#change(meaning, record, partition, slot)
      case 'tombstone':
        return this.#tombstone(record, partition, slot, marked)
      case 'truncated':
        return this.#truncated(record, partition)
      default:
        return meaning
    }
  }

  /** The outcome of a change of one row, as soon as its table is found. */
  #change(meaning: RowChange, record: KafkaRecord, partition: number, slot: Slot): RecordOutcome {
    const { only, route } = this.#plan
    const values = this.#values
    const row = values.hasRow ? values.row : undefined
    const to = only ?? route!.look(record, row, values.source())
    if ('noTable' in to) return this.#unrouted(to, meaning === 'deleted', record, partition)
    if ('rejected' in to) return to
    if (meaning === 'row') return this.#row(to, record, partition, slot)
    if (meaning === 'deleted') return to.rows.deleted(record, partition, row, slot)
    return this.#unavailable(to, record, partition)
  }

  #row(to: Destination, record: KafkaRecord, partition: number, slot: Slot): RecordOutcome {
    const { rows } = to
    sampleFields(this.#plan, to, this.#values.row)
    const outcome = rows.live(record, partition, this.#values.row, slot)
    const oldRow = 'made' in outcome ? this.#values.before() : undefined
    if (oldRow === undefined) return outcome
    if (rows.keyChanged?.(oldRow, slot) === true) return KEY_CHANGED
    return this.#plan.route?.rejectedMove(oldRow, to) ?? outcome
  }

  /** The outcome of a change that has no table. Its row may have been in one before, and then would stay there. */
  #unrouted(why: NoTable, isDelete: boolean, record: KafkaRecord, partition: number): RecordOutcome {
    const values = this.#values
    const route = this.#plan.route!
    const oldRow = isDelete ? undefined : values.before()
    const rejectedMove = oldRow && route.rejectedMove(oldRow)
    if (rejectedMove) return rejectedMove
    const isUnnamed = why === UNNAMED
    // untold: in which table the row was. A source may send only the key of a deleted row, with '' for columns that cannot be null
    const isUntoldDelete = isDelete && (isUnnamed || route.lastValue === '')
    const isUntoldUpdate = !isDelete && isUnnamed && values.isUpdate && !route.tellsOldTable(oldRow)
    if (!isUntoldDelete && !isUntoldUpdate)
      return route.unrouted.outcome(why, record, partition, values.hasRow ? values.row : undefined)
    const { problem, remedy } = route.unrouted.untold(isDelete ? 'delete' : 'update')
    const { others } = this.#plan.config.route!
    if (others === 'dead-letter') return { rejected: problem }
    if (others === 'stop') throw policyStop('record.no-table', this.#placeOf(record, partition), `${problem}.`, remedy)
    this.#warnOnce(
      `${problem}. Its row stays as it was; such records are left out and counted. ${remedy}`,
      'record.no-table',
    )
    return TABLELESS
  }

  /** @param marked the Kafka key of the record before this one, where that became a mark
   *  @throws ConnectorError config where a record of a table that is not listed is to stop */
  #tombstone(record: KafkaRecord, partition: number, slot: Slot, marked: MarkedKey): RecordOutcome {
    const { key } = record
    if (this.#ignoresTombstones || isSameKey(marked, key)) return key === null ? NULL_RECORD : TOMBSTONE
    if (key === null && this.#hasKeylessRows) return NULL_RECORD
    if (key === UNREADABLE_KEY) return this.#rowless('its Kafka key cannot be read with this key_encoding')
    const { only, route, config } = this.#plan
    const to = only ?? (config.route!.by.header === undefined ? UNNAMED : route!.look(record))
    if (to === UNLISTED) return route!.unrouted.outcome(to, record, partition)
    if ('noTable' in to) return this.#rowless('only a header can name its table')
    if ('rejected' in to) return this.#rowless(to.rejected)
    if (to.rules.tombstones === 'ignore') return TOMBSTONE
    const outcome = to.rows.gone(record, slot)
    if (!('rejected' in outcome)) return outcome
    return outcome === UNKNOWN_WITHOUT_KEY && this.#hasKeylessRows ? NULL_RECORD : this.#rowless(outcome.rejected)
  }

  /** Leaves out a tombstone that does not say which row is gone, and warns of the first one. */
  #rowless(why: string): Ignored {
    this.#warnOnce(
      `a tombstone does not say which row it means: ${why}. Where it is the only sign of a delete, the row stays as it was. Such records are left out and counted; docs/formats.md says what to change.`,
      'record.no-row',
    )
    return ROWLESS
  }

  #warnOnce(message: string, code: Code): void {
    if (!this.#warnedOf.has(code)) this.#plan.warn(`Topic "${this.#plan.topic}": ${message}`, code)
    this.#warnedOf.add(code)
  }

  /** The outcome of a row with columns whose value Debezium did not see.
   *  @throws ConnectorError config where the policy is fail */
  #unavailable({ table }: Destination, record: KafkaRecord, partition: number): RejectedValue {
    const columns = columnsInWords(this.#values.columns)
    if (this.#plan.config.unavailable !== 'fail')
      return { rejected: `Debezium did not see the value of its ${columns}` }
    throw policyStop(
      'record.value-unavailable',
      this.#placeOf(record, partition),
      `Debezium did not see the value of ${columns} of table "${table.name}": it is large and did not change.`,
      'Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.',
    )
  }

  /** The outcome of a record that says that a table was truncated.
   *  @throws ConnectorError config where the policy is stop */
  #truncated(record: KafkaRecord, partition: number): RecordOutcome {
    const { config, only, route } = this.#plan
    if (config.truncate === 'ignore') return TRUNCATE
    const to = only ?? route!.look(record, undefined, this.#values.source())
    if ('rejected' in to) return to
    if (to === UNLISTED) return route!.unrouted.outcome(to, record, partition)
    const which = 'noTable' in to ? 'a source table' : `the source table of "${to.table.name}"`
    throw policyStop(
      'record.table-truncated',
      this.#placeOf(record, partition),
      `${which} was truncated, and rows cannot be deleted there.`,
      'Delete them yourself if they must go, and choose truncate: ignore for the topic.',
    )
  }

  #placeOf({ offset }: KafkaRecord, partition: number): PartitionPosition {
    return { topic: this.#plan.topic, partition, offset }
  }
}

/** @param marked `undefined` when the record before became no mark: then no key is equal */
function isSameKey(marked: MarkedKey, key: Buffer | null): boolean {
  if (marked === undefined) return false
  return marked === null || key === null ? marked === key : marked.equals(key)
}
