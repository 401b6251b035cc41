// `stream`: topics of Kafka, upserted tables out, offsets committed. Decides what is reported before and after.

import { readFileText } from '../../config/read-file.ts'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { loadStreamConfig } from '../../config/stream/stream-load.ts'
import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import type { OutageEvents } from '../../core/network.ts'
import type { KafkaCheckpoint } from '../../kafka/source/owned-partition.ts'
import type { OpenSchemas, OpenSchemasOptions } from '../../kafka/source/registry-route.ts'
import type { Ended, Io, Log } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { serviceRoute, throughProxy } from '../../service/http/proxy.ts'
import { isWanted, jsonLog, wantedBy } from '../../telemetry/log.ts'
import { openReport } from '../../telemetry/report/report.ts'
import type { RunReport, ReportAbout } from '../../telemetry/report/report.ts'
import type { StreamFacts, RunDisplay } from '../../telemetry/run-facts.ts'
import { runFigures } from '../../telemetry/run-figures.ts'
import { streamLines } from '../../telemetry/run-lines.ts'
import { plainTerminal, runTerminal } from '../../telemetry/run-terminal.ts'
import { requestLog } from '../request-log.ts'
import { streamOutages } from './stream-outages.ts'
import { streamParts } from './stream-parts.ts'
import type { StreamParts } from './stream-parts.ts'
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
    const { configFile, fromDeadLetters } = options
    const about = {
      command: fromDeadLetters ? 'stream --from-dead-letters' : 'stream',
      noun: 'topic',
      files: [{ file: configFile, what: 'that of --config' }],
      log: progress.log,
    } as const
    const report = await openReport(options.reportFile, about, io)
    return await run(options, progress, report, io).catch(async (error: unknown) => {
      // whatever ends the run, its report says so
      await report.fail(error)
      throw error
    })
  } catch (error) {
    const known = asConnectorError(error)
    await progress.log('error', scrub(known.message), { kind: known.kind })
    return 1
  }
}

async function run(
  { configFile, fromDeadLetters }: StreamArguments,
  progress: RunDisplay<StreamFacts>,
  report: RunReport,
  io: Io,
): Promise<Ended> {
  const { log } = progress
  const config = await load(configFile, io, log)
  if (fromDeadLetters && config.rejects.onRejected === 'stop') throw noDeadLetters()
  const proxy = serviceRoute(config.service.baseUrl, io)
  if (proxy) await log('info', throughProxy(proxy))
  const { requestTimeoutMs, maxRequestBytes: mostBytes } = config.limits
  const isDebug = isWanted('debug', wantedBy(io.env['LOG_LEVEL']).least)
  const shared = { requestTimeoutMs, scrub: io.scrubber.scrub, onExchange: isDebug ? requestLog(log) : undefined }
  const registry = config.registry && {
    ...config.registry,
    ...shared,
    mostBytes,
    proxy: serviceRoute(config.registry.url, io),
  }
  using outages = streamOutages(config, log, systemClock)
  await using schemas = registry && (await schemasOf(registry, log, outages.registry))
  const routes = { service: { ...config.service, ...shared, proxy }, schemas: schemas?.store, outages }
  await using parts = await streamParts(config, routes, log, io.signal, fromDeadLetters)
  const run = new StreamRun(config, parts, progress, report, io.usage)
  await report.begin(reportOfStream(config, parts, () => run.facts))
  return (await report.follow(run.run(io.signal))) === 'complete' ? 0 : 'stopped'
}

async function load(file: string, { scrubber, env }: Io, log: Log): Promise<StreamConfig> {
  const text = await readFileText(file, '--config')
  const learn = (secrets: readonly string[]): void => scrubber.learn(secrets)
  const { config, warnings } = await loadStreamConfig(text, { env, file, learn })
  for (const warning of warnings) await log('warn', `${warning}.`)
  return config
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

/** Options that a report shows. */
const LIMITS = { ...limits, commit_every_seconds: true, stall_deadline_seconds: true } as const

const EVERY_MS = 60_000
const ROWS = 24
const COLUMNS = 80

export function progressOf(
  io: Pick<Io, 'stdout' | 'env' | 'isTty' | 'isDumb' | 'columns' | 'size'>,
): RunDisplay<StreamFacts> {
  const { stdout, env, size } = io
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  const terminal = { write: (text: string) => stdout.write(text), least, wallClock: Date.now }
  // on a terminal that moves no cursor, the lines are for a person all the same
  const isPlain = io.isDumb === true && io.columns !== undefined
  const lines = (): Log => (isPlain ? plainTerminal(terminal) : { log: jsonLog({ ...terminal, output: stdout }) }).log
  const progress = io.isTty
    ? runTerminal({ ...terminal, size: () => size?.() ?? { columns: COLUMNS, rows: ROWS } })
    : streamLines({ log: lines(), everyMs: EVERY_MS })
  if (problem !== undefined) void progress.log('warn', problem)
  return progress
}

function reportOfStream(
  config: StreamConfig,
  { permits, policy, replaying }: StreamParts,
  facts: () => StreamFacts,
): ReportAbout<KafkaCheckpoint, KafkaOrigin> {
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
    permits,
    files,
    scopeOf: ({ partition }) => partition.track.topic,
    nameOf: (rejected) => whereFrom(rejected).topic,
    rejectsPlace: policy.place,
    rows: () => (replaying ? facts() : runFigures(facts(), undefined)),
  }
}
