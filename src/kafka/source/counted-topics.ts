// The topics of a run as rows of its facts.

import type { RunCounts } from '../../run/counts.ts'
import type { CountedRow, InputRows } from '../../run/open-input.ts'
import type { Table } from '../../core/types.ts'
import { ROWLESS, TABLELESS } from '../topics/record-outcome.ts'
import type { TableCounts } from '../topics/topic-route.ts'
import type { DeadLetterPolicy } from './dead-letter-policy.ts'
import type { FetchedAhead } from './fetched-ahead.ts'
import type { MappedTopic, SettledCounts, StreamTopics } from './stream-topics.ts'

interface CountedTopicsParts {
  readonly topics: Pick<StreamTopics, 'all'>
  readonly policy: Pick<DeadLetterPolicy, 'counts'>
  /** Absent when no partition is fetched. */
  readonly ahead?: Pick<FetchedAhead, 'pausesOf'> | undefined
  /** Counts of dead letters, where they are read instead of topics. They are known of all together only, which may be one topic of one
   *  table. */
  readonly letters?: SettledCounts | undefined
}

/** Topics met so far, by name. */
export class CountedTopics implements InputRows {
  readonly noun = 'topic'
  readonly #parts: CountedTopicsParts
  #topics: readonly MappedTopic[] = []
  #rows: ReadonlyMap<string, readonly CountedRow[]> = new Map()
  #all: readonly CountedRow[] = []
  /** Names of topics of which something was counted since `takeChanged`. */
  readonly #changed = new Set<string>()

  constructor(parts: CountedTopicsParts) {
    this.#parts = parts
  }

  get all(): readonly CountedRow[] {
    const topics = this.#parts.topics.all
    if (topics === this.#topics) return this.#all
    this.#topics = topics
    this.#all = topics.flatMap((topic) => this.#rowsOf(topic))
    this.#rows = Map.groupBy(this.#all, ({ name }) => name)
    return this.#all
  }

  counted(name: string): void {
    this.#changed.add(name)
  }

  takeChanged(): Iterable<CountedRow> {
    // letters are of other topics than the one that is read
    if (this.#parts.letters) return this.#all
    const changed = Array.from(this.#changed, (name) => this.#rows.get(name) ?? []).flat()
    this.#changed.clear()
    return changed
  }

  together(): RunCounts {
    return { ...this.#parts.letters }
  }

  #rowsOf(topic: MappedTopic): CountedRow[] {
    const { name, mapper } = topic
    const own = { name, table: mapper.table, scope: name, facts: () => this.#factsOf(topic) }
    const tables = mapper.route?.counts ?? []
    return [own, ...Array.from(tables, ([table, counts]) => this.#tableRow(topic, table, counts))]
  }

  #tableRow({ name, mapper }: MappedTopic, table: Table, of: TableCounts): CountedRow {
    const facts = () => ({
      counts: this.#parts.letters ? { records: of.records } : { ...of },
      deadLetters: this.#parts.policy.counts.keptOf(name, (other) => other === table.name),
      fields: mapper.fieldsOf(table),
    })
    return { name, table, scope: undefined, isPart: true, facts }
  }

  #factsOf({ name, mapper, counts }: MappedTopic): ReturnType<CountedRow['facts']> {
    const { policy, ahead, letters } = this.#parts
    const { [ROWLESS.ignored]: rowless, [TABLELESS.ignored]: tableless, ...others } = Object.fromEntries(mapper.ignored)
    const ignored = Object.values(others).reduce((sum, count) => sum + count, 0)
    const routed = [...(mapper.route?.counts.values() ?? [])].reduce((sum, { records }) => sum + records, 0)
    const { written, rejected } = mapper.route?.unroutedCounts ?? counts
    const isOnlyRow = this.#topics.length === 1 && !mapper.route
    // of letters it is only known what became of all
    const ofLetters = isOnlyRow ? letters : {}
    const settled = letters === undefined ? { written, rejected } : ofLetters
    return {
      counts: {
        records: Math.max(0, counts.records - routed),
        ...settled,
        ignored,
        ...(rowless !== undefined && { rowless }),
        ...(tableless !== undefined && { tableless }),
      },
      deadLetters: policy.counts.keptOf(name, mapper.route && ((table) => table === undefined)),
      pauses: ahead && { ...ahead.pausesOf(name) },
      fields: mapper.fieldsOf(mapper.table),
    }
  }
}
