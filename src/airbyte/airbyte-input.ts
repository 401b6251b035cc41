// The input of `write`: a catalog's streams and tables, standard input, and what becomes of records that cannot be stored, put
// together.

import { fstatSync } from 'node:fs'
import { readFileText } from '../config/read-file.ts'
import type { WriteConfig } from '../config/write/write-load.ts'
import type { Track } from '../core/types.ts'
import { FieldKinds } from '../mapping/field-kinds.ts'
import { mapStreams } from '../mapping/map-streams.ts'
import { MapperSpace } from '../mapping/mapper-space.ts'
import { Provenance } from '../mapping/provenance.ts'
import { label } from '../mapping/stream-mapping.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import { overrideOf, unusedOverrides } from '../mapping/table-places.ts'
import type { Log } from '../process/io.ts'
import type { Output } from '../process/output.ts'
import type { Input } from '../process/pipe-input.ts'
import { garbageCollector } from '../process/small-heap.ts'
import { RejectBudgets } from '../rejects/reject-budget.ts'
import type { EndWords, OpenInput, ReservedPath, RunContext } from '../run/open-input.ts'
import { TrackRows } from '../run/track-rows.ts'
import { nearestName } from '../text/nearest-name.ts'
import { thousands } from '../text/figures.ts'
import { lineNumber, rejectPolicy } from './airbyte-rejects.ts'
import type { Origin } from './airbyte-rejects.ts'
import { parseCatalog } from './catalog.ts'
import { catalogDigests } from './catalog-digests.ts'
import { filesLeftOut } from './files-left-out.ts'
import { StreamIndex } from './find-stream.ts'
import type { StateMessage } from './messages.ts'
import { MessageReader } from './reader.ts'
import { MappedStream, StdinSource } from './stdin-source.ts'
import { tooFewRecords } from './too-few-records.ts'

/** How long after an input was cut off a signal to stop still counts as its cause. */
const STOP_WAIT_MS = 1000
/** A line of the input may always be this long, in bytes. */
const LONG_LINE = 64 * 1024 * 1024
/** Bytes around a record, and those that escapes may add: a record that fills a request is no long line. */
const REQUEST_LINE = 4

interface AirbyteInputOptions {
  readonly catalogFile: string
  readonly config: Pick<WriteConfig, 'tables' | 'rejects' | 'rejectLimits' | 'limits'>
  openInput(): Promise<Input>
  /** For STATE lines. */
  readonly stdout: Pick<Output, 'write'>
  /** Files that rejected records must not be added to. */
  readonly reservedPaths: readonly ReservedPath[]
}

export type AirbyteCheckpoint = StateMessage<MappedStream>
export type AirbyteInput = OpenInput<AirbyteCheckpoint, Origin>

/** Reads the catalog and logs where each stream goes, then opens the input; nothing of it is read yet.
 *  @throws ConnectorError config when the catalog, one of its streams or the file of rejected records cannot be used */
