// Tombstones of a Debezium topic. A tombstone is a delete: of flattened records by default, and where a topic's cleaner was, it is the
// only sign of one. Right behind a delete that became a mark it says nothing new.

import { rulesOf } from '../../config/stream/stream-config.ts'
import type { ItemSlot } from '../../mapping/stream-mapping.ts'
import type { KafkaRecord } from '../types.ts'
import type { Ignored } from '../values/read-object.ts'
import { ROWLESS, TOMBSTONE, type RecordOutcome } from './record-outcome.ts'
import { UNREADABLE_KEY } from './topic-encoding.ts'
import type { MarkedKey, TopicPlan } from './topic-plan.ts'
import { UNKNOWN_WITHOUT_KEY } from './topic-rows.ts'
import { UNLISTED, UNNAMED } from './unrouted-records.ts'

const NULL_RECORD: Ignored = { ignored: 'null record' }

/** The tombstones of one topic. Where one does not say which row it means, that is warned of once. */
export class DebeziumTombstones {
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

  /** @param marked as `TopicFormat` has it
   *  @throws ConnectorError config where a record of a table that is not listed is to stop */
  outcome(record: KafkaRecord, partition: number, slot: ItemSlot<unknown>, marked: MarkedKey): RecordOutcome {
    const { key } = record
    if (this.#isIgnored || isSame(marked, key)) return key === null ? NULL_RECORD : TOMBSTONE
    if (key === null && this.#hasKeyless) return NULL_RECORD
    if (key === UNREADABLE_KEY) return this.#rowless('its Kafka key cannot be read with this key_encoding')
    const { only, route, config } = this.#plan
    const to = only ?? (config.route!.by.header === undefined ? UNNAMED : route!.look(record))
    if (to === UNLISTED) return route!.unrouted.outcome(to, record, partition)
    if ('noTable' in to) return this.#rowless('only a header can name its table')
    if ('rejected' in to) return this.#rowless(to.rejected)
    if (to.rules.tombstones === 'ignore' || to.rules.keys.from === 'offset') return TOMBSTONE
    const outcome = to.rows.gone(record, slot)
    if (!('rejected' in outcome)) return outcome
    return outcome === UNKNOWN_WITHOUT_KEY && this.#hasKeyless ? NULL_RECORD : this.#rowless(outcome.rejected)
  }

  #rowless(why: string): Ignored {
    if (!this.#isWarned)
      this.#plan.warn(
        `Topic "${this.#plan.topic}": a tombstone does not say which row it means: ${why}. Where it is the only sign of a delete, the row stays as it was. Such records are left out and counted; docs/formats.md says what to change.`,
        'record.no-row',
      )
    this.#isWarned = true
    return ROWLESS
  }
}

function isSame(marked: MarkedKey, key: Buffer | null): boolean {
  if (marked === undefined) return false
  return marked === null || key === null ? marked === key : marked.equals(key)
}
