// The topics of a run as rows of its facts.

import type { RunCounts } from '../../telemetry/counts.ts'
import type { CountedRow, InputRows } from '../../telemetry/open-input.ts'
import type { RowFacts } from '../../telemetry/run-facts.ts'
import type { DeadLetterPolicy } from './dead-letter-policy.ts'
import type { Replaying } from './kafka-source.ts'
import type { Pauses } from './owned-partition.ts'
import type { MappedTopic, StreamTopics } from './stream-topics.ts'

interface CountedTopicsParts {
  readonly topics: Pick<StreamTopics, 'all'>
  readonly policy: Pick<DeadLetterPolicy, 'counts'>
  readonly pauses: Pick<Pauses, 'of'>
  /** Dead letters are read instead of topics: what became of them is known of all together, which may be one topic. */
  readonly replaying?: Pick<Replaying, 'counts'> | undefined
}

/** Those met so far, by name. */
export class CountedTopics implements InputRows {
  readonly noun = 'topic'
  readonly #parts: CountedTopicsParts
  #topics: readonly MappedTopic[] = []
  #rows: ReadonlyMap<string, CountedRow> = new Map()
  #all: readonly CountedRow[] = []
  readonly #changed = new Set<string>()

  constructor(parts: CountedTopicsParts) {
    this.#parts = parts
  }

  get all(): readonly CountedRow[] {
    const topics = this.#parts.topics.all
    if (topics === this.#topics) return this.#all
    this.#topics = topics
    this.#all = topics.map((topic) => this.#rowOf(topic))
    this.#rows = new Map(this.#all.map((row) => [row.name, row]))
    return this.#all
  }

  /** Something of a topic was counted. */
  counted(name: string): void {
    this.#changed.add(name)
  }

  takeChanged(): Iterable<CountedRow> {
    // letters are of other topics than the one that is read
    if (this.#parts.replaying) return this.#all
    const changed = Array.from(this.#changed, (name) => this.#rows.get(name) ?? []).flat()
    this.#changed.clear()
    return changed
  }

  together(): RunCounts {
    const { replaying } = this.#parts
    return replaying ? { ...replaying.counts } : {}
  }

  #rowOf(topic: MappedTopic): CountedRow {
    const { name } = topic
    return { name, table: topic.mapper.table, scope: name, facts: () => this.#factsOf(topic) }
  }

  #factsOf({ name, mapper, counts }: MappedTopic): Pick<RowFacts, 'counts' | 'deadLetters' | 'pauses' | 'fields'> {
    const { policy, pauses, replaying } = this.#parts
    const ignored = [...mapper.ignored.values()].reduce((sum, count) => sum + count, 0)
    const { records, ...settled } = counts
    const known = replaying === undefined ? settled : this.#topics.length === 1 ? replaying.counts : {}
    return {
      counts: { records, ...known, ignored },
      deadLetters: policy.counts.keptOf(name),
      pauses: pauses.of(name),
      fields: mapper.fields && (() => mapper.fields?.all),
    }
  }
}
