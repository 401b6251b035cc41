// Which entry of `topics` a topic belongs to: the one that names it, else the first one whose pattern matches its name.

import { NamePattern } from './name-pattern.ts'

/** Kafka's own topics. */
const INTERNAL = ['__consumer_offsets', '__transaction_state', '__share_group_state']

/** Makes a pattern for whole names of topics, which never matches internal topics nor those of `except`.
 *  @param text a regular expression that `pattern` of topic-options.ts takes */
export function wholeNames(text: string, except: readonly string[]): NamePattern {
  const never = [...INTERNAL, ...except].map((name) => name.replaceAll('.', String.raw`\.`))
  return new NamePattern(`^(?!(?:${never.join('|')})$)(?:${text})$`)
}

/** The topics of one entry: the one of that name, or all whose whole names match the pattern. `text` is the pattern as the user wrote
 *  it. */
export type TopicChoice = { readonly name: string } | { readonly pattern: NamePattern; readonly text: string }

/** Finds a topic's entry. `undefined` when no entry takes the topic, or one of the patterns tried for it takes too long. */
export function entryFor<Entry extends { readonly topic: TopicChoice }>(
  topicName: string,
  entries: readonly Entry[],
): Entry | undefined {
  const named = entries.find(({ topic }) => 'name' in topic && topic.name === topicName)
  if (named) return named
  for (const entry of entries) {
    const answer = 'pattern' in entry.topic ? entry.topic.pattern.test(topicName) : 'differs'
    if (answer === 'matches') return entry
    // a pattern behind it may match, but this one comes first
    if (answer === 'too slow') return undefined
  }
  return undefined
}
