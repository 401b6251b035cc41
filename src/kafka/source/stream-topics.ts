// The topics that a run reads. Says which of them can be read together (`check`), and has of each its mapper and its counts, made when the topic
// is first asked for (`find`).

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

/** Counts of the records of a table, of a topic or of a whole replay, by what became of them. They go up where records are settled. */
export interface SettledCounts {
  written: number
  rejected: number
}

/** A topic, with what is made of its entry. */
export interface MappedTopic {
  readonly name: string
  readonly entry: TopicConfig
  readonly mapper: TopicMapper<KafkaOrigin>
  /** Makes JSON of its records by schemas of a registry. `undefined` when they are JSON already. */
  readonly encoding: TopicEncoding | undefined
  /** Counts since the start of the run, of all partitions, also those that were revoked or lost since. */
  readonly counts: SettledCounts & { records: number }
}

export class StreamTopics {
  readonly #entries: readonly TopicConfig[]
  readonly #shared: TopicShared
  readonly #log: MemberEvents['log']
  readonly #topics = new Map<string, MappedTopic>()
  /** `all`, once it was asked for. `undefined` again when there is a new topic, or a new table of one. */
  #all: readonly MappedTopic[] | undefined
  #isChecked = false
  /** Names of topics that are not read, of which the user was warned. */
  readonly #warnedOf = new Set<string>()

  /** @param log gets, when a topic is first asked for, the tables that it goes to, and later what is odd about its records */
  constructor(entries: readonly TopicConfig[], shared: TopicShared, log: MemberEvents['log'] = () => {}) {
    this.#entries = entries
    this.#shared = shared
    this.#log = log
  }

  /** Topics that were asked for so far, in the order of their names; a new array when there is a new topic or table. */
  get all(): readonly MappedTopic[] {
    return (this.#all ??= [...this.#topics.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  }

  /** Checks which topics can be read together. At the first call any fault throws. Later a new topic with a fault is left out, with a warning,
   *  so that it does not end the run.
   *  @param names of all topics that are to be read
   *  @returns the names of those that can be read
   *  @throws ConnectorError config when some would share a table without `shared_table`, or one cannot be stored as its entry says */
  check(names: readonly string[]): readonly string[] {
    const newNames = new Set(this.#isChecked ? names.filter((name) => !this.#topics.has(name)) : [])
    const leftOut = new Set<string>()
    for (const { entries, problem } of sharedTables(names.flatMap((name) => this.#tablesOf(name)))) {
      const newAmongThem = new Set(entries.map(({ topic }) => topic).filter((name) => newNames.has(name)))
      const message = `The topics cannot be written as they are: ${problem}.`
      const error = new ConnectorError('config', 'topic.tables-meet', message)
      if (newAmongThem.size === 0) throw error
      // of two that are new none is read: other processes of the group may have found them in another order
      for (const name of newAmongThem) this.#leaveOut(name, error, leftOut)
    }
    for (const name of names)
      try {
        if (!leftOut.has(name)) this.find(name)
      } catch (error) {
        if (!(error instanceof ConnectorError) || !newNames.has(name)) throw error
        this.#leaveOut(name, error, leftOut)
      }
    this.#isChecked = true
    return names.filter((name) => !leftOut.has(name))
  }

  /** Tables of the topic: those that its entry names, and those that its route has made since. */
  #tablesOf(topic: string): TableOfTopic[] {
    const entry = entryFor(topic, this.#entries)!
    const made = this.#topics.get(topic)?.mapper.route?.all ?? []
    const madeTables = made.map(({ table }) => ({ topic, table: table.name, sharedTable: entry.sharedTable }))
    return [...tablesOf(topic, entry, this.#shared.prefix), ...madeTables]
  }

  #leaveOut(name: string, { code, message }: ConnectorError, leftOut: Set<string>): void {
    leftOut.add(name)
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
    const tableMade = (): void => void (this.#all = undefined)
    const mapper = new TopicMapper<KafkaOrigin>(name, entry, this.#shared, warn, tableMade)
    const encoding = topicEncoding(entry)
    const topic = { name, entry, mapper, encoding, counts: { records: 0, written: 0, rejected: 0 } }
    this.#topics.set(name, topic)
    this.#all = undefined
    const where = mapper.table ? `table "${mapper.table.name}": ` : 'several tables: '
    this.#log('info', `Topic "${name}" goes to ${where}${mapper.words}.`, { event: 'table.chosen' })
    return topic
  }

  /** The digest of what identifies the rows of a topic's table; for a topic of several tables as a whole, that of its route. */
  readonly digest: InputDigests['digestOf'] = ({ name, table }) => {
    const { entry, mapper } = this.find(name)
    const rowTable = mapper.table ?? mapper.route?.all.find((one) => one.table.name === table)?.table
    const identity = rowTable && picked(mapper.rulesOf(rowTable), { keys: true, nullKeys: true, epoch: true })
    if (rowTable) return digestOf({ table: rowTable.name, ...identity })
    const { tables, ...route } = entry.route!
    const nameOf = (value: string): string => topicTableName(value, this.#shared.prefix)
    const names = Array.from(tables, ([value, { table = nameOf(value) }]) => [value, table] as const)
    return digestOf({ ...route, tables: new Map(names) })
  }
}
