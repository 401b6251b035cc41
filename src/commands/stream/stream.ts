// `stream`: topics of Kafka, upserted tables out, offsets committed. Decides what is reported before and after.

import { readFileText } from '../../config/read-file.ts'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { loadStreamConfig } from '../../config/stream/stream-load.ts'
import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import type { OutageEvents } from '../../core/network.ts'
import type { KafkaCheckpoint } from '../../kafka/source/kafka-source.ts'
import type { OpenSchemas, OpenSchemasOptions } from '../../kafka/source/registry-route.ts'
import type { Ended, Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { ServiceOptions, ExchangeReport } from '../../service/http/http.ts'
import { serviceRoute, throughProxy } from '../../service/http/proxy.ts'
import { isWanted, jsonLog, wantedBy } from '../../telemetry/log.ts'
import type { Log } from '../../process/io.ts'
import { openReport } from '../../telemetry/report/report.ts'
import type { ReportOptions, RunReport, ReportAbout } from '../../telemetry/report/report.ts'
import type { RunRows } from '../../telemetry/counts.ts'
import type { StreamProgress } from '../../telemetry/run-facts.ts'
import { runFigures } from '../../telemetry/run-figures.ts'
import { streamLines } from '../../telemetry/run-lines.ts'
import { runTerminal } from '../../telemetry/run-terminal.ts'
import { requestLog } from '../request-log.ts'
import { streamOutages } from './stream-outages.ts'
import { streamParts } from './stream-parts.ts'
import { StreamRun } from './stream-run.ts'
import { limits } from '../../config/write/write-options.ts'
import { picked } from '../../config/config-of.ts'
import { streamSchema } from '../../config/stream/stream-options.ts'
import { whereFrom } from '../../kafka/source/dead-letter-policy.ts'
import type { KafkaOrigin } from '../../kafka/source/kafka-origin.ts'
import { placePath } from '../../kafka/source/replay-file.ts'
import { reportLimits } from '../../telemetry/report/report-figures.ts'

interface StreamArguments {
  readonly configFile: string
  /** Replays dead letters instead of reading topics. */
  readonly fromDeadLetters: boolean
  /** Where a report of the run is left; absent: nowhere. */
  readonly reportFile?: string | undefined
}

/** @returns 1 after one error in the log; `stopped` when the process was asked to stop; 0 when all dead letters are replayed.
 *  Never throws. */
export async function stream(options: StreamArguments, io: Io): Promise<Ended> {
  const { scrub } = io.scrubber
  using progress = progressOf(io)
  try {
    const report = await openReport(options.reportFile, reportOptions(options, progress.log), io)
    return await reported(options, progress, report, io)
  } catch (error) {
    const known = asConnectorError(error)
    await progress.log('error', scrub(known.message), { kind: known.kind })
    return 1
  }
}

function reportOptions({ configFile, fromDeadLetters }: StreamArguments, log: Log): ReportOptions {
  return {
    command: fromDeadLetters ? 'stream --from-dead-letters' : 'stream',
    noun: 'topic',
    files: [{ file: configFile, what: 'that of --config' }],
    log,
  }
}

/** Whatever ends the run, its report says so. */
async function reported(options: StreamArguments, progress: StreamProgress, report: RunReport, io: Io): Promise<Ended> {
  try {
    return await run(options, progress, report, io)
  } catch (error) {
    await report.fail(error)
    throw error
  }
}

async function run(
  { configFile, fromDeadLetters }: StreamArguments,
  progress: StreamProgress,
  report: RunReport,
  io: Io,
): Promise<Ended> {
  const { log } = progress
  const { config, service, registry } = await load(configFile, io, log)
  if (fromDeadLetters && config.rejects.onRejected === 'stop') throw noDeadLetters()
  using outages = streamOutages(config, log, systemClock)
  await using schemas = registry && (await schemasOf(registry, log, outages.registry))
  const routes = { service, schemas: schemas?.store, outages }
  await using parts = await streamParts(config, routes, log, io.signal, fromDeadLetters)
  const run = new StreamRun(config, parts, progress, report, io.usage)
  const { permits, replaying } = parts
  const rows = (): RunRows => (replaying ? run.facts : runFigures(run.facts, undefined))
  await report.begin(reportOfStream(config, { permits, rows }, topicOf))
  return endedAs(await report.follow(run.run(io.signal)))
}

function topicOf({ partition }: KafkaCheckpoint): string {
  return partition.track.topic
}

function endedAs(how: 'complete' | 'stopped'): Ended {
  return how === 'complete' ? 0 : 'stopped'
}

function noDeadLetters(): ConnectorError {
  return new ConnectorError(
    'config',
    'stream --from-dead-letters needs to know where dead letters are: dead_letters is not set in the configuration.',
  )
}

/** Its formats take a while to load. */
async function schemasOf(
  registry: OpenSchemasOptions,
  log: Log,
  outage: OutageEvents | undefined,
): Promise<OpenSchemas> {
  const { openSchemas } = await import('../../kafka/source/registry-route.ts')
  return openSchemas(registry, log, outage)
}

interface Loaded {
  readonly config: StreamConfig
  readonly service: ServiceOptions
  readonly registry: OpenSchemasOptions | undefined
}

async function load(file: string, io: Io, log: Log): Promise<Loaded> {
  const { scrubber, env } = io
  const text = await readFileText(file, '--config')
  const learn = (secrets: readonly string[]): void => scrubber.learn(secrets)
  const { config, warnings } = await loadStreamConfig(text, { env, file, learn })
  for (const warning of warnings) await log('warn', `${warning}.`)
  const proxy = serviceRoute(config.service.baseUrl, io)
  if (proxy) await log('info', throughProxy(proxy))
  const shared = { requestTimeoutMs: config.limits.requestTimeoutMs, scrub: scrubber.scrub }
  const onExchange = requestLogger(io, log)
  const registry = config.registry && {
    ...config.registry,
    ...shared,
    mostBytes: config.limits.maxRequestBytes,
    onExchange,
    proxy: serviceRoute(config.registry.url, io),
  }
  return { config, service: { ...config.service, ...shared, proxy, onExchange }, registry }
}

/** Options that a report shows. */
const LIMITS = { ...limits, commit_every_seconds: true, stall_deadline_seconds: true } as const

const EVERY_MS = 60_000
const ROWS = 24
const COLUMNS = 80

/** Says it when LOG_LEVEL is not understood. */
function progressOf(io: Pick<Io, 'stdout' | 'env' | 'isTty' | 'size'>): StreamProgress {
  const { least, problem } = wantedBy(io.env['LOG_LEVEL'])
  const progress = opened(io, least)
  if (problem !== undefined) void progress.log('warn', problem)
  return progress
}

function opened(
  { stdout, isTty, size }: Pick<Io, 'stdout' | 'isTty' | 'size'>,
  least: ReturnType<typeof wantedBy>['least'],
): StreamProgress {
  const wallClock = Date.now
  if (!isTty) return streamLines({ log: jsonLog({ output: stdout, least, wallClock }), everyMs: EVERY_MS })
  return runTerminal({
    write: (text) => stdout.write(text),
    size: () => size?.() ?? { columns: COLUMNS, rows: ROWS },
    least,
    wallClock,
  })
}

/** Logs every request; undefined: LOG_LEVEL does not ask for that. */
function requestLogger({ env }: Pick<Io, 'env'>, log: Log): ((report: ExchangeReport) => void) | undefined {
  const { least } = wantedBy(env['LOG_LEVEL'])
  return isWanted('debug', least) ? requestLog(log) : undefined
}

interface StreamReportParts {
  readonly permits: { readonly limit: number }
  readonly rows: () => RunRows
}

/** @param scopeOf the topic a checkpoint is of; undefined: of all that is read */
function reportOfStream<C>(
  config: StreamConfig,
  parts: StreamReportParts,
  scopeOf: (checkpoint: C) => string | undefined,
): ReportAbout<C, KafkaOrigin> {
  const { file } = config.rejects
  const files =
    file === undefined
      ? []
      : [
          { file, what: 'that of dead_letters.file' },
          { file: placePath(file), what: 'where it is kept how far dead letters are replayed' },
        ]
  return {
    host: new URL(config.service.baseUrl).host,
    limits: reportLimits({ ...config.limits, ...config }, picked(streamSchema.shape, LIMITS)),
    permits: parts.permits,
    files,
    scopeOf,
    nameOf: (rejected) => whereFrom(rejected).topic,
    rows: parts.rows,
  }
}
