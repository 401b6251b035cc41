// Which entry of `topics` is a topic's. Pure.

import type { TopicConfig } from './stream-config.ts'

/** The entry that names it, else the first whose pattern matches its whole name; undefined: it is not to be read. */
export function entryFor(topicName: string, topics: readonly TopicConfig[]): TopicConfig | undefined {
  return (
    topics.find(({ topic }) => 'name' in topic && topic.name === topicName) ??
    topics.find(({ topic }) => 'pattern' in topic && topic.pattern.test(topicName))
  )
}
