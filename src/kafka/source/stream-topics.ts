// The topics a run reads: for each its mapper and its counts, made when it is first met (`find`), and which of them can be read together
// (`check`).

import type { MemberEvents } from '../types.ts'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { sharedTables, tablesOf, type TableOfTopic } from '../../config/stream/shared-tables.ts'
import { entryFor } from '../../config/stream/topic-choice.ts'
import { picked } from '../../config/config-of.ts'
import { ConnectorError } from '../../core/errors.ts'
import { topicTableName } from '../../mapping/topic-table.ts'
import type { InputDigests } from '../../run/open-input.ts'
import { digestOf } from '../../telemetry/summary/digests.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import { topicEncoding, type TopicEncoding } from '../topics/topic-encoding.ts'
import { TopicMapper } from '../topics/topic-mapper.ts'
import type { WarnOf } from '../topics/topic-plan.ts'
import type { TopicShared } from '../topics/topic-tables.ts'

/** What became of records: those of a table, of a topic or of a whole replay. Counted up where they are settled. */
export interface SettledCounts {
  written: number
  rejected: number
}

export interface MappedTopic {
  readonly name: string
  readonly entry: TopicConfig
  readonly mapper: TopicMapper<KafkaOrigin>
  /** Makes JSON of its records. `undefined` when they are JSON already. */
  readonly encoding: TopicEncoding | undefined
  /** Counts since the start, of all partitions, those unassigned too. */
  readonly counts: SettledCounts & { records: number }
}

export class StreamTopics {
  readonly #entries: readonly TopicConfig[]
  readonly #shared: TopicShared
  readonly #log: MemberEvents['log']
  readonly #topics = new Map<string, MappedTopic>()
  /** Topics in order. `undefined` when one was met since it was made, or has one more table. */
  #all: readonly MappedTopic[] | undefined
  #isChecked = false
  /** Topics that are not read, of which that was said already. */
  readonly #warnedOf = new Set<string>()

  /** @param log where a topic goes, when it is first met, and what is odd about its records */
  constructor(entries: readonly TopicConfig[], shared: TopicShared, log: MemberEvents['log'] = () => {}) {
    this.#entries = entries
    this.#shared = shared
    this.#log = log
  }

  /** Topics met so far, by name. */
  get all(): readonly MappedTopic[] {
    return (this.#all ??= [...this.#topics.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  }

  /** Checks which topics can be read together. At the first call any fault throws. Later a new topic with a fault is left out and warned of
   *  once, so that it does not end the run.
   *  @param names of all that are to be read
   *  @returns those that can be
   *  @throws ConnectorError config when some would share a table without `shared_table`, or one cannot be stored */
  check(names: readonly string[]): readonly string[] {
    const fresh = new Set(this.#isChecked ? names.filter((name) => !this.#topics.has(name)) : [])
    const left = new Set<string>()
    for (const { entries, problem } of sharedTables(names.flatMap((name) => this.#tablesOf(name)))) {
      const newNames = new Set(entries.map(({ topic }) => topic).filter((name) => fresh.has(name)))
      const message = `The topics cannot be written as they are: ${problem}.`
      const error = new ConnectorError('config', 'topic.tables-meet', message)
      if (newNames.size === 0) throw error
      // of two that are new none is read, as other processes may have met them in another order
      for (const name of newNames) this.#leaveOut(name, error, left)
    }
    for (const name of names)
      try {
        if (!left.has(name)) this.find(name)
      } catch (error) {
        if (!(error instanceof ConnectorError) || !fresh.has(name)) throw error
        this.#leaveOut(name, error, left)
      }
    this.#isChecked = true
    return names.filter((name) => !left.has(name))
  }

  /** Tables of the topic, with those made since. */
  #tablesOf(topic: string): TableOfTopic[] {
    const entry = entryFor(topic, this.#entries)!
    const made = this.#topics.get(topic)?.mapper.route?.all ?? []
    const { sharedTable } = entry
    return [
      ...tablesOf(topic, entry, this.#shared.prefix),
      ...made.map(({ table }) => ({ topic, table: table.name, sharedTable })),
    ]
  }

  #leaveOut(name: string, { code, message }: ConnectorError, left: Set<string>): void {
    left.add(name)
    if (this.#warnedOf.has(name)) return
    this.#warnedOf.add(name)
    const found = `This process does not read the new topic ${JSON.stringify(name)}.`
    this.#log('warn', `${found} ${message}`, { code: code! })
  }

  /** The topic, made when it is first asked for.
   *  @throws ConnectorError config when it cannot be stored as its entry says */
  find(name: string): MappedTopic {
    const known = this.#topics.get(name)
    if (known) return known
    const entry = entryFor(name, this.#entries)
    if (!entry)
      throw new ConnectorError('system', 'program.fault', `Topic "${name}" is read, but no entry of topics matches it.`)
    const warn: WarnOf = (message, code = 'topic.warning') => this.#log('warn', message, { code })
    const mapper = new TopicMapper<KafkaOrigin>(name, entry, this.#shared, warn, () => (this.#all = undefined))
    const encoding = topicEncoding(entry)
    const topic = { name, entry, mapper, encoding, counts: { records: 0, written: 0, rejected: 0 } }
    this.#topics.set(name, topic)
    this.#all = undefined
    const to = mapper.table ? `table "${mapper.table.name}": ` : 'several tables: '
    this.#log('info', `Topic "${name}" goes to ${to}${mapper.words}.`, { event: 'table.chosen' })
    return topic
  }

  /** The digest of what identifies the rows of a topic's table; without a table, of the route by which records get to several. */
  readonly digest: InputDigests['digestOf'] = ({ name, table }) => {
    const { entry, mapper } = this.find(name)
    const to = mapper.table ?? mapper.route?.all.find((one) => one.table.name === table)?.table
    if (to)
      return digestOf({ table: to.name, ...picked(mapper.rulesOf(to), { keys: true, nullKeys: true, epoch: true }) })
    const { tables, ...route } = entry.route!
    const nameOf = (value: string): string => topicTableName(value, this.#shared.prefix)
    return digestOf({
      ...route,
      tables: new Map(Array.from(tables, ([value, { table = nameOf(value) }]) => [value, table])),
    })
  }
}
