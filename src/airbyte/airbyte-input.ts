// Puts the input of `write` together: the streams of a catalog and their tables, standard input, and what becomes of records that
// cannot be stored.

import { fstatSync } from 'node:fs'
import { readFileText } from '../config/read-file.ts'
import type { WriteConfig } from '../config/write/write-load.ts'
import type { Track } from '../core/types.ts'
import { isObject } from '../json/is-object.ts'
import { parseJson } from '../json/true-names.ts'
import { FieldKinds } from '../mapping/field-kinds.ts'
import { mapStreams } from '../mapping/map-streams.ts'
import { MapperSpace } from '../mapping/mapper-space.ts'
import { Provenance } from '../mapping/provenance.ts'
import { label, type CatalogStream, type StreamMapping } from '../mapping/stream-mapping.ts'
import { overrideOf, unusedOverrides } from '../mapping/table-places.ts'
import type { Output } from '../process/output.ts'
import type { Input } from '../process/pipe-input.ts'
import { garbageCollector } from '../process/small-heap.ts'
import { RejectBudgets } from '../rejects/reject-budget.ts'
import type { InputDigests, OpenInput, ReservedPath, RunContext } from '../run/open-input.ts'
import { TrackRows } from '../run/track-rows.ts'
import { digestOf } from '../telemetry/summary/digests.ts'
import { rejectPolicy } from './airbyte-rejects.ts'
import { parseCatalog } from './catalog.ts'
import { EMPTY_INPUT, filesLeftOut, tooFewRecords, unfinishedStreams, unknownTypes } from './end-words.ts'
import { MappedStream, StreamIndex } from './find-stream.ts'
import type { StateMessage } from './messages.ts'
import { MessageReader } from './reader.ts'
import { lineNumber, type Origin } from './record-line.ts'
import { StdinSource } from './stdin-source.ts'

/** How long to wait for a signal to stop, once the input was cut off. If one comes, the cut was no fault. */
const STOP_WAIT_MS = 1000
/** A line of the input may be this long, in bytes, whatever the limit of requests is. */
const LONG_LINE_BYTES = 64 * 1024 * 1024
/** How many times as long as a request a line may be, for what is around a record and what escapes add to it. */
const LINE_TIMES = 4

interface AirbyteInputOptions {
  readonly catalogFile: string
  readonly config: Pick<WriteConfig, 'tables' | 'rejects' | 'rejectLimits' | 'limits'>
  openInput(): Promise<Input>
  /** For STATE lines. */
  readonly stdout: Pick<Output, 'write'>
  /** Files of the run that rejected records must not be added to; those of the input are `reserved` in what `openAirbyteInput` returns. */
  readonly reservedPaths: readonly ReservedPath[]
}

export type AirbyteCheckpoint = StateMessage<MappedStream>
export type AirbyteInput = OpenInput<AirbyteCheckpoint, Origin>

/** Reads the catalog and logs where each stream goes, then opens the input; nothing of it is read yet.
 *  @param context `tally` counts records, `scrub` takes secrets out of texts, `samplesFields` asks for the fields that records have, and
 *  `dry` is given in a dry run alone, which keeps, prints and commits nothing (RunContext)
 *  @throws ConnectorError config when the catalog, one of its streams or the file of rejected records cannot be used */
export async function openAirbyteInput(
  options: AirbyteInputOptions,
  context: Omit<RunContext, 'service' | 'outages' | 'signal'>,
): Promise<AirbyteInput> {
  const { config, reservedPaths } = options
  const { tally, log, scrub, clock, runId, samplesFields, dry } = context
  const text = await readFileText(options.catalogFile, '--catalog')
  const catalog = parseCatalog(text)
  const isDry = dry !== undefined
  const space = new MapperSpace(new Provenance(runId, Date.now)) // what all mappers write to
  const streams = await openStreams(catalog, config.tables, space, context)
  const input = await options.openInput()
  const { maxRequestBytes } = config.limits
  const collect = garbageCollector() // called between very long lines
  const budgets = rejectBudgets(config, tally)
  const parts = { input, log, budgets, maxRequestBytes, collect, scrub, wallClock: Date.now, reservedPaths, isDry }
  const policy = await rejectPolicy(config.rejects, parts)
  const index = new StreamIndex(streams)
  const reader = messageReader(index, dry)
  const source = new StdinSource({
    input,
    maxLineBytes: Math.max(LONG_LINE_BYTES, LINE_TIMES * maxRequestBytes),
    space,
    // where rejected records are kept, each needs its line
    keepsLines: policy.place !== undefined && !isDry,
    // reading overlaps the storing of rejects, except under the policy `stop`, where the first one ends the run
    endsAtRejected: !policy.rejects.overlaps,
    reader,
    nearest: (name) => index.nearest(name),
    collect,
    print: (line) => (isDry ? Promise.resolve() : options.stdout.write(line)),
    awaitStop: (signal) => clock.wait(STOP_WAIT_MS, signal),
    warn: (message) => void log('warn', message),
  })
  const tracks = streams.map(({ mapping }) => mapping.track)
  const hasGenerations = catalog.some((stream) => stream.generationId !== undefined)
  return {
    source,
    rejects: policy.rejects,
    rejectsPlace: policy.place,
    rows: new TrackRows(
      streams.map(({ mapping, fields }) => (fields ? { ...mapping, fields: () => fields.all } : mapping)),
      tally,
    ),
    // like the fields of rows, they are told by summaries and dry runs only
    digests: samplesFields ? catalogDigests(text, streams) : undefined,
    reserved: filesInUse(config.rejects, input),
    rejectCounts: policy.counts,
    // scopes are tracks, as in the rows; a STATE of `all` or `none` streams counts in no row
    scopeOf: ({ scope }) => (typeof scope === 'string' ? scope : scope.mapping.track),
    recordPlace: ({ origin }) => `input line ${lineNumber(origin)}`,
    checkpointPlace: ({ line }) => ({ first: BigInt(line), last: BigInt(line) }),
    endWords: (isComplete) => {
      const empty = source.isEmpty ? [EMPTY_INPUT] : []
      const ofCompleteInput = isComplete ? [...empty, ...unfinishedStreams(streams, hasGenerations)] : []
      return [...ofCompleteInput, ...unknownTypes(reader.unknown), ...filesLeftOut(reader.files)]
    },
    lackError: () => tooFewRecords(tracks, config.tables.streams, tally, isDry), // by expect.min_records
    progress: fileProgress(input),
    [Symbol.asyncDispose]: async () => policy[Symbol.asyncDispose](),
  }
}

