// The topics a run reads: which of those there are, and for each its mapper and its counts, made when it is first met.

import type { MemberEvents } from '../types.ts'
import type { KafkaConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { PATTERN_LIMIT_MS, tryNames } from '../../config/stream/name-pattern.ts'
import { listedNames, sharedTables, tablesOf } from '../../config/stream/shared-tables.ts'
import type { TableOfTopic } from '../../config/stream/shared-tables.ts'
import { entryFor } from '../../config/stream/topic-choice.ts'
import { ConnectorError } from '../../core/errors.ts'
import { didYouMean } from '../../text/nearest-name.ts'
import type { TopicFinder } from '../client/group-member.ts'
import type { KafkaOrigin } from './kafka-origin.ts'
import { topicEncoding } from '../topics/topic-encoding.ts'
import type { TopicEncoding } from '../topics/topic-encoding.ts'
import { TopicMapper } from '../topics/topic-mapper.ts'
import type { WarnOf } from '../topics/topic-plan.ts'
import type { TopicShared } from '../topics/topic-tables.ts'

/** Counts of what became of records, of a topic or of a whole replay. */
export interface SettledCounts {
  written: number
  rejected: number
}

export interface MappedTopic {
  readonly name: string
  readonly entry: TopicConfig
  readonly mapper: TopicMapper<KafkaOrigin>
  /** The encoding that makes its records JSON. `undefined` when they are. */
  readonly encoding: TopicEncoding | undefined
  /** Since the start, whatever becomes of partitions. */
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
  /** Topics that are not read, and were named already. */
  readonly #left = new Set<string>()

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

  /** @param names of all that are to be read
   *  @returns those that can be: no topic that is new since the first call ends a run, but is left out and named once
   *  @throws ConnectorError config when some would share a table without `shared_table`, or one cannot be stored */
  check(names: readonly string[]): readonly string[] {
    const fresh = new Set(this.#isChecked ? names.filter((name) => !this.#topics.has(name)) : [])
    const left = new Set<string>()
    for (const { entries, problem } of sharedTables(names.flatMap((name) => this.#tablesOf(name)))) {
      const own = new Set(entries.map(({ topic }) => topic).filter((name) => fresh.has(name)))
      const error = tablesMeet(problem)
      if (own.size === 0) throw error
      // of two that are new none is read, as other processes may have met them in another order
      for (const name of own) this.#leave(name, error, left)
    }
    for (const name of names)
      try {
        if (!left.has(name)) this.find(name)
      } catch (error) {
        if (!(error instanceof ConnectorError) || !fresh.has(name)) throw error
        this.#leave(name, error, left)
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

  #leave(name: string, { code, message }: ConnectorError, left: Set<string>): void {
    left.add(name)
    if (this.#left.has(name)) return
    this.#left.add(name)
    const found = `This process does not read the new topic ${JSON.stringify(name)}.`
    this.#log('warn', `${found} ${message}`, { code: code! })
  }

  /** @throws ConnectorError config when it cannot be stored as its entry says */
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
}

function tablesMeet(problem: string): ConnectorError {
  return new ConnectorError('config', 'topic.tables-meet', `The topics cannot be written as they are: ${problem}.`)
}

/** Topics that are named, and those that patterns match, except the brokers' own and the topic of dead letters.
 *  @param there names of all topics that may be seen
 *  @returns in the order of names */
export function topicsToRead(
  there: readonly string[],
  topics: readonly TopicConfig[],
  deadLetters: string | undefined,
): string[] {
  const isNamed = (name: string): boolean => topics.some(({ topic }) => 'name' in topic && topic.name === name)
  return there
    .filter((name) => isNamed(name) || (!name.startsWith('__') && name !== deadLetters && entryFor(name, topics)))
    .toSorted()
}

/** Has patterns try the names that are new, but for those that are named.
 *  @param signal aborts to wait no longer: what is not tried by then is left out
 *  @returns a sentence for each pattern that takes too long for some: topics that are not read then
 *  @throws when there can be no further thread */
export async function tryPatterns(
  there: readonly string[],
  topics: readonly TopicConfig[],
  signal: AbortSignal,
): Promise<string[]> {
  const named = new Set(topics.flatMap(({ topic }) => ('name' in topic ? [topic.name] : [])))
  const patterns = topics.flatMap(({ topic }) => ('pattern' in topic ? [topic] : []))
  const names = ownTopics(there).filter((name) => !named.has(name))
  const all = patterns.map(({ pattern }) => pattern)
  const slow = await tryNames(all, names, signal)
  return patterns.flatMap(({ pattern, text }) => {
    const own = slow.get(pattern)
    if (!own) return []
    const found = `Pattern ${JSON.stringify(text)} takes more than ${PATTERN_LIMIT_MS} ms for ${listedNames(own)}, which this process does not read.`
    return [`${found} Write it so that there is one way to match a name, as [^.]+ for (.+)+, or name the topics.`]
  })
}

export interface FinderOptions {
  readonly kafka: Pick<KafkaConfig, 'brokers' | 'topicRefreshMs'>
  readonly topics: readonly TopicConfig[]
  /** The topic of dead letters, which no pattern takes. */
  readonly deadLetters: string | undefined
  /** @returns those that are read @throws ConnectorError when these topics cannot be read together */
  readonly check: (topics: readonly string[]) => readonly string[]
  /** Names of all topics that may be seen. @throws as soon as `signal` aborts, too */
  readonly listTopics: (signal: AbortSignal) => Promise<readonly string[]>
  readonly log: MemberEvents['log']
}

/** Finds the topics that a run reads. */
export function topicFinder({ kafka, topics, deadLetters, check, listTopics, log }: FinderOptions): TopicFinder {
  return {
    refreshMs: kafka.topicRefreshMs,
    mayChange: topics.some(({ topic }) => 'pattern' in topic),
    async find(signal) {
      const there = await listTopics(signal)
      const missing = topics.flatMap(({ topic }) =>
        'name' in topic && !there.includes(topic.name) ? [topic.name] : [],
      )
      if (missing.length > 0) throw noSuchTopic(missing, there, kafka.brokers)
      for (const text of await tryPatterns(there, topics, signal)) log('warn', text, { code: 'topic.pattern-slow' })
      return check(topicsToRead(there, topics, deadLetters))
    },
  }
}

/** Without those of Kafka itself. */
export function ownTopics(there: readonly string[]): string[] {
  return there.filter((name) => !name.startsWith('__'))
}

function noSuchTopic(topics: readonly string[], there: readonly string[], brokers: readonly string[]): ConnectorError {
  const names = topics.map((topic) => JSON.stringify(topic)).join(', ')
  const meant = topics.map((topic) => didYouMean(topic, ownTopics(there))).join('')
  return new ConnectorError(
    'config',
    'topic.missing',
    `The brokers ${brokers.join(', ')} have no topic ${names}, or this user may not see it.${meant} Create it, allow this user to describe and read it, or correct topics.`,
  )
}
