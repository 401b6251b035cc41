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
  /** Returns those of the found topics that are read. @throws ConnectorError when they cannot be read together */
  readonly check: (topics: readonly string[]) => readonly string[]
  /** Returns names of all topics that this user may see. @throws as soon as `signal` aborts, too */
  readonly listTopics: (signal: AbortSignal) => Promise<readonly string[]>
  readonly log: MemberEvents['log']
}

/** Makes what a group's member asks for the topics to read, at the start and, where there are patterns, again and again. */
export function topicFinder({ kafka, topics, check, listTopics, log }: FinderOptions): TopicFinder {
  return {
    refreshMs: kafka.topicRefreshMs,
    mayChange: topics.some(({ topic }) => 'pattern' in topic),
    async find(signal) {
      const visible = await listTopics(signal)
      const named = topics.flatMap(({ topic }) => ('name' in topic ? [topic.name] : []))
      const missing = named.filter((name) => !visible.includes(name))
      if (missing.length > 0) throw noSuchTopic(missing, visible, kafka.brokers)
      for (const text of await tryPatterns(visible, topics, signal)) log('warn', text, { code: 'topic.pattern-slow' })
      return check(topicsToRead(visible, topics))
    },
  }
}

/** Topics that entries name, and those that patterns match, except the brokers' own (`__…`). No pattern matches the topic of dead letters.
 *  @param visible names of all topics that this user may see
 *  @returns in the order of names */
export function topicsToRead(visible: readonly string[], topics: readonly TopicConfig[]): string[] {
  const isNamed = (name: string): boolean => topics.some(({ topic }) => 'name' in topic && topic.name === name)
  return visible.filter((name) => isNamed(name) || (!name.startsWith('__') && entryFor(name, topics))).toSorted()
}

/** Matches patterns with names that are new, but for those that an entry has: some may take far too long. To be called before `topicsToRead`.
 *  @param signal aborts to wait no longer: what is not tried by then is left out
 *  @returns a sentence for each pattern that takes too long for some names: topics that are not read then */
export async function tryPatterns(
  visible: readonly string[],
  topics: readonly TopicConfig[],
  signal: AbortSignal,
): Promise<string[]> {
  const named = new Set(topics.flatMap(({ topic }) => ('name' in topic ? [topic.name] : [])))
  const patterns = topics.flatMap(({ topic }) => ('pattern' in topic ? [topic] : []))
  const names = ownTopics(visible).filter((name) => !named.has(name))
  const expressions = patterns.map(({ pattern }) => pattern)
  const slow = await tryNames(expressions, names, signal)
  return patterns.flatMap(({ pattern, text }) => {
    const slowNames = slow.get(pattern)
    if (!slowNames) return []
    const found = `Pattern ${JSON.stringify(text)} takes more than ${PATTERN_LIMIT_MS} ms for ${listedNames(slowNames)}, which this process does not read.`
    return [`${found} Write it so that there is one way to match a name, as [^.]+ for (.+)+, or name the topics.`]
  })
}

/** The names without those of the brokers' own topics, which begin with `__`. */
export function ownTopics(visible: readonly string[]): string[] {
  return visible.filter((name) => !name.startsWith('__'))
}

function noSuchTopic(names: readonly string[], visible: readonly string[], brokers: readonly string[]): ConnectorError {
  const shown = names.map((name) => JSON.stringify(name)).join(', ')
  const suggestions = names.map((name) => didYouMean(name, ownTopics(visible))).join('')
  const message = `The brokers ${brokers.join(', ')} have no topic ${shown}, or this user may not see it.${suggestions} Create it, allow this user to describe and read it, or correct topics.`
  return new ConnectorError('config', 'topic.missing', message)
}