function rejectBudgets(
  { rejectLimits, tables }: AirbyteInputOptions['config'],
  tally: RunContext['tally'],
): RejectBudgets<Track> {
  return new RejectBudgets(
    rejectLimits,
    (track) => overrideOf(track, tables.streams),
    (track) => tally.receivedOf(track),
  )
}

function messageReader(index: StreamIndex, dry: RunContext['dry']): MessageReader<MappedStream> {
  return new MessageReader(
    (namespace, name) => index.find(namespace, name),
    (namespace, name) => index.findByName(namespace, name), // for a STREAM_STATUS, which may lack the namespace
    (name) => index.nearest(name),
    dry && ((line, bytes) => dry.sawLine(line, bytes)),
  )
}

/** The files of this input that nothing else of the run may be written to; `what` completes "The file … is". */
function filesInUse(rejects: WriteConfig['rejects'], { fd }: Input): AirbyteInput['reserved'] {
  return [
    ...(rejects.policy === 'file' ? [{ file: rejects.path, what: 'that of rejected records' }] : []),
    ...(typeof fd === 'number' ? [{ file: fd, what: 'what is read' }] : []),
  ]
}

/** Maps the streams of a catalog to their tables, and logs where each goes. */
async function openStreams(
  catalog: readonly CatalogStream[],
  tables: WriteConfig['tables'],
  space: MapperSpace,
  { samplesFields, dry, log }: Pick<RunContext, 'samplesFields' | 'dry' | 'log'>,
): Promise<MappedStream[]> {
  const looksAtAll = dry !== undefined
  const streams = mapStreams(catalog, tables).map((mapping, position) => {
    const fields = samplesFields ? new FieldKinds(catalog[position]!.declared, looksAtAll) : undefined
    return new MappedStream(mapping, space, fields)
  })
  for (const warning of unusedOverrides(catalog, tables.streams)) await log('warn', warning, { code: 'config.warning' })
  for (const { mapping } of streams) {
    const { track, table, words, warnings } = mapping
    await log('info', `Stream ${label(track)} goes to table "${table.name}": ${words}.`, { event: 'table.chosen' })
    for (const warning of warnings) await log('warn', warning, { code: 'catalog.warning' })
  }
  return streams
}

function fileProgress(input: Pick<Input, 'fd' | 'bytesRead'>): AirbyteInput['progress'] {
  if (typeof input.fd !== 'number' || input.bytesRead === undefined) return undefined
  try {
    const file = fstatSync(input.fd)
    return file.isFile() ? () => ({ read: input.bytesRead ?? 0, size: file.size }) : undefined
  } catch {
    return undefined
  }
}

/** Makes the digests by which two runs can tell whether they had the same catalog, and stored its streams alike: one of the catalog,
 *  and one of each table's mapping. No table is named '', so a row without a table has no digest.
 *  @param text of the catalog, which `parseCatalog` took */
function catalogDigests(text: string, streams: readonly { readonly mapping: StreamMapping }[]): InputDigests {
  const byTable = new Map(
    streams.map(({ mapping: { table, row, key, collapse } }) => [
      table.name,
      digestOf({ table: table.name, row, key, collapse }),
    ]),
  )
  return { catalog: catalogDigest(text), digestOf: ({ table }) => byTable.get(table ?? '') }
}

/** Makes a digest that stays the same whatever the order of streams, and from one sync to the next: without sync_id. */
function catalogDigest(text: string): string {
  const { streams } = parseJson(text.replace(/^\uFEFF/, '')) as { readonly streams: readonly { stream: object }[] }
  const entries = streams.map((entry) =>
    withoutAbsent({ ...entry, sync_id: null, stream: withoutAbsent(entry.stream) }),
  )
  try {
    return digestOf(entries.map(digestOf).toSorted())
  } catch {
    // a schema is nested too deeply for the stack
    return digestOf(text)
  }
}

/** Copies an object without null, empty texts and empty lists, which count as absent members. */
function withoutAbsent(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isAbsent(value)))
}

function isAbsent(value: unknown): boolean {
  return value === null || (!isObject(value) && (value as { length?: number }).length === 0)
}
