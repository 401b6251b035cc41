// `write`: Airbyte messages on standard input, upserted tables out, STATE lines back. A list of constructors.

import { parseCatalog } from '../airbyte/catalog.ts'
import type { Catalog } from '../airbyte/catalog.ts'
import { traceError } from '../airbyte/emitter.ts'
import { longestLine } from '../airbyte/longest-line.ts'
import type { Origin } from '../airbyte/origin.ts'
import { MessageReader } from '../airbyte/reader.ts'
import { rejectPolicy } from '../airbyte/rejects/reject-policy.ts'
import { StdinSource } from '../airbyte/stdin-source.ts'
import type { MappedStream, StdinSourceOptions } from '../airbyte/stdin-source.ts'
import { StreamIndex } from '../airbyte/stream-index.ts'
import { loadWriteConfig } from '../config/load.ts'
import { readFileText } from '../config/read-file.ts'
import type { WriteConfig } from '../config/write-config.ts'
import { ConnectorError, asConnectorError } from '../core/errors.ts'
import { deliver } from '../core/deliver.ts'
import { Tally } from '../core/tally.ts'
import { label } from '../mapping/catalog-stream.ts'
import { HeadSpace } from '../mapping/head-space.ts'
import { mapStreams } from '../mapping/map-streams.ts'
import { Occurrences } from '../mapping/occurrences.ts'
import { createRecordMapper } from '../mapping/record-mapper.ts'
import { unusedOverrides } from '../mapping/stream-overrides.ts'
import type { Ended, Io, Say } from '../process/io.ts'
import { keepHeapSmall, garbageCollector } from '../process/small-heap.ts'
import { HASH_SEED, systemClock } from '../process/system-clock.ts'
import type { ServiceOptions } from '../service/http/http.ts'
import { serviceRoute, throughProxy } from '../service/http/proxy.ts'
import { createTransport } from '../service/import/transport.ts'
import type { ReservedPath } from '../telemetry/report/report-file.ts'
import { openReport } from '../telemetry/report/report.ts'
import type { ReportOptions, RunReport } from '../telemetry/report/report.ts'
import { summarise } from '../telemetry/summary.ts'
import { WatchedTransport } from '../telemetry/watched-transport.ts'
import { WriteProgress } from '../telemetry/write-progress.ts'
import { thousands } from '../text/figures.ts'
import { engineLimits, permitsOf, STOP_GRACE_MS } from './delivery-limits.ts'
import { lookForOutages, serviceOutage } from './outages.ts'
import type { TellOutage } from './outages.ts'
import { reportOfWrite } from './report-of-write.ts'
import { openSay, tellEnding, tellProgress, hintAtTerminal } from './write-log.ts'
import type { Said } from './write-log.ts'

/** How long after an input was cut off a signal to stop still counts as its cause. */
const LINGER_MS = 1000

export interface WriteFiles {
  readonly configFile: string
  readonly catalogFile: string
  /** Where a report of the run is left; absent: nowhere. */
  readonly reportFile?: string | undefined
}

/** @returns 0; 1 after one TRACE ERROR; `stopped` when the process was asked to stop. Never throws. */
export async function write(files: WriteFiles, io: Io): Promise<Ended> {
  try {
    const said = await openSay(io)
    const report = await openReport(files.reportFile, reportOptions(files, said), io)
    return await reported(files, said, report, io)
  } catch (error) {
    return fail(error, io.scrubber.scrub, io)
  }
}

function reportOptions({ configFile, catalogFile }: WriteFiles, { say }: Said): ReportOptions {
  return {
    command: 'write',
    noun: 'stream',
    files: reservedPathsOf({ configFile, catalogFile }),
    warn: (message) => say('WARN', message).catch(() => {}),
  }
}

/** What is written must not go into them. */
function reservedPathsOf({ configFile, catalogFile }: WriteFiles): ReservedPath[] {
  return [
    { file: configFile, what: 'that of --config' },
    { file: catalogFile, what: 'that of --catalog' },
  ]
}

/** Whatever ends the run, its report says so. */
async function reported(files: WriteFiles, said: Said, report: RunReport, io: Io): Promise<Ended> {
  try {
    return await load(files, said, report, io)
  } catch (error) {
    await report.fail(error)
    throw error
  }
}

async function load(files: WriteFiles, { say, onExchange }: Said, report: RunReport, io: Io): Promise<Ended> {
  const { scrubber } = io
  const configText = await readFileText(files.configFile, '--config')
  const { config, warnings } = loadWriteConfig(configText, (secrets) => scrubber.learn(secrets))
  const proxy = serviceRoute(config.service.baseUrl, io)
  for (const warning of warnings) await say('WARN', warning)
  const catalog = parseCatalog(await readFileText(files.catalogFile, '--catalog'))
  if (proxy) await say('INFO', throughProxy(proxy))
  const { requestTimeoutMs } = config.limits
  const service = { ...config.service, proxy, requestTimeoutMs, scrub: scrubber.scrub, onExchange }
  return await run({ config, catalog, say, service, report, reservedPaths: reservedPathsOf(files) }, io)
}

interface Run {
  readonly config: WriteConfig
  readonly catalog: Catalog
  readonly say: Say
  readonly service: ServiceOptions
  readonly report: RunReport
  readonly reservedPaths: readonly ReservedPath[]
}

