// Which topics of those there are a run reads. Pure.

import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { entryFor } from '../../config/stream/topic-entries.ts'

/** Those that are named, and what patterns take: neither the brokers' own topics nor that of the dead letters.
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
