// Topics that would share a table without having said so. Compares names; mapping makes them. Pure.

/** A topic and what its entry says of its table. */
export interface TableOfTopic {
  readonly topic: string
  /** undefined: the prefix and the topic's name. */
  readonly table: string | undefined
  readonly sharedTable: boolean
}

export interface SharedTable {
  readonly topics: readonly string[]
  /** In words, with the way out. */
  readonly problem: string
}

/** Tables are compared without case, as those of streams are (decisions.md#a-table-is-named-by-its-stream-alone). */
export function sharedTables(topics: readonly TableOfTopic[], prefix: string): SharedTable[] {
  const byTable = Map.groupBy(topics, (topic) => (topic.table ?? nameOf(topic.topic, prefix)).toLowerCase())
  return [...byTable.values()]
    .filter((same) => same.length > 1 && same.some(({ sharedTable }) => !sharedTable))
    .map((same) => {
      const names = same.map(({ topic }) => topic)
      return {
        topics: names,
        problem: `the topics ${listed(names)} have the same table (compared without case): give one of them another \`table\`, or say \`shared_table: true\` in the entry of each`,
      }
    })
}

/** Equal if and only if the tables are: a name without letter or digit has a table of its own. */
function nameOf(topic: string, prefix: string): string {
  const cleaned = (prefix + topic).replaceAll(/[^A-Za-z0-9_]/gu, '_')
  return /[A-Za-z0-9]/.test(topic) ? cleaned : `${topic} alone`
}

function listed(names: readonly string[]): string {
  const quoted = names.slice(0, 5).map((name) => JSON.stringify(name))
  return names.length > 5 ? `${quoted.join(', ')} and ${names.length - 5} more` : quoted.join(' and ')
}
