// Names of topics and patterns for them: which entry of `topics` is a topic's, and which topics would share a table.

/** A pattern is tried on every topic's name: it cannot be long, though a short one may be slow too. */
const MAX_PATTERN = 256

/** What a broker takes as a name. */
export function isTopicName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,249}$/.test(text) && text !== '.' && text !== '..'
}

/** undefined: it can be used. */
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
export function wholeNames(text: string, except: readonly string[]): RegExp {
  const never = [...INTERNAL, ...except].map((name) => name.replaceAll('.', String.raw`\.`))
  return new RegExp(`^(?!(?:${never.join('|')})$)(?:${text})$`, 'u')
}

/** The topics an entry is for: one by its name, or those whose whole names match a pattern, never internal topics nor that of the
 *  dead letters; `text`: as the user wrote it. */
export type TopicChoice = { readonly name: string } | { readonly pattern: RegExp; readonly text: string }

/** The entry that names it, else the first whose pattern matches its whole name; undefined: it is not to be read. */
export function entryFor<T extends { readonly topic: TopicChoice }>(
  topicName: string,
  topics: readonly T[],
): T | undefined {
  return (
    topics.find(({ topic }) => 'name' in topic && topic.name === topicName) ??
    topics.find(({ topic }) => 'pattern' in topic && topic.pattern.test(topicName))
  )
}

/** A topic and what its entry says of its table, or of one of them. */
export interface TableOfTopic {
  readonly topic: string
  /** undefined: the prefix and the topic's name. */
  readonly table: string | undefined
  readonly sharedTable: boolean
}

interface EntryTables extends Omit<TableOfTopic, 'topic'> {
  /** What its route lists; undefined: it has none. */
  readonly values?: Iterable<readonly [value: string, { readonly table?: string | undefined } | undefined]> | undefined
}

/** Of a topic, by its entry. */
export function placesOf(topic: string, { table, sharedTable, values }: EntryTables, prefix: string): TableOfTopic[] {
  if (values === undefined) return [{ topic, table, sharedTable }]
  return Array.from(values, ([value, own]) => ({
    topic,
    table: own?.table ?? comparedName(value, prefix),
    sharedTable,
  }))
}

export interface SharedTable {
  readonly topics: readonly string[]
  /** With what to do about it. */
  readonly problem: string
}

/** Tables are compared without case, as those of streams are (decisions.md#a-table-is-named-by-its-stream-alone). */
export function sharedTables(topics: readonly TableOfTopic[], prefix: string): SharedTable[] {
  const byTable = Map.groupBy(topics, (topic) => (topic.table ?? comparedName(topic.topic, prefix)).toLowerCase())
  return [...byTable.values()]
    .filter((same) => same.some(({ topic }) => topic !== same[0]!.topic) && same.some((one) => !one.sharedTable))
    .map((same) => {
      const names = [...new Set(same.map(({ topic }) => topic))]
      return {
        topics: names,
        problem: `the topics ${listed(names)} have the same table (compared without case): give one of them another \`table\`, or set \`shared_table: true\` in the entry of each`,
      }
    })
}

/** Equal exactly when the tables are equal; a name without letters and digits has a table of its own. */
export function comparedName(topic: string, prefix: string): string {
  const cleaned = (prefix + topic).replaceAll(/[^A-Za-z0-9_]/gu, '_')
  return /[A-Za-z0-9]/.test(topic) ? cleaned : `${topic} alone`
}

function listed(names: readonly string[]): string {
  const quoted = names.slice(0, 5).map((name) => JSON.stringify(name))
  return names.length > 5 ? `${quoted.join(', ')} and ${names.length - 5} more` : quoted.join(' and ')
}
