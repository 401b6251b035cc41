// Finds topics that would share a table, and says what to do about it.

/** A topic and its table, or one of its tables. */
export interface TableOfTopic {
  readonly topic: string
  readonly table: string
  /** Whether its entry allows other topics in the table. */
  readonly sharedTable: boolean
}

/** The options of a topic's entry that say which tables it has. */
interface EntryTables {
  readonly table: string | undefined
  readonly sharedTable: boolean
  readonly route: { readonly tables: Iterable<readonly [string, { readonly table: string | undefined }]> } | undefined
}

/** Lists the tables of a topic by its entry: its one table, or those that its route lists. */
export function tablesOf(topic: string, { table, sharedTable, route }: EntryTables, prefix: string): TableOfTopic[] {
  return Array.from(route?.tables ?? [[topic, { table }] as const], ([name, options]) => {
    return { topic, table: options.table ?? comparedName(name, prefix), sharedTable }
  })
}

/** Finds tables that several topics have although the entry of at least one does not allow it. Compares them without case, as those of
 *  streams are compared (decisions.md#a-table-is-named-by-its-stream-alone).
 *  @returns for each such table all that have it, and a clause that says so and what to do */
export function sharedTables<Entry extends TableOfTopic>(
  tables: readonly Entry[],
): { readonly entries: readonly Entry[]; readonly problem: string }[] {
  return [...Map.groupBy(tables, ({ table }) => table.toLowerCase()).values()]
    .filter((same) => same.some(({ topic }) => topic !== same[0]!.topic) && same.some((one) => !one.sharedTable))
    .map((entries) => {
      const names = listedNames([...new Set(entries.map(({ topic }) => topic))])
      const way = 'give one of them another `table`, or set `shared_table: true` in the entry of each'
      return { entries, problem: `the topics ${names} have the same table (compared without case): ${way}` }
    })
}

/** Makes a name for comparisons: two are equal exactly when the tables are that the mapping makes (`topicTableName`).
 *  @param name of the topic, or the value of a route */
export function comparedName(name: string, prefix: string): string {
  // a name without letters and digits has a table of its own, and so its own text here, because no table's name has a space
  return /[A-Za-z0-9]/.test(name) ? (prefix + name).replaceAll(/[^A-Za-z0-9_]/gu, '_') : `${name} alone`
}

/** Lists at most five names, quoted, and how many more there are. */
export function listedNames(names: readonly string[]): string {
  const quoted = names.slice(0, 5).map((name) => JSON.stringify(name))
  return names.length > 5 ? `${quoted.join(', ')} and ${names.length - 5} more` : quoted.join(' and ')
}
