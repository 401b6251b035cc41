// The format of Debezium: which of its records are rows, which rows are gone, and what the topic's policies say of the rest.

import { rulesOf } from '../../config/stream/stream-config.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord } from '../types.ts'
import { DebeziumValues } from '../values/debezium-values.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'
import { UNREADABLE_KEY } from './topic-encoding.ts'
import { ROWLESS, see, tableFor, TOMBSTONE } from './topic-plan.ts'
import type { KeyBefore, TopicFormat, TopicPlan } from './topic-plan.ts'
import { columnsInWords, policyStop, UNKNOWN_WITHOUT_KEY } from './topic-rows.ts'
import type { RecordOutcome } from './topic-rows.ts'

const NULL_RECORD: Ignored = { ignored: 'null record' }
const TRUNCATE: Ignored = { ignored: 'truncate' }
const MOVED: RejectedValue = {
  rejected:
    'the update changed its key fields, and the old row would stay: they are not the primary key; let the keys come from the Kafka key',
}
const MOVED_TABLE: RejectedValue = {
  rejected: 'the update changed the field that names its table, and the old row would stay in another one',
}

export function debeziumFormat(plan: TopicPlan): TopicFormat {
  const { topic, route, config, mostBytes } = plan
  const values = new DebeziumValues(topic, config.unavailable === 'null', mostBytes)
  const tombstones = new Tombstones(plan)
  return (record, partition, slot, before) => {
    const meaning = record.value === null ? 'tombstone' : values.read(record.value, record.key)
    if (meaning === 'tombstone') return tombstones.outcome(record, partition, slot, before)
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
      const old = made === 'made' ? values.before() : undefined
      if (old && rows.moved(old, slot)) return MOVED
      return old && route?.isElsewhere(old, to) ? MOVED_TABLE : made
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

/** The deletes that come as a tombstone alone: of flattened records by default, and where a topic's cleaner was. Behind a delete that
 *  became a mark it says nothing new. */
class Tombstones {
  readonly #plan: TopicPlan
  /** No row of the topic could be marked, or none is to be. */
  readonly #isIgnored: boolean
  /** Some records without a key are rows of their own, which nothing deletes. */
  readonly #hasKeyless: boolean
  #isWarned = false

  constructor(plan: TopicPlan) {
    this.#plan = plan
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
    if (to === 'unlisted') return route!.other(to, record, partition)
    if (to === 'none') return this.#rowless('only a header can name its table')
    if ('rejected' in to) return this.#rowless(to.rejected)
    if (to.rules.tombstones === 'ignore' || to.rules.keys.from === 'offset') return TOMBSTONE
    const made = to.rows.gone(record, slot)
    if (typeof made === 'string' || !('rejected' in made)) return made
    return made === UNKNOWN_WITHOUT_KEY && this.#hasKeyless ? NULL_RECORD : this.#rowless(made.rejected)
  }

  #rowless(why: string): Ignored {
    const { topic, warn } = this.#plan
    if (!this.#isWarned)
      warn(
        `Topic "${topic}": a tombstone does not say which row it means: ${why}. Where it is the only sign of a delete, the row stays as it was. Such records are left out and counted; docs/formats.md says what to change.`,
        'record.no-row',
      )
    this.#isWarned = true
    return ROWLESS
  }
}

function isSame(before: KeyBefore, key: Buffer | null): boolean {
  if (before === undefined) return false
  return before === null || key === null ? before === key : before.equals(key)
}
