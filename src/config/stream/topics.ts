// Names of topics and patterns for them: which entry of `topics` is a topic's, and which topics would share a table.

import { NamePattern } from './name-pattern.ts'

/** A pattern is tried on every topic's name: it cannot be long, though a short one may be slow too. */
const MAX_PATTERN = 256

/** Tells whether a broker takes a text as a name. */
export function isTopicName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,249}$/.test(text) && text !== '.' && text !== '..'
}

/** The problem of a pattern. `undefined` when it can be used. */
export function patternProblem(text: string): string | undefined {
  // too_big is reported already
  if (text.length > MAX_PATTERN) return undefined
  try {
    RegExp(text, 'u')
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? (/[^:]*$/.exec(error.message)?.[0] ?? '').trim() : ''
    return `is not a regular expression: ${reason}`
  }
}

/** Kafka's own topics. */
const INTERNAL = ['__consumer_offsets', '__transaction_state', '__share_group_state']

/** For whole names; never internal topics, nor `except`. `text` has no problem. */
export function wholeNames(text: string, except: readonly string[]): NamePattern {
  const never = [...INTERNAL, ...except].map((name) => name.replaceAll('.', String.raw`\.`))
  return new NamePattern(`^(?!(?:${never.join('|')})$)(?:${text})$`)
}

/** The topics an entry is for: one by its name, or those whose whole names match a pattern, never internal topics nor that of the
 *  dead letters; `text`: as the user wrote it. */
export type TopicChoice = { readonly name: string } | { readonly pattern: NamePattern; readonly text: string }

/** The entry that names it, else the first whose pattern matches its whole name. `undefined` when it is not to be
 *  read, or a pattern takes too long for it. */
export function entryFor<T extends { readonly topic: TopicChoice }>(
  topicName: string,
  topics: readonly T[],
): T | undefined {
  const named = topics.find(({ topic }) => 'name' in topic && topic.name === topicName)
  if (named) return named
  for (const entry of topics) {
    const isIts = 'pattern' in entry.topic && entry.topic.pattern.test(topicName)
    if (isIts !== false) return isIts && entry
  }
  return undefined
}

/** A topic and its table, or one of them. */
export interface TableOfTopic {
  readonly topic: string
  readonly table: string
  readonly sharedTable: boolean
}

interface EntryTables {
  readonly table: string | undefined
  readonly sharedTable: boolean
  readonly route: { readonly tables: Iterable<readonly [string, { readonly table: string | undefined }]> } | undefined
}

/** Tables of a topic by its entry: its own, or those that its route lists. */
export function tablesOf(topic: string, { table, sharedTable, route }: EntryTables, prefix: string): TableOfTopic[] {
  return Array.from(route?.tables ?? [[topic, { table }] as const], ([name, own]) => {
    return { topic, table: own.table ?? comparedName(name, prefix), sharedTable }
  })
}

/** Tables are compared without case, as those of streams are (decisions.md#a-table-is-named-by-its-stream-alone).
 *  @returns for each table that topics must not share, the entries that have it, and what to do about it */
export function sharedTables<T extends TableOfTopic>(
  tables: readonly T[],
): { readonly entries: readonly T[]; readonly problem: string }[] {
  return [...Map.groupBy(tables, ({ table }) => table.toLowerCase()).values()]
    .filter((same) => same.some(({ topic }) => topic !== same[0]!.topic) && same.some((one) => !one.sharedTable))
    .map((entries) => {
      const names = listedNames([...new Set(entries.map(({ topic }) => topic))])
      const way = 'give one of them another `table`, or set `shared_table: true` in the entry of each'
      return { entries, problem: `the topics ${names} have the same table (compared without case): ${way}` }
    })
}

/** Equal exactly when the tables are equal; a name without letters and digits has a table of its own. */
export function comparedName(topic: string, prefix: string): string {
  const cleaned = (prefix + topic).replaceAll(/[^A-Za-z0-9_]/gu, '_')
  return /[A-Za-z0-9]/.test(topic) ? cleaned : `${topic} alone`
}

/** Quoted, up to a bound. */
export function listedNames(names: readonly string[]): string {
  const quoted = names.slice(0, 5).map((name) => JSON.stringify(name))
  return names.length > 5 ? `${quoted.join(', ')} and ${names.length - 5} more` : quoted.join(' and ')
}