async function run({ config, catalog, say, service, report, reservedPaths }: Run, io: Io): Promise<Ended> {
  const { streams, hasGenerations, space } = mapped(catalog, config)
  await sayStreams(streams, catalog, config, say)
  const input = await io.openInput()
  await hintAtTerminal(input, io)
  const { maxBytes: maxRequestBytes } = config.limits
  const collect = garbageCollector()
  const policyParts = { input, say, maxRequestBytes, collect, scrub: service.scrub, wallClock: Date.now, reservedPaths }
  await using policy = await rejectPolicy(config.rejects, policyParts)
  const reader = readerOf(streams)
  const maxLineBytes = longestLine(maxRequestBytes)
  const source = sourceOf({ input, maxLineBytes, space, reader, keepsLines: policy.keepsLines, collect, say }, io)
  await using client = createTransport(service)
  const outage = serviceOutage(service.baseUrl, config.limits, saidBy(say), systemClock)
  const transport = new WatchedTransport({ transport: client, clock: systemClock, outage, isMember: () => true })
  const tally = new Tally()
  const permits = permitsOf(config.limits)
  const mappings = streams.map(({ mapping }) => mapping)
  await report.begin(reportOfWrite({ config, mappings, tally, permits, input }))
  const parts = {
    source,
    transport,
    permits,
    rejects: policy.rejects,
    clock: systemClock,
    limits: engineLimits(config.limits, STOP_GRACE_MS),
    tally,
    hashSeed: HASH_SEED,
  }
  const started = systemClock.now()
  const tables = mappings.map(({ table }) => table)
  const progress = new WriteProgress({ tally, tables, permits, service: transport }, started)
  const ended = new AbortController()
  void tellProgress(progress, say, systemClock, ended.signal)
  void tellEnding(progress, say, systemClock, ended.signal)
  void lookForOutages([outage], systemClock, ended.signal)
  void keepHeapSmall(systemClock, ended.signal)
  try {
    if ((await report.follow(deliver(report.watch(parts), io.signal))) === 'stopped') return 'stopped'
    for (const warning of unfinished(streams, hasGenerations)) await say('WARN', warning)
    return 0
  } finally {
    ended.abort()
    const seconds = (systemClock.now() - started) / 1000
    if (reader.unknown.count > 0) await say('WARN', unknownTypes(reader.unknown)).catch(() => {})
    for (const line of summarise(mappings, tally, seconds, policy.place)) await say('INFO', line).catch(() => {})
  }
}

function saidBy(say: Say): TellOutage {
  return ({ level, message }) => void say(level, message).catch(() => {})
}

async function sayStreams(
  streams: readonly MappedStream[],
  catalog: Catalog,
  config: WriteConfig,
  say: Say,
): Promise<void> {
  for (const warning of unusedOverrides(catalog.streams, config.tables.streams)) await say('WARN', warning)
  for (const { mapping } of streams) {
    await say('INFO', `Stream ${label(mapping.track)} goes to table "${mapping.table.name}": ${mapping.words}.`)
    for (const warning of mapping.warnings) await say('WARN', warning)
  }
}

function readerOf(streams: readonly MappedStream[]): MessageReader<MappedStream> {
  const index = new StreamIndex(streams)
  return new MessageReader(
    (namespace, name) => index.find(namespace, name),
    (namespace, name) => index.findByName(namespace, name),
  )
}

/** They are ignored (decisions.md#a-line-that-cannot-be-read-stops-the-run); a RECORD in small letters would be one. */
function unknownTypes({ count, line }: { readonly count: number; readonly line: number }): string {
  const what = count === 1 ? 'Ignored was 1 message of a type' : `Ignored were ${thousands(count)} messages of types`
  return `${what} that no message has here, the first in input line ${line}. Those with records and states are RECORD and STATE, in capital letters.`
}

interface SourceParts extends Pick<
  StdinSourceOptions,
  'input' | 'maxLineBytes' | 'space' | 'keepsLines' | 'collect' | 'reader'
> {
  readonly say: Say
}

function sourceOf(
  { input, maxLineBytes, space, keepsLines, collect, reader, say }: SourceParts,
  { stdout }: Io,
): StdinSource {
  return new StdinSource({
    input,
    maxLineBytes,
    space,
    keepsLines,
    reader,
    collect,
    print: (line) => stdout.write(line),
    linger: (signal) => systemClock.wait(LINGER_MS, signal),
    onMixedStates: () =>
      void say('WARN', 'STREAM and GLOBAL states are mixed in this input; they are passed on in the order they came.'),
    onStateOfNoStream: (line) =>
      void say(
        'WARN',
        `The STATE of input line ${line} is of a stream that the catalog does not name: such a STATE waits for no record, and counts none.`,
      ),
  })
}

function mapped(
  catalog: Catalog,
  config: WriteConfig,
): { streams: MappedStream[]; hasGenerations: boolean; space: HeadSpace } {
  const shared = { occurrences: new Occurrences(), space: new HeadSpace() }
  const streams = mapStreams(catalog.streams, config.tables).map((mapping) => {
    return { mapping, mapper: createRecordMapper<Origin>(mapping, shared), status: undefined }
  })
  return {
    streams,
    space: shared.space,
    hasGenerations: catalog.streams.some((stream) => stream.generationId !== undefined),
  }
}

/** Nothing destructive happens at the end, so an unfinished stream is only said
 *  (decisions.md#an-unfinished-stream-is-a-warning). */
function unfinished(streams: readonly MappedStream[], expected: boolean): string[] {
  return streams
    .filter(({ status }) => (status === undefined ? expected : status !== 'COMPLETE'))
    .map(
      ({ mapping, status }) =>
        `Stream ${label(mapping.track)} ended ${status === 'INCOMPLETE' ? status : 'without COMPLETE'}: what came was written; the source may not have finished.`,
    )
}

/** The one TRACE ERROR of a failed run. */
async function fail(error: unknown, scrub: (text: string) => string, io: Io): Promise<Ended> {
  const known = asConnectorError(error)
  const shown = new ConnectorError(known.kind, scrub(known.message), { track: known.track })
  await io.stdout.write(traceError(shown, Date.now())).catch(() => {})
  return 1
}
