// `write`: Airbyte messages on standard input, upserted tables out, STATE lines back. A list of constructors.

import { loadWriteConfig } from '../config/load.ts'
import { readFileText } from '../config/read-file.ts'
import type { LimitsConfig, WriteConfig } from '../config/write-config.ts'
import { asConnectorError } from '../core/as-connector-error.ts'
import { AdaptivePermits } from '../core/adaptive-permits.ts'
import { deliver } from '../core/deliver.ts'
import { ConnectorError } from '../core/errors.ts'
import { FixedPermits } from '../core/permits.ts'
import { Tally } from '../core/tally.ts'
import type { Permits } from '../core/types.ts'
import { mapStreams } from '../mapping/map-streams.ts'
import { HeadSpace } from '../mapping/head-space.ts'
import { Occurrences } from '../mapping/occurrences.ts'
import { createRecordMapper } from '../mapping/record-mapper.ts'
import { label } from '../mapping/stream-facts.ts'
import { unusedOverrides } from '../mapping/table-options.ts'
import { parseCatalog } from '../protocol/catalog.ts'
import type { Catalog } from '../protocol/catalog.ts'
import { log, traceError } from '../protocol/emitter.ts'
import { MessageReader } from '../protocol/reader.ts'
import type { ServiceOptions } from '../service/http.ts'
import { routeTo } from '../service/proxy.ts'
import { createTransport } from '../service/transport.ts'
import { summarise } from '../telemetry/summary.ts'
import { busyMs } from './busy-ms.ts'
import type { Origin } from './origin.ts'
import { rejectPolicy } from './reject-policy.ts'
import type { Say } from './say.ts'
import { StdinSource } from './stdin-source.ts'
import type { MappedStream } from './stdin-source.ts'
import { StreamIndex } from './stream-index.ts'
import { systemClock } from './system-clock.ts'
import { limitYoungGeneration } from './young-generation.ts'
import type { Ended, Io } from './io.ts'

const LINGER_MS = 20
const GRACE_MS = 20_000

export interface WriteFiles {
  readonly configFile: string
  readonly catalogFile: string
}

/** @returns 0; 1 after one TRACE ERROR; `stopped` when the process was asked to stop. Never throws. */
export async function write(files: WriteFiles, io: Io): Promise<Ended> {
  const { scrubber } = io
  const { scrub } = scrubber
  try {
    const configText = await readFileText(files.configFile, '--config')
    const { config, warnings } = loadWriteConfig(configText, (secrets) => scrubber.learn(secrets))
    const route = routeTo(config.service.baseUrl, io.env)
    if ('problem' in route) throw new ConnectorError('config', `The environment cannot be used: ${route.problem}.`)
    scrubber.learn(route.secrets)
    const say: Say = (level, message) => io.stdout.write(log(level, scrub(message)))
    for (const warning of warnings) await say('WARN', warning)
    const catalog = parseCatalog(await readFileText(files.catalogFile, '--catalog'))
    const { proxy } = route
    if (proxy) await say('INFO', `The service is reached through the proxy ${proxy.origin} (${proxy.variable}).`)
    const { requestTimeoutMs } = config.limits
    return await run(config, catalog, say, { ...config.service, proxy, requestTimeoutMs, scrub }, io)
  } catch (error) {
    return fail(error, scrub, io)
  }
}

async function run(config: WriteConfig, catalog: Catalog, say: Say, service: ServiceOptions, io: Io): Promise<Ended> {
  const { streams, hasGenerations, space } = mapped(catalog, config)
  for (const warning of unusedOverrides(catalog.streams, config.tables.streams)) await say('WARN', warning)
  for (const { mapping } of streams) {
    await say('INFO', `Stream ${label(mapping.track)} goes to table "${mapping.table.name}": ${mapping.words}.`)
    for (const warning of mapping.warnings) await say('WARN', warning)
  }
  const index = new StreamIndex(streams)
  const input = await io.openInput()
  const { maxRequestBytes } = config.limits
  const policyParts = { input, say, maxRequestBytes, scrub: service.scrub, wallClock: Date.now }
  await using policy = await rejectPolicy(config.rejects, policyParts)
  const source = new StdinSource({
    input,
    space,
    keepsLines: policy.keepsLines,
    reader: new MessageReader(
      (namespace, name) => index.find(namespace, name),
      (namespace, name) => index.findByName(namespace, name),
    ),
    print: (line) => io.stdout.write(line),
    onMixedStates: () =>
      void say('WARN', 'STREAM and GLOBAL states are mixed in this input; they are passed on in the order they came.'),
  })
  await using transport = createTransport(service)
  const tally = new Tally()
  const permits = permitsOf(config.limits)
  const parts = {
    source,
    transport,
    permits,
    rejects: policy.rejects,
    clock: systemClock,
    limits: limitsOf(config.limits),
    tally,
  }
  const started = systemClock.now()
  const ended = new AbortController()
  void limitYoungGeneration(systemClock, ended.signal)
  try {
    if ((await deliver(parts, io.signal)) === 'stopped') return 'stopped'
    for (const warning of unfinished(streams, hasGenerations)) await say('WARN', warning)
    return 0
  } finally {
    ended.abort()
    const seconds = (systemClock.now() - started) / 1000
    const mappings = streams.map(({ mapping }) => mapping)
    for (const line of summarise(mappings, tally, seconds, policy.place)) await say('INFO', line).catch(() => {})
  }
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

/** As many as a user fixed, else as many as do good. */
function permitsOf({ concurrency, maxRequestsPerSecond: perSecond }: LimitsConfig): Permits {
  return concurrency === undefined
    ? new AdaptivePermits({ perSecond, busyMs })
    : new FixedPermits({ limit: concurrency, perSecond })
}

function limitsOf(limits: LimitsConfig): Parameters<typeof deliver>[0]['limits'] {
  return {
    maxPoints: limits.maxPoints,
    maxBytes: limits.maxRequestBytes,
    maxWaitMs: limits.maxWaitMs,
    lingerMs: LINGER_MS,
    bufferBytes: limits.bufferBytes,
    retryForMs: limits.retryForMs,
    guardMs: limits.lateWriteGuardMs,
    graceMs: GRACE_MS,
  }
}

/** Assumptions 18: nothing destructive happens at the end, so an unfinished stream is only said. */
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
