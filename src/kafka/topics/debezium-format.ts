// The format of Debezium: which of its records are rows, which rows are gone, and what the topic's policies say of the rest.

import { rulesOf } from '../../config/stream/stream-config.ts'
import type { Code } from '../../core/codes.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord } from '../types.ts'
import { DebeziumValues } from '../values/debezium-values.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'
import { UNREADABLE_KEY } from './topic-encoding.ts'
import { ROWLESS, see, TABLELESS, TOMBSTONE } from './topic-plan.ts'
import type { KeyBefore, TopicFormat, TopicPlan } from './topic-plan.ts'
import type { NoTable } from './unrouted-records.ts'
import { columnsInWords, policyStop, UNKNOWN_WITHOUT_KEY } from './topic-rows.ts'
import type { RecordOutcome } from './topic-rows.ts'
import type { Destination } from './topic-tables.ts'

const NULL_RECORD: Ignored = { ignored: 'null record' }
const TRUNCATE: Ignored = { ignored: 'truncate' }
const MOVED: RejectedValue = {
  rejected:
    'the update changed its key fields, and the old row would stay: they are not the primary key; let the keys come from the Kafka key',
}

export function debeziumFormat(plan: TopicPlan): TopicFormat {
  const { topic, only, route, config, mostBytes } = plan
  const values = new DebeziumValues(topic, config.unavailable === 'null', mostBytes, config.unavailablePlaceholder)
  const warnings = new Warnings(plan)
  const tombstones = new Tombstones(plan, warnings)
  return (record, partition, slot, before) => {
    const meaning = record.value === null ? 'tombstone' : values.read(record.value, record.key)
    if (meaning === 'tombstone') return tombstones.outcome(record, partition, slot, before)
    if (typeof meaning === 'object') return meaning
    if (meaning === 'truncated') return truncated(plan, record, partition, values)
    const row = values.hasRow ? values.row : undefined
    const to = only ?? route!.look(record, row, values.source())
    if (typeof to === 'string') return unrouted(to, meaning, record, partition)
    if ('rejected' in to) return to
    const { rows } = to
    if (meaning === 'row') {
      see(plan, to, values.row)
      const made = rows.live(record, partition, values.row, slot)
      const old = made === 'made' ? values.before() : undefined
      if (old && rows.moved(old, slot)) return MOVED
      return (old && movedFrom(route?.tableOf(old), to)) ?? made
    }
    if (meaning === 'deleted') return rows.deleted(record, partition, row, slot)
    if (config.unavailable === 'fail')
      throw policyStop(
        'record.value-unavailable',
        { topic, partition, offset: record.offset },
        `Debezium did not see the value of ${columnsInWords(values.columns)} of table "${to.table.name}": it is large and did not change.`,
        'Set REPLICA IDENTITY FULL for the table at the source, or choose unavailable: null or unavailable: dead-letter for the topic.',
      )
    return { rejected: `Debezium did not see the value of its ${columnsInWords(values.columns)}` }
  }

  /** A row may have been in a table before, which then would stay there. */
  function unrouted(no: NoTable, meaning: string, record: KafkaRecord, partition: number): RecordOutcome {
    const isGone = meaning === 'deleted'
    const old = isGone ? undefined : values.before()
    const moved = old && movedFrom(route!.tableOf(old))
    if (moved) return moved
    // a source that sends keys alone puts a default in the place of what must not be null
    const lacks = isGone
      ? no === 'none' || route!.value === ''
      : no === 'none' && values.isUpdate && !route!.isTold(old)
    if (!lacks) return route!.unrouted.outcome(no, record, partition, values.hasRow ? values.row : undefined)
    const { found, remedy } = route!.unrouted.untold(isGone ? 'delete' : 'update')
    if (config.route!.others === 'dead-letter') return { rejected: found }
    if (config.route!.others === 'stop')
      throw policyStop('record.no-table', { topic, partition, offset: record.offset }, `${found}.`, remedy)
    warnings.warn(
      'record.no-table',
      `${found}. Its row stays as it was; such records are left out and counted. ${remedy}`,
    )
    return TABLELESS
  }
}

/** @param from where the row was
 *  @param to where it is; absent when in no table */
