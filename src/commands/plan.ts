// `plan`: what a catalog would become, before any data moves. Connects to nothing.

import { parseCatalog } from '../airbyte/catalog.ts'
import { configProblems, defaultConfig, readWriteConfig } from '../config/write/write-load.ts'
import { readFileText } from '../config/read-file.ts'
import type { TablesConfig } from '../config/write/write-load.ts'
import type { Code, Coded } from '../core/codes.ts'
import { asConnectorError } from '../core/errors.ts'
import { singleLine } from '../json/strings.ts'
import { adviceOn } from '../mapping/advice.ts'
import { shown } from '../mapping/key-fields.ts'
import { mapEachStream, refusalsOf } from '../mapping/map-streams.ts'
import { RAW_ID } from '../mapping/reserved.ts'
import type { CatalogStream, StreamMapping } from '../mapping/stream-mapping.ts'
import { unusedOverrides } from '../mapping/table-places.ts'
import type { Ended, Io } from '../process/io.ts'
import { codedText, paintFor } from '../process/paint.ts'
import type { Paint } from '../process/paint.ts'
import type { Scrubber } from '../secrets/scrubber.ts'
import { previewText } from '../telemetry/dry-run/preview-text.ts'
import { scrubbed } from '../telemetry/summary/summary-scrub.ts'
import { asSentence, wrap } from '../text/printable.ts'

export interface PlanOptions {
  readonly catalogFile: string
  /** `undefined` when every option has its default. */
  readonly configFile: string | undefined
  readonly json: boolean
}

/** @returns 1 exactly when `write` would refuse, given at least one record a stream; else 0 */
export async function plan(
  options: PlanOptions,
  io: Pick<Io, 'stdout' | 'columns' | 'scrubber' | 'env' | 'isDumb'>,
): Promise<Ended> {
  // before it is laid out, which breaks lines and cuts words
  const made = scrubbed(await makePlan(options, io.scrubber), io.scrubber.scrub)
  const paint = paintFor(io, io.columns !== undefined)
  const text = options.json ? `${singleLine(made)}\n` : planText(made, io.columns ?? Infinity, paint)
  // a reader that takes only the first lines does not change the verdict
  await io.stdout.write(text).catch(() => {})
  return made.problems.length + made.refused.length > 0 ? 1 : 0
}

async function makePlan({ catalogFile, configFile }: PlanOptions, scrubber: Scrubber): Promise<Plan> {
  const problems: Coded[] = []
  const attempt = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      const { code = 'program.fault', message } = asConnectorError(error)
      problems.push({ code, text: message })
      return undefined
    }
  }
  const chosen = await attempt(() => choicesOf(configFile, scrubber))
  const catalog = await attempt(async () => parseCatalog(await readFileText(catalogFile, '--catalog')))
  if (chosen?.problem !== undefined) problems.push(chosen.problem)
  const warnings = chosen?.warnings ?? []
  const made =
    catalog && chosen?.tables
      ? planOf(catalog, chosen.tables, warnings)
      : { streams: [], refused: [], faults: [], findings: [], problems: [], warnings }
  const given = [...problems.map(({ code, text }) => finding('FAIL', code, text)), ...oddities(warnings)]
  return { ...made, problems: problems.map(({ text }) => text), findings: [...given, ...made.findings] }
}

interface Choices {
  /** Known also when something else of the file is wrong. */
  readonly tables: TablesConfig | undefined
  readonly problem: Coded | undefined
  readonly warnings: readonly string[]
}

async function choicesOf(file: string | undefined, scrubber: Scrubber): Promise<Choices> {
  if (file === undefined) return { tables: defaultConfig().tables, problem: undefined, warnings: [] }
  const { tables, problems, code, warnings, secrets } = readWriteConfig(await readFileText(file, '--config'))
  scrubber.learn(secrets)
  const problem = problems.length === 0 ? undefined : { code, text: configProblems(problems) }
  return {
    tables,
    problem,
    warnings: warnings.map((warning) => `in the configuration: ${asSentence(warning)}`),
  }
}

// A plan for people. Names are in quotes in sentences, and bare in the table and in headings. Decides nothing.

/** @returns as `previewText` */
export function planText(plan: Plan, width: number, paint: Paint): string {
  const warnings = plan.findings.filter(({ code }) => code === 'config.warning')
  const preview = {
    noun: 'stream',
    headings: ['mode', 'what identifies a row'],
    rows: rowsOf(plan),
    kept: [0, 2],
    notes: plan.streams.flatMap((stream) => section(nameOf(stream), notesOn(stream), width)),
    warnings: warnings.map(({ message: text, code }) => ({ text, code })),
    elsewhere:
      plan.streams.length === 0
        ? undefined
        : 'write --dry-run tells how many rows come of records, and which are rejected.',
    verdict: refusals(plan, width, paint),
  } as const
  return previewText(preview, width, paint)
}

/** Returns the streams that are stored, then those that are refused altogether. */
function rowsOf(plan: Plan): string[][] {
  const { streams, refused, faults, problems } = plan
  const numbers = new Map<string, number[]>()
  for (const [index, fault] of faults.entries())
    for (const stream of fault.streams) {
      const key = keyOf(stream)
      numbers.set(key, [...(numbers.get(key) ?? []), problems.length + index + 1])
    }
  const seeOf = (stream: Identity): string => `see ${numbers.get(keyOf(stream))!.join(', ')}`
  return [
    ...streams.map((stream) => {
      const end = stream.older_rows === 'refused' ? ` (refused with records, ${seeOf(stream)})` : ''
      return [nameOf(stream), stream.table, stream.mode, stream.row + end]
    }),
    ...refused
      .filter((stream) => !stream.only_with_records)
      .map((stream) => [nameOf(stream), stream.table, stream.mode ?? '', `refused, ${seeOf(stream)}`]),
  ]
}

