// Which topics of the cluster a run reads: those that entries name, and those that patterns match.

import type { KafkaConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { listedNames } from '../../config/stream/shared-tables.ts'
import { entryFor, PATTERN_LIMIT_MS, tryNames } from '../../config/stream/topic-choice.ts'
import { ConnectorError } from '../../core/errors.ts'
import { didYouMean } from '../../text/nearest-name.ts'
import type { TopicFinder } from '../client/group-member.ts'
import type { MemberEvents } from '../types.ts'

export interface FinderOptions {
  readonly kafka: Pick<KafkaConfig, 'brokers' | 'topicRefreshMs'>
  readonly topics: readonly TopicConfig[]
  /** @returns those that are read @throws ConnectorError when these topics cannot be read together */
  readonly check: (topics: readonly string[]) => readonly string[]
  /** Names of all topics that may be seen. @throws as soon as `signal` aborts, too */
  readonly listTopics: (signal: AbortSignal) => Promise<readonly string[]>
  readonly log: MemberEvents['log']
}

export function topicFinder({ kafka, topics, check, listTopics, log }: FinderOptions): TopicFinder {
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
      return check(topicsToRead(there, topics))
    },
  }
}

/** Topics that are named, and those that patterns match, except the brokers' own. (No pattern matches the topic of dead letters.)
 *  @param there names of all topics that may be seen
 *  @returns in the order of names */
export function topicsToRead(there: readonly string[], topics: readonly TopicConfig[]): string[] {
  const isNamed = (name: string): boolean => topics.some(({ topic }) => 'name' in topic && topic.name === name)
  return there.filter((name) => isNamed(name) || (!name.startsWith('__') && entryFor(name, topics))).toSorted()
}

/** Has patterns try the names that are new, but for those that are named.
 *  @param signal aborts to wait no longer: what is not tried by then is left out
 *  @returns a sentence for each pattern that takes too long for some: topics that are not read then */
export async function tryPatterns(
  there: readonly string[],
  topics: readonly TopicConfig[],
  signal: AbortSignal,
): Promise<string[]> {
  const named = new Set(topics.flatMap(({ topic }) => ('name' in topic ? [topic.name] : [])))
  const patterns = topics.flatMap(({ topic }) => ('pattern' in topic ? [topic] : []))
  const names = ownTopics(there).filter((name) => !named.has(name))
  const slow = await tryNames(
    patterns.map(({ pattern }) => pattern),
    names,
    signal,
  )
  return patterns.flatMap(({ pattern, text }) => {
    const slowNames = slow.get(pattern)
    if (!slowNames) return []
    const found = `Pattern ${JSON.stringify(text)} takes more than ${PATTERN_LIMIT_MS} ms for ${listedNames(slowNames)}, which this process does not read.`
    return [`${found} Write it so that there is one way to match a name, as [^.]+ for (.+)+, or name the topics.`]
  })
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
