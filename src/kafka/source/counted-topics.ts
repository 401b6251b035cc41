// The rows of a run of `stream`, from which its tables, summary and metrics are made: which counts are those of a topic, which of one of the
// tables of its route, and which, of dead letters, only of all topics together.

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
  /** `undefined` when nothing is fetched from brokers. */
  readonly ahead?: Pick<FetchedAhead, 'pausesOf'> | undefined
  /** Counts of dead letters by what became of them, where they are replayed. They are known only of all of them together. */
  readonly letters?: SettledCounts | undefined
}

/** Rows of the topics met so far, in the order of their names. */
export class CountedTopics implements InputRows {
  readonly noun = 'topic'
  readonly #parts: CountedTopicsParts
  /** The topics that `#all` and `#rowsByTopic` were made of. */
  #topics: readonly MappedTopic[] = []
  #rowsByTopic: ReadonlyMap<string, readonly CountedRow[]> = new Map()
  #all: readonly CountedRow[] = []
  /** Names of topics of which something was counted since the last `takeChanged`. */
  readonly #changed = new Set<string>()

  constructor(parts: CountedTopicsParts) {
    this.#parts = parts
  }

  get all(): readonly CountedRow[] {
    const topics = this.#parts.topics.all
    if (topics === this.#topics) return this.#all
    this.#topics = topics
    this.#all = topics.flatMap((topic) => this.#rowsOf(topic))
    this.#rowsByTopic = Map.groupBy(this.#all, ({ name }) => name)
    return this.#all
  }

  counted(name: string): void {
    this.#changed.add(name)
  }

  /** Knows only rows that `all` has had. */
  takeChanged(): Iterable<CountedRow> {
    // `counted` then named the topic of dead letters, not those of their records
    if (this.#parts.letters) return this.#all
    const changed = Array.from(this.#changed, (name) => this.#rowsByTopic.get(name) ?? []).flat()
    this.#changed.clear()
    return changed
  }

  /** Counts of the replayed letters; nothing when topics are read. */
  together(): RunCounts {
    return { ...this.#parts.letters }
  }

  #rowsOf(topic: MappedTopic): CountedRow[] {
    const { name, mapper } = topic
    const topicRow = { name, table: mapper.table, scope: name, facts: () => this.#topicFacts(topic) }
    const countsByTable = mapper.route?.counts ?? []
    return [topicRow, ...Array.from(countsByTable, ([table, counts]) => this.#tableRow(topic, table, counts))]
  }

  /** The row of one table of a route. It has no `scope`: checkpoints are counted in the row of the topic. */
  #tableRow({ name, mapper }: MappedTopic, table: Table, counts: TableCounts): CountedRow {
    const facts = () => ({
      counts: this.#parts.letters ? { records: counts.records } : { ...counts },
      deadLetters: this.#parts.policy.counts.keptOf(name, (other) => other === table.name),
      fields: mapper.fieldsOf(table),
    })
    return { name, table, scope: undefined, isPart: true, facts }
  }

  /** Facts of a topic; where it has a route, only of its records that have no table. */
  #topicFacts({ name, mapper, counts }: MappedTopic): ReturnType<CountedRow['facts']> {
    const { policy, ahead, letters } = this.#parts
    // ignored records of two kinds are told apart from all others
    const { [ROWLESS.ignored]: rowless, [TABLELESS.ignored]: tableless, ...others } = Object.fromEntries(mapper.ignored)
    const ignored = Object.values(others).reduce((sum, count) => sum + count, 0)
    const routed = [...(mapper.route?.counts.values() ?? [])].reduce((sum, { records }) => sum + records, 0)
    const { written, rejected } = mapper.route?.unroutedCounts ?? counts
    const isOnlyRow = this.#topics.length === 1 && !mapper.route
    // what became of letters is known only of all together, so of a row only if there is no other
    const settledLetters = isOnlyRow ? letters : {}
    const settled = letters === undefined ? { written, rejected } : settledLetters
    return {
      counts: {
        // a record is counted for its table before it is for its topic
        records: Math.max(0, counts.records - routed),
        ...settled,
        ignored,
        ...(rowless !== undefined && { rowless }),
        ...(tableless !== undefined && { tableless }),
      },
      // of a topic with a route, those that had no table
      deadLetters: policy.counts.keptOf(name, mapper.route && ((table) => table === undefined)),
      pauses: ahead && { ...ahead.pausesOf(name) },
      fields: mapper.fieldsOf(mapper.table),
    }
  }
}
