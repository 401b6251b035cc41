// Finds the table of each stream of a catalog, the streams that would share one
// (decisions.md#a-table-is-named-by-its-stream-alone), and a user's choices for single streams.

import type { StreamOverride, TablesConfig } from '../config/write/write-load.ts'
import { label, type CatalogStream } from './stream-mapping.ts'
import { nearestName } from '../text/nearest-name.ts'
import { listed } from '../text/printable.ts'
import { tableNameOf } from './table-name.ts'

/** A stream with its table. */
export interface Place {
  readonly facts: CatalogStream
  readonly override: StreamOverride | undefined
  readonly table: string
  /** Why the stream cannot have this table, if so. */
  readonly problem: string | undefined
  /** Why a stream would share its table: the same sentence for all of them, about all of them. */
  readonly clash: string | undefined
}

type Found = Omit<Place, 'problem' | 'clash'>

/** Reserved for rejected records, even if they go elsewhere now. */
const RESERVED_TABLE = 'rejected_records'
/** The most streams of one table that a message names. */
const MOST_NAMED = 4

/** Keeps the order of the streams. Never throws. */
export function placeStreams(streams: readonly CatalogStream[], options: TablesConfig): Place[] {
  const found = streams.map((facts): Found => {
    const override = overrideOf(facts, options.streams)
    return { facts, override, table: override?.table ?? ownTable(facts, options.tablePrefix, options.tableNames) }
  })
  // the service compares names of tables without case
  const groups = Map.groupBy(found, ({ table }) => table.toLowerCase())
  const names = Map.groupBy(streams, ({ name }) => name)
  const clashes = new Map(
    Array.from(groups, ([table, same]) => [
      table,
      same.length > 1 ? clashOf(same, wayOut(same, names, options)) : undefined,
    ]),
  )
  return found.map(({ facts, override, table }) => {
    const problem = reservedProblem(facts, table, options)
    const clash = problem === undefined ? clashes.get(table.toLowerCase()) : undefined
    return { facts, override, table, problem, clash }
  })
}

/** The table without an override. An object's name is complete, so no namespace is added. */
function ownTable(
  { namespace, name, objectName }: CatalogStream,
  prefix: string,
  names: TablesConfig['tableNames'],
): string {
  return tableNameOf(objectName === undefined ? namespace : undefined, objectName ?? name, prefix, names)
}

function reservedProblem(facts: CatalogStream, table: string, { rejectedTable }: TablesConfig): string | undefined {
  const lower = table.toLowerCase()
  const found = `its table would be "${table}", a name reserved for rejected records; choose another: ${overrideFor(facts)}`
  if (lower === RESERVED_TABLE) return `${found}.`
  return lower === rejectedTable?.toLowerCase() ? `${found}, or another table for rejected_records.` : undefined
}

function clashOf(same: readonly Found[], way: string): string {
  const named = same.slice(0, MOST_NAMED).map(({ facts }) => label(facts))
  const more = same.length > MOST_NAMED ? [`${same.length - MOST_NAMED} more`] : []
  return `Streams ${listed([...named, ...more])} share the table "${same[0]!.table}" (compared without case); give one of them another table: ${way}.`
}

/** How to give the streams of one table tables of their own. */
function wayOut(
  same: readonly Found[],
  names: ReadonlyMap<string, readonly CatalogStream[]>,
  options: TablesConfig,
): string {
  // an entry without a namespace would also move streams of the same name in other namespaces
  const alone = same.find(({ facts }) => facts.namespace !== undefined || names.get(facts.name)!.length === 1)
  const hashed = new Set(
    same.map(({ facts, override, table }) =>
      (override?.table === undefined ? ownTable(facts, options.tablePrefix, 'hashed') : table).toLowerCase(),
    ),
  )
  const isOfCase = same.every(
    ({ facts: { name, objectName = name }, override, table }) =>
      override?.table === undefined && table === `${options.tablePrefix}${objectName}`,
  )
  const why =
    options.tableNames === 'hashed' && isOfCase
      ? ' (table_names: hashed adds to altered names only, and these differ in case alone)'
      : ''
  const hint = hashed.size === same.length ? ', or set table_names: hashed' : why
  return overrideFor((alone ?? same[0]!).facts) + hint
}

function overrideFor({ name, namespace }: CatalogStream): string {
  return `streams: ${JSON.stringify([{ name, ...(namespace === undefined ? {} : { namespace }), table: 'another_name' }])}`
}

/** The override for a stream: one with its namespace, otherwise one with its name alone. */
export function overrideOf(
  stream: { readonly name: string; readonly namespace?: string | undefined },
  overrides: readonly StreamOverride[],
): StreamOverride | undefined {
  const named = overrides.filter(({ name }) => name === stream.name)
  return (
    named.find(({ namespace }) => namespace === stream.namespace) ??
    named.find(({ namespace }) => namespace === undefined)
  )
}

/** Sentences about overrides for streams that are not in the catalog: misspelt, or of another connection. */
export function unusedOverrides(
  streams: readonly { readonly name: string; readonly namespace: string | undefined }[],
  overrides: readonly StreamOverride[],
): string[] {
  const used = new Set(streams.map((stream) => overrideOf(stream, overrides)))
  const names = new Set(streams.map(({ name }) => name))
  return overrides
    .filter((override) => !used.has(override))
    .map(({ name, namespace }) => {
      const inNamespace = namespace === undefined ? '' : ` of namespace ${JSON.stringify(namespace)}`
      if (namespace === undefined && names.has(name))
        return `The entry of \`streams\` for ${JSON.stringify(name)} applies to no stream: each of that name has an entry with its namespace.`
      const there = nearestName(name, [...names])
      const has = there === undefined ? '' : ` It has ${JSON.stringify(there)}: did you mean that?`
      return `The entry of \`streams\` for ${JSON.stringify(name)}${inNamespace} matches no stream of this catalog.${has}`
    })
}