export async function openAirbyteInput(
  options: AirbyteInputOptions,
  { tally, log, scrub, clock, runId, samplesFields, dry }: Omit<RunContext, 'service' | 'outages' | 'signal'>,
): Promise<AirbyteInput> {
  const { config, reservedPaths } = options
  const text = await readFileText(options.catalogFile, '--catalog')
  const catalog = parseCatalog(text)
  const isDry = dry !== undefined
  const space = new MapperSpace(new Provenance(runId, Date.now))
  const streams = mapStreams(catalog, config.tables).map((mapping, at) => {
    const fields = samplesFields ? new FieldKinds(catalog[at]!.declared, isDry) : undefined
    return new MappedStream(mapping, space, fields)
  })
  for (const warning of unusedOverrides(catalog, config.tables.streams))
    await log('warn', warning, { code: 'config.warning' })
  for (const { mapping } of streams) await sayStream(mapping, log)
  const input = await options.openInput()
  const { maxRequestBytes } = config.limits
  const collect = garbageCollector()
  const budgets = new RejectBudgets<Track>(
    config.rejectLimits,
    (track) => overrideOf(track, config.tables.streams),
    (track) => tally.receivedOf(track),
  )
  const policyParts = {
    input,
    log,
    budgets,
    maxRequestBytes,
    collect,
    scrub,
    wallClock: Date.now,
    reservedPaths,
    isDry,
  }
  const policy = await rejectPolicy(config.rejects, policyParts)
  const index = new StreamIndex(streams)
  const nearest = (name: string): string | undefined => {
    const near = nearestName(name, [...new Set(catalog.map((stream) => stream.name))])
    // one of the same name has another namespace, which is said otherwise
    return near === name ? undefined : near
  }
  const reader = new MessageReader<MappedStream>(
    (namespace, name) => index.find(namespace, name),
    (namespace, name) => index.findByName(namespace, name),
    nearest,
    dry && ((line, bytes) => dry.line(line, bytes)),
  )
  const source = new StdinSource({
    input,
    maxLineBytes: Math.max(LONG_LINE, REQUEST_LINE * maxRequestBytes),
    space,
    keepsLines: policy.keepsRecords && !isDry,
    endsAtRejected: !policy.rejects.overlaps,
    reader,
    nearest,
    collect,
    print: (line) => (isDry ? Promise.resolve() : options.stdout.write(line)),
    awaitStop: (signal) => clock.wait(STOP_WAIT_MS, signal),
    warn: (message) => void log('warn', message),
  })
  const { rejects } = config
  const files = [
    ...(rejects.policy === 'file' ? [{ file: rejects.path, what: 'that of rejected records' }] : []),
    ...(typeof input.fd === 'number' ? [{ file: input.fd, what: 'what is read' }] : []),
  ]
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
    digests: samplesFields ? catalogDigests(text, streams) : undefined,
    reserved: files,
    rejectCounts: policy.counts,
    // a track, `all` of them or `none`
    scopeOf: ({ scope }) => (typeof scope === 'string' ? scope : scope.mapping.track),
    whereOf: ({ origin }) => `input line ${lineNumber(origin)}`,
    placeOf: ({ line }) => ({ first: BigInt(line), last: BigInt(line) }),
    endWords: (isComplete) =>
      [
        ...(isComplete && source.isEmpty ? [EMPTY] : []),
        ...(isComplete ? unfinished(streams, hasGenerations) : []),
        ...ignored(reader.unknown),
      ]
        .map((message): EndWords => ['warn', message])
        .concat(filesLeftOut(reader.files)),
    lack: () => tooFewRecords(tracks, config.tables.streams, tally, isDry),
    progress: fileProgress(input),
    [Symbol.asyncDispose]: async () => policy[Symbol.asyncDispose](),
  }
}

/** No fault: a source may have nothing to say. But it is also what a pipe brings whose writer failed. */
const EMPTY =
  'Standard input was empty: no message came, so nothing was stored. Is a source at the other end of the pipe?'

async function sayStream({ track, table, words, warnings }: StreamMapping, log: Log): Promise<void> {
  await log('info', `Stream ${label(track)} goes to table "${table.name}": ${words}.`, { event: 'table.chosen' })
  for (const warning of warnings) await log('warn', warning, { code: 'catalog.warning' })
}

/** Nothing destructive happens at the end of a run, so there is no more to it (decisions.md#an-unfinished-stream-is-a-warning). */
function unfinished(streams: readonly MappedStream[], hasGenerations: boolean): string[] {
  return streams
    .filter(({ status }) => (status === undefined ? hasGenerations : status !== 'COMPLETE'))
    .map(
      ({ mapping, status }) =>
        `Stream ${label(mapping.track)} ended ${status === 'INCOMPLETE' ? status : 'without COMPLETE'}: what arrived was written; the source may not have finished.`,
    )
}

/** A RECORD in small letters would be one (decisions.md#a-line-that-cannot-be-read-stops-the-run). */
function ignored({ count, line }: MessageReader<MappedStream>['unknown']): string[] {
  if (count === 0) return []
  const what =
    count === 1 ? 'Ignored 1 message of an unknown type' : `Ignored ${thousands(count)} messages of unknown types`
  return [
    `${what}, the first in input line ${line}. Messages with records and states have the types RECORD and STATE, in capital letters.`,
  ]
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
