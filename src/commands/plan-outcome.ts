// What a catalog would become, as the one object that `plan --json` prints, whose members keep their names. It is made by the very steps
// that `write` begins with, so that both agree. Reads no file, prints nothing.

import type { TablesConfig } from '../config/write/write-load.ts'
import type { Code, Coded } from '../core/codes.ts'
import { adviceOn } from '../mapping/advice.ts'
import { mapEachStream, refusalsOf, type Refusal } from '../mapping/map-streams.ts'
import { RAW_ID } from '../mapping/reserved.ts'
import type { CatalogStream, StreamMapping } from '../mapping/stream-mapping.ts'
import { unusedOverrides } from '../mapping/table-places.ts'

export interface Plan {
  readonly streams: readonly PlannedStream[]
  /** Refused streams in the catalog's order; a stream refused for its records alone stands in `streams` too. */
  readonly refused: readonly RefusedStream[]
  /** The refused streams again, by what is to be changed: those that would share a table are one fault. */
  readonly faults: readonly (Coded & { readonly streams: readonly Identity[] })[]
  /** What is wrong with the files themselves: it keeps a write from beginning, whatever its streams. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** Problems, faults and warnings again, with their codes. */
  readonly findings: readonly PlanFinding[]
}

/** A finding as `check` prints them. */
type PlanFinding = ReturnType<typeof finding>

export type Identity = ReturnType<typeof identityOf>
export type PlannedStream = ReturnType<typeof planned>
type RefusedStream = ReturnType<typeof refusal>

function failure({ code, text }: Coded): PlanFinding {
  return finding('FAIL', code, text)
}

function configWarning(text: string): PlanFinding {
  return finding('warn', 'config.warning', text)
}

/** Plans each stream of a catalog.
 *  @param problems of the files that the catalog and the options come from
 *  @param warnings of the same */
export function planOf(
  catalog: readonly CatalogStream[],
  tables: TablesConfig,
  problems: readonly Coded[],
  warnings: readonly string[],
): Plan {
  const mapped = mapEachStream(catalog, tables)
  const streams = mapped.flatMap(({ facts, mapping }) => (mapping ? [planned(facts, mapping)] : []))
  const faults = faultsOf(mapped)
  const overrideWarnings = unusedOverrides(catalog, tables.streams)
  return {
    streams,
    refused: mapped.flatMap(({ facts, table, mapping, refused }) => {
      const reason = refused ?? mapping?.refusedRecords
      return reason === undefined ? [] : [refusal(facts, table, reason, refused === undefined)]
    }),
    faults: faults.map(({ text, code, streams }) => ({ text, code, streams: streams.map(identityOf) })),
    problems: problems.map(({ text }) => text),
    warnings: [...warnings, ...overrideWarnings],
    findings: [
      ...problems.map(failure),
      ...warnings.map(configWarning),
      ...faults.map(failure),
      ...overrideWarnings.map(configWarning),
      ...streams.flatMap((stream) => stream.warnings.map((text) => streamWarning(stream, text))),
    ],
  }
}

/** Returns what is to be changed, in the catalog's order: for refused streams, and for those of which only records are refused. */
function faultsOf(mapped: ReturnType<typeof mapEachStream>): Refusal[] {
  const onlyRecords = mapped.flatMap(({ facts, mapping }): Refusal[] => {
    if (mapping?.refusedRecords === undefined) return []
    // a sentence of its own, with the stream's name
    const text = `${mapping.refusedRecords} A run without records for it (a Clear) would pass.`
    return [{ text, code: 'stream.records-refused', streams: [facts] }]
  })
  const positions = new Map(mapped.map(({ facts }, index) => [facts, index]))
  const positionOf = ({ streams }: Refusal): number => positions.get(streams[0]!)!
  return [...refusalsOf(mapped), ...onlyRecords].toSorted((one, other) => positionOf(one) - positionOf(other))
}

/** The finding of a warning about a stream, which it names unless the text begins with its name. */
function streamWarning(stream: PlannedStream, text: string): PlanFinding {
  return finding('warn', 'catalog.warning', text.startsWith('Stream ') ? text : `Stream ${fullName(stream)}: ${text}`)
}

function finding(level: 'FAIL' | 'warn', code: Code, message: string) {
  return { level, code, message }
}

/** A stream that a run would refuse, as a plan tells it. @param reason all reasons, and what to change
 *  @param onlyRecords whether a run without records for it (as when a platform clears or resets it) would pass */
function refusal(facts: CatalogStream, table: string, reason: string, onlyRecords: boolean) {
  return {
    ...identityOf(facts),
    table,
    mode: facts.destinationSyncMode ?? null,
    reason,
    only_with_records: onlyRecords,
  }
}

function planned(facts: CatalogStream, mapping: StreamMapping) {
  const { renamed, softDeletes, warnings } = adviceOn(facts, mapping)
  return {
    ...identityOf(facts),
    table: mapping.table.name,
    mode: facts.destinationSyncMode!,
    // the fields each point names in `keys`
    keys: mapping.row === 'record' ? [RAW_ID] : mapping.key.map(({ field }) => field),
    // what identifies a row, in words
    row: mapping.words,
    // key fields that are copies of nested values
    hoisted: mapping.key.filter(({ path }) => path.length > 1),
    // fields the connector adds
    columns: mapping.columns.map(({ name }) => name),
    renamed,
    // the field that marks deleted rows, which stay
    soft_deletes: softDeletes ?? null,
    older_rows: mapping.olderRows,
    // members that may hold values of several types
    type_unions: facts.unions,
    // a refusal says it all
    warnings: [...(mapping.refusedRecords === undefined ? mapping.warnings : []), ...warnings],
  }
}

function identityOf({ namespace, name }: CatalogStream): { namespace: string | null; stream: string } {
  return { namespace: namespace ?? null, stream: name }
}

/** The namespace and the name of a stream, as people write them. */
export function fullName({ namespace, stream }: Identity): string {
  return namespace === null ? stream : `${namespace}.${stream}`
}
