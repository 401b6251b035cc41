// Checks the option `route` of a topic's entry against the entry's other options. Never quotes a value.

import { withoutUndefined } from '../config-of.ts'
import { shownName, type Findings } from '../findings.ts'
import { listed } from '../../text/printable.ts'
import type { Partly } from '../read-tree.ts'
import type { StreamOptions } from './stream-options.ts'
import type { TopicEntry } from './topic-options.ts'
import { comparedName } from './shared-tables.ts'

type RouteOptions = Partly<NonNullable<StreamOptions['topics'][number]['route']>>

/** Members of `by`, of which a route has one. */
const WAYS = ['field', 'header', 'schema', 'stream', 'source'] as const

/** Checks the route of one entry, if it has one.
 *  @param prefix of all tables
 *  @param keepsLetters whether `dead_letters` gives dead letters a place to go */
export function checkRoute(entry: TopicEntry, prefix: string, keepsLetters: boolean, findings: Findings): void {
  const { at, options, isGiven } = entry
  const { route, format, value_encoding: encoding } = options
  if (route === undefined) return
  const path = [...at, 'route']
  checkBy(route, path, findings)
  const { by = {}, tables, any, others } = route
  if (by.schema !== undefined && encoding === 'text')
    findings.add([...path, 'by', 'schema'], 'needs a schema: set `value_encoding: registry`')
  if (by.stream && format !== 'airbyte')
    findings.add([...path, 'by', 'stream'], 'needs the format airbyte: other records have no stream')
  if (by.source && format !== 'debezium')
    findings.add([...path, 'by', 'source'], 'needs the format debezium: other records have no source table')
  if (Object.keys(tables ?? {}).length === 0 && any === undefined && !findings.has([...path, 'any']))
    findings.add(path, 'needs `tables`, `any` or both')
  for (const option of ['table', 'stream', 'namespace'])
    if (isGiven(option)) findings.add([...at, option], 'cannot be combined with `route`, which names the tables')
  if (isGiven('pattern') && options.shared_table === false)
    findings.add(path, 'would be that of every topic the pattern matches: add `shared_table: true` for that')
  if (others === 'dead-letter' && !keepsLetters)
    findings.add([...path, 'others'], 'is dead-letter, but `dead_letters` is not set: add it')
  checkNames(route, path, prefix, findings)
}

function checkBy({ by = {} }: RouteOptions, path: TopicEntry['at'], findings: Findings): void {
  const pathOfBy = [...path, 'by']
  const given = findings.given(WAYS, by, pathOfBy)
  const found = given.length === 0 ? '' : `, found ${listed(given, 'and')} together: keep one`
  if (given.length !== 1)
    findings.add(
      pathOfBy,
      `must be one of { field: NAME }, { header: NAME }, { schema: name }, { stream: true }, { source: true }${found}`,
    )
}

/** Checks that no two values get the same table, unless the route writes it for both, alike. Names are compared without case. */
function checkNames({ tables = {} }: RouteOptions, path: TopicEntry['at'], prefix: string, findings: Findings): void {
  const firstOf = new Map<string, { readonly value: string; readonly table: string; readonly isWritten: boolean }>()
  if (Object.hasOwn(tables, '')) findings.add([...path, 'tables'], 'lists the empty text, which can name no table')
  for (const [value, options] of Object.entries(tables)) {
    const table = options?.table ?? comparedName(value, prefix)
    const isWritten = options?.table !== undefined
    const other = firstOf.get(table.toLowerCase())
    if (other === undefined) firstOf.set(table.toLowerCase(), { value, table, isWritten })
    else if (!other.isWritten || !isWritten || other.table !== table) {
      const differs = table === other.table ? '' : `, which is "${shownName(other.table)}" but for case`
      findings.add(
        [...path, 'tables', value],
        `has the table "${shownName(table)}"${differs}, that of \`${shownName(other.value)}\`: write one \`table\` alike in both, or choose another table`,
      )
    }
  }
}

/** Makes one entry for each table that a route lists, with the options of the table, and else those of the entry. The entry itself comes
 *  first where its own keys may be used: by tables of `any`, or by listed ones without keys. An entry without a route is returned alone. */
export function tableEntries(entry: TopicEntry): readonly TopicEntry[] {
  const { at, options, isGiven } = entry
  const { route } = options
  if (route === undefined) return [entry]
  const listed = Object.entries(route.tables ?? {}).map(([value, table = {}]): TopicEntry => {
    const tableOptions = withoutUndefined(table)
    return {
      at: [...at, 'route', 'tables', value],
      options: { ...options, ...tableOptions },
      isGiven: (option) => Object.hasOwn(tableOptions, option) || (option === 'keys' && isGiven(option)),
    }
  })
  return route.any !== undefined || isGiven('keys') ? [entry, ...listed] : listed
}

/** Checks the option `tombstones` of one table: a tombstone has no value, so only a header can name its table.
 *  @param entry the one that has the route
 *  @param table as `tableEntries` makes it */
export function checkRoutedTombstones(entry: TopicEntry, table: TopicEntry, findings: Findings): void {
  const { at, options, isGiven } = table
  const by = entry.options.route?.by
  if (by === undefined || by.header !== undefined) return
  const path = [...at, 'tombstones']
  if (options.tombstones === 'mark')
    findings.add(path, 'can be mark only where a header names the table: a record key names a row, not its table')
  // those of the entry have an effect: they are what becomes of all tombstones of the topic
  else if (at !== entry.at && isGiven('tombstones'))
    findings.warn(path, 'has no effect: a tombstone has no value that names its table')
}
