// Finds the table of each stream of a catalog, the streams that would share one
// (decisions.md#a-table-is-named-by-its-stream-alone), and a user's choices for single streams.

import type { StreamOverride, TablesConfig } from '../config/write/write-load.ts'
import { label, type CatalogStream } from './stream-mapping.ts'
import { nearestName } from '../text/nearest-name.ts'
import { listed } from '../text/printable.ts'
import { tableNameOf } from './table-name.ts'

/** A stream with its table. */
export interface Place {
  /** The stream as the catalog describes it. */
  readonly facts: CatalogStream
  readonly override: StreamOverride | undefined
  readonly table: string
  /** Why the stream cannot have this table, whatever tables others have. `undefined` when it can. */
  readonly problem: string | undefined
  /** A sentence about all streams that would share this table, the same for each. `undefined` when it is the only one, or has a problem. */
  readonly clash: string | undefined
}

/** The table that a stream would have, before those of others are looked at. */
type Chosen = Omit<Place, 'problem' | 'clash'>

/** Reserved for rejected records, even if they go elsewhere now. */
const RESERVED_TABLE = 'rejected_records'
/** The most streams of one table that a message names. */
const MOST_NAMED = 4

/** Finds the table of each stream. Keeps the order of the streams. Never throws. */
export function placeStreams(streams: readonly CatalogStream[], options: TablesConfig): Place[] {
  const chosen = streams.map((facts): Chosen => {
    const override = overrideOf(facts, options.streams)
    return { facts, override, table: override?.table ?? ownTable(facts, options.tablePrefix, options.tableNames) }
  })
  // the service compares names of tables without case
  const byTable = Map.groupBy(chosen, ({ table }) => table.toLowerCase())
  const byName = Map.groupBy(streams, ({ name }) => name)
  const clashes = new Map(
    Array.from(byTable, ([table, sharers]) => [
      table,
      sharers.length > 1 ? clashOf(sharers, remedyFor(sharers, byName, options)) : undefined,
    ]),
  )
  return chosen.map(({ facts, override, table }) => {
    const problem = reservedProblem(facts, table, options)
    const clash = problem === undefined ? clashes.get(table.toLowerCase()) : undefined
    return { facts, override, table, problem, clash }
  })
}

/** The table without an override. destination_object_name (`objectName`) stands in place of the namespace and the stream's name.
 *  @param names `hashed`: a table whose name is not just that of its stream ends in digits of a hash; `refuse`: it does not */
function ownTable(
  { namespace, name, objectName }: CatalogStream,
  prefix: string,
  names: TablesConfig['tableNames'],
): string {
  return tableNameOf(objectName === undefined ? namespace : undefined, objectName ?? name, prefix, names)
}

function reservedProblem(facts: CatalogStream, table: string, { rejectedTable }: TablesConfig): string | undefined {
  const lower = table.toLowerCase()
  const problem = `its table would be "${table}", a name reserved for rejected records; choose another: ${movingEntry(facts)}`
  if (lower === RESERVED_TABLE) return `${problem}.`
  return lower === rejectedTable?.toLowerCase() ? `${problem}, or another table for rejected_records.` : undefined
}

function clashOf(sharers: readonly Chosen[], remedy: string): string {
  const named = sharers.slice(0, MOST_NAMED).map(({ facts }) => label(facts))
  const others = sharers.length > MOST_NAMED ? [`${sharers.length - MOST_NAMED} more`] : []
  return `Streams ${listed([...named, ...others])} share the table "${sharers[0]!.table}" (compared without case); give one of them another table: ${remedy}.`
}

/** Says how to give the streams of one table tables of their own. */
function remedyFor(
  sharers: readonly Chosen[],
  byName: ReadonlyMap<string, readonly CatalogStream[]>,
  options: TablesConfig,
): string {
  // a stream that an entry moves alone: an entry without a namespace moves all streams of its name
  const movable = sharers.find(({ facts }) => facts.namespace !== undefined || byName.get(facts.name)!.length === 1)
  const tablesIfHashed = new Set(
    sharers.map(({ facts, override, table }) =>
      (override?.table === undefined ? ownTable(facts, options.tablePrefix, 'hashed') : table).toLowerCase(),
    ),
  )
  // their tables have their own names behind the prefix, which `hashed` leaves as they are
  const differInCaseAlone = sharers.every(
    ({ facts: { name, objectName = name }, override, table }) =>
      override?.table === undefined && table === `${options.tablePrefix}${objectName}`,
  )
  const whyNot =
    options.tableNames === 'hashed' && differInCaseAlone
      ? ' (table_names: hashed adds to altered names only, and these differ in case alone)'
      : ''
  const hint = tablesIfHashed.size === sharers.length ? ', or set table_names: hashed' : whyNot
  return movingEntry((movable ?? sharers[0]!).facts) + hint
}

/** An entry of the configuration that moves the stream to another table. */
function movingEntry({ name, namespace }: CatalogStream): string {
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
      const near = nearestName(name, [...names])
      const meant = near === undefined ? '' : ` It has ${JSON.stringify(near)}: did you mean that?`
      return `The entry of \`streams\` for ${JSON.stringify(name)}${inNamespace} matches no stream of this catalog.${meant}`
    })
}