const keyOf = ({ namespace, stream }: Identity): string => JSON.stringify([namespace, stream])

function refusals({ streams, refused, problems, findings }: Plan, width: number, paint: Paint): string {
  const all = findings.filter(({ level }) => level === 'FAIL')
  if (all.length === 0) return paint('good', 'write would accept this catalog.')
  const nothing = streams.length + refused.length === 0
  // a fault of the config is none of the catalog
  const what = problems.length === 0 ? 'write would refuse this catalog:' : 'write would refuse this:'
  return [
    paint('bad', nothing ? 'Nothing was planned:' : what),
    ...all.map(({ message, code }, index) => codedText(`${index + 1}. ${message}`, code, width, '   ', paint)),
  ].join('\n')
}

function section(name: string, notes: readonly string[], width: number): string[] {
  return notes.length === 0
    ? []
    : [[wrap(name, width, '  '), ...notes.map((note) => wrap(`  - ${note}`, width, '    '))].join('\n')]
}

function notesOn(stream: PlannedStream): string[] {
  const { hoisted, columns, renamed, soft_deletes: mark, older_rows: older, type_unions: unions, warnings } = stream
  return [
    ...hoisted.map(({ path, field }) => `nested key ${shown(path)} is sent as the field ${quoted(field)}`),
    ...(columns.length > 0 ? [`fields added: ${columns.map(quoted).join(', ')}`] : []),
    ...renamed.map(({ from, to }) => `the member ${quoted(from)} is stored as ${quoted(to)}`),
    ...(mark === null ? [] : [`deleted rows stay, marked by ${quoted(mark)}`]),
    ...(older === 'kept' ? ['older rows stay beside the new ones'] : []),
    ...unions.map(({ name, types }) => `${quoted(name)} holds values of several types: ${types.join(', ')}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
}

function quoted(name: string): string {
  return `"${name}"`
}

function nameOf({ namespace, stream }: { namespace: string | null; stream: string }): string {
  return namespace === null ? stream : `${namespace}.${stream}`
}

// A catalog's outcome as one object: made of the very steps `write` begins with, so that both agree. Reads no
// file, prints nothing.

/** The names are those of `plan --json`. */
export interface Plan {
  readonly streams: readonly PlannedStream[]
  /** Refused streams in the catalog's order; a stream refused for its records alone stands in `streams` too. */
  readonly refused: readonly RefusedStream[]
  /** The same by what is to be changed, each once: streams that would share a table are one fault. */
  readonly faults: readonly (Coded & { readonly streams: readonly Identity[] })[]
  /** The faults that keep a write from beginning, whatever its streams. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** Problems, faults and warnings again, with their codes. */
  readonly findings: readonly PlanFinding[]
}

/** A finding as `check` prints them. */
type PlanFinding = ReturnType<typeof finding>

type Identity = ReturnType<typeof identityOf>
type PlannedStream = ReturnType<typeof planned>
type RefusedStream = ReturnType<typeof refusal>

export function planOf(catalog: readonly CatalogStream[], tables: TablesConfig, warnings: readonly string[]): Plan {
  const mapped = mapEachStream(catalog, tables)
  const records = mapped.flatMap(({ facts, mapping }) =>
    mapping?.refusedRecords === undefined
      ? []
      : // such a reason is a sentence of its own, with the stream's name
        [
          {
            text: `${mapping.refusedRecords} A run without records for it (a Clear) would pass.`,
            code: 'stream.records-refused' as const,
            streams: [facts],
          },
        ],
  )
  const order = new Map(catalog.map((facts, index) => [facts, index]))
  const faults = [...refusalsOf(mapped), ...records].toSorted(
    (a, b) => order.get(a.streams[0]!)! - order.get(b.streams[0]!)!,
  )
  const streams = mapped.flatMap(({ facts, mapping }) => (mapping ? [planned(facts, mapping)] : []))
  const unused = unusedOverrides(catalog, tables.streams)
  return {
    streams,
    refused: mapped.flatMap(({ facts, table, mapping, refused }) => {
      const reason = refused ?? mapping?.refusedRecords
      return reason === undefined ? [] : [refusal(facts, table, reason, refused === undefined)]
    }),
    faults: faults.map(({ text, code, streams }) => ({ text, code, streams: streams.map(identityOf) })),
    problems: [],
    warnings: [...warnings, ...unused],
    findings: [
      ...faults.map(({ text, code }) => finding('FAIL', code, text)),
      ...oddities(unused),
      ...streams.flatMap((stream) => stream.warnings.map((text) => warningOf(stream, text))),
    ],
  }
}

/** Names the stream where the text does not begin with its name. */
function warningOf(stream: PlannedStream, text: string): PlanFinding {
  return finding('warn', 'catalog.warning', text.startsWith('Stream ') ? text : `Stream ${nameOf(stream)}: ${text}`)
}

function finding(level: 'FAIL' | 'warn', code: Code, message: string) {
  return { level, code, message }
}

function oddities(warnings: readonly string[]): PlanFinding[] {
  return warnings.map((text) => finding('warn', 'config.warning', text))
}

/** @param reason every one, and what to change
 *  @param onlyRecords a run without records for it (a Clear, a Reset) passes */
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
