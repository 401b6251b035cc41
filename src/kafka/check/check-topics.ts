// Which topics a run would read of those there are, by names and patterns, and into which tables.

import { nearestName } from '../../text/nearest-name.ts'
import { entryFor, sharedTables } from '../../config/stream/topics.ts'
import type { StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import { counted } from '../../text/figures.ts'
import type { CheckFinding } from './check-report.ts'
import { fail, ok, warn } from './check-report.ts'
import { topicsToRead } from '../source/stream-topics.ts'
import type { MappedTopic, StreamTopics } from '../source/stream-topics.ts'

/** A topic that would be read. */
export interface CheckedTopic {
  readonly name: string
  readonly entry: TopicConfig
  /** undefined: its rows cannot be stored as its entry says. */
  readonly mapper: MappedTopic['mapper'] | undefined
}

export interface CheckedTopics {
  /** By name. */
  readonly topics: readonly CheckedTopic[]
  readonly findings: readonly CheckFinding[]
}

/** @param there names of all topics that may be seen
 *  @param mapped the run's */
export function checkTopics(config: StreamConfig, there: readonly string[], mapped: StreamTopics): CheckedTopics {
  const read = topicsToRead(there, config.topics, config.rejects.topic)
  const findings: CheckFinding[] = []
  const topics = read.map((name): CheckedTopic => {
    const entry = entryFor(name, config.topics)!
    try {
      return { name, entry, mapper: mapped.find(name).mapper }
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error
      findings.push(fail(error.message))
      return { name, entry, mapper: undefined }
    }
  })
  return {
    topics,
    findings: [...named(config, there), ...patterns(config, there, read), ...tables(config, topics), ...findings],
  }
}

function named({ topics }: StreamConfig, there: readonly string[]): CheckFinding[] {
  return topics.flatMap(({ topic }) => {
    if (!('name' in topic) || there.includes(topic.name)) return []
    const near = nearestName(
      topic.name,
      there.filter((name) => !name.startsWith('__')),
    )
    const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
    const found = `There is no topic ${JSON.stringify(topic.name)}, or this user may not see it.${meant}`
    return [fail(`${found} Create it, allow this user to describe and read it, or correct topics.`)]
  })
}

function patterns({ topics, kafka }: StreamConfig, there: readonly string[], read: readonly string[]): CheckFinding[] {
  return topics.flatMap((entry) => {
    const { topic } = entry
    if (!('pattern' in topic)) return []
    const shown = `Pattern "${topic.text}"`
    const taken = read.filter((name) => entryFor(name, topics) === entry)
    if (taken.length > 0) return [ok(`${shown} matches ${counted(taken.length, 'topic')} now.`)]
    const others = there.some((name) => !name.startsWith('__') && topic.pattern.test(name))
    const found = others ? 'those it matches are taken by other entries' : 'none matches'
    const later = `A run looks again every ${kafka.topicRefreshMs / 1000} s.`
    return [warn(`${shown} has no topic now: ${found}. ${later} Correct it if there should be one.`)]
  })
}

function tables({ tablePrefix }: StreamConfig, topics: readonly CheckedTopic[]): CheckFinding[] {
  const all = topics.map(({ name, entry: { table, sharedTable } }) => ({ topic: name, table, sharedTable }))
  return sharedTables(all, tablePrefix).map(({ problem }) => fail(`${problem[0]!.toUpperCase()}${problem.slice(1)}.`))
}