function movedFrom(from: Destination | 'one to come' | undefined, to?: Destination): RejectedValue | undefined {
  if (from === undefined || (from !== 'one to come' && from.table === to?.table)) return undefined
  const where = from === 'one to come' ? 'another one' : `"${from.table.name}"`
  return { rejected: `the update changed the field that names its table, and the old row would stay in ${where}` }
}

/** @throws ConnectorError config where that is the policy */
function truncated(
  { topic, config, only, route }: TopicPlan,
  record: KafkaRecord,
  partition: number,
  values: DebeziumValues,
): RecordOutcome {
  if (config.truncate === 'ignore') return TRUNCATE
  const to = only ?? route!.look(record, undefined, values.source())
  if (to === 'unlisted') return route!.unrouted.outcome(to, record, partition)
  if (to !== 'none' && 'rejected' in to) return to
  const which = to === 'none' ? 'a source table' : `the source table of "${to.table.name}"`
  throw policyStop(
    'record.table-truncated',
    { topic, partition, offset: record.offset },
    `${which} was truncated, and rows cannot be deleted there.`,
    'Delete them yourself if they must go, and choose truncate: ignore for the topic.',
  )
}

/** Oddities of a topic's records, once each. */
class Warnings {
  readonly #plan: TopicPlan
  readonly #said = new Set<Code>()

  constructor(plan: TopicPlan) {
    this.#plan = plan
  }

  warn(code: Code, text: string): void {
    if (!this.#said.has(code)) this.#plan.warn(`Topic "${this.#plan.topic}": ${text}`, code)
    this.#said.add(code)
  }
}

/** The deletes that come as a tombstone alone: of flattened records by default, and where a topic's cleaner was. Behind a delete that
 *  became a mark it says nothing new. */
class Tombstones {
  readonly #plan: TopicPlan
  /** No row of the topic could be marked, or none is to be. */
  readonly #isIgnored: boolean
  /** Some records without a key are rows of their own, which nothing deletes. */
  readonly #hasKeyless: boolean
  readonly #warnings: Warnings

  constructor(plan: TopicPlan, warnings: Warnings) {
    this.#plan = plan
    this.#warnings = warnings
    const rules = rulesOf(plan.config)
    this.#isIgnored = rules.every(({ tombstones, keys }) => tombstones === 'ignore' || keys.from === 'offset')
    this.#hasKeyless = rules.some(
      ({ keys: { from }, nullKeys }) => from === 'offset' || (from === 'key' && nullKeys === 'offset'),
    )
  }

  outcome(record: KafkaRecord, partition: number, slot: ItemSlot<unknown>, before: KeyBefore): RecordOutcome {
    const { key } = record
    if (this.#isIgnored || isSame(before, key)) return key === null ? NULL_RECORD : TOMBSTONE
    if (key === null && this.#hasKeyless) return NULL_RECORD
    if (key === UNREADABLE_KEY) return this.#rowless('its Kafka key cannot be read with this key_encoding')
    const { only, route, config } = this.#plan
    const to = only ?? (config.route!.by.header === undefined ? 'none' : route!.look(record))
    if (to === 'unlisted') return route!.unrouted.outcome(to, record, partition)
    if (to === 'none') return this.#rowless('only a header can name its table')
    if ('rejected' in to) return this.#rowless(to.rejected)
    if (to.rules.tombstones === 'ignore' || to.rules.keys.from === 'offset') return TOMBSTONE
    const made = to.rows.gone(record, slot)
    if (typeof made === 'string' || !('rejected' in made)) return made
    return made === UNKNOWN_WITHOUT_KEY && this.#hasKeyless ? NULL_RECORD : this.#rowless(made.rejected)
  }

  #rowless(why: string): Ignored {
    this.#warnings.warn(
      'record.no-row',
      `a tombstone does not say which row it means: ${why}. Where it is the only sign of a delete, the row stays as it was. Such records are left out and counted; docs/formats.md says what to change.`,
    )
    return ROWLESS
  }
}

function isSame(before: KeyBefore, key: Buffer | null): boolean {
  if (before === undefined) return false
  return before === null || key === null ? before === key : before.equals(key)
}
