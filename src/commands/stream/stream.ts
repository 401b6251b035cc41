// `stream`: topics of Kafka in, upserted tables out, offsets committed. Loads the config, and gives run.ts, which makes the run, what is
// of `stream` alone: where records come from, what is served over HTTP, how the run is shown.

import { changedOptions, picked } from '../../config/config-of.ts'
import { readFileText } from '../../config/read-file.ts'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { loadStreamConfig } from '../../config/stream/stream-load.ts'
import { streamSchema } from '../../config/stream/stream-options.ts'
import { limits } from '../../config/write/write-options.ts'
import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import { openKafkaInput, type KafkaInputOptions } from '../../kafka/source/kafka-input.ts'
import type { KafkaOrigin } from '../../kafka/source/kafka-origin.ts'
import type { KafkaCheckpoint } from '../../kafka/source/owned-partition.ts'
import type { Ended, Io, Log } from '../../process/io.ts'
import { paintFor } from '../../process/paint.ts'
import { EventLoopLag, systemClock } from '../../process/system-clock.ts'
import { serviceRoute, throughProxy } from '../../service/http/proxy.ts'
import { healthPages } from '../../telemetry/health.ts'
import type { Page } from '../../telemetry/health-server.ts'
import { isWanted, jsonLog, wantedBy } from '../../telemetry/log.ts'
import type { ReportFiles } from '../../telemetry/report/report-file.ts'
import type { RunDisplay, RunFacts } from '../../run/run-facts.ts'
import { configDigest } from '../../telemetry/summary/digests.ts'
import { streamLines } from '../../telemetry/run-entries.ts'
import { plainTerminal, runTerminal } from '../../telemetry/run-terminal.ts'
import type { DryRunChoices } from '../dry-run.ts'
import { requestLog } from '../request-log.ts'
import { run, type RunConfig } from '../run.ts'

interface StreamArguments {
  readonly configFile: string
  /** Whether dead letters are replayed instead of reading topics. */
  readonly fromDeadLetters: boolean
  /** Files that are left to tell of the run. */
  readonly reportFiles: ReportFiles
}

const NO_LETTERS =
  'stream --from-dead-letters needs to know where dead letters are: dead_letters is not set in the configuration.'
/** The options that a report shows where they are not at their default. */
const LIMITS = { ...limits, commit_every_seconds: true, stall_deadline_seconds: true } as const

/** Runs `stream`, or replays its dead letters.
 *  @returns 1 after one error in the log; `stopped` when the process was asked to stop; 0 when all dead letters are replayed.
 *  Never throws. */
export async function stream(options: StreamArguments, io: Io): Promise<Ended> {
  const { configFile, fromDeadLetters, reportFiles } = options
  using progress = displayFor(io)
  const { log } = progress
  const command = {
    name: fromDeadLetters ? 'stream --from-dead-letters' : 'stream',
    files: [{ file: configFile, what: 'that of --config' }],
    reportFiles,
    log,
    show: (facts: RunFacts) => progress.show(facts),
    ended: (facts: RunFacts) => Promise.resolve(progress.show(facts)),
    load: () => load(configFile, { replays: fromDeadLetters }, log, io),
  } as const
  try {
    return (await run(command, io)) === 'complete' ? 0 : 'stopped'
  } catch (error) {
    const { kind, code, message } = asConnectorError(error)
    await log('error', io.scrubber.scrub(message), { kind, ...(code && { code }) })
    // the log is not read any more: stream-command.ts says so on standard error
    return code === 'output.unwritable' && io.stopAsked?.aborted === false ? 'stopped' : 1
  }
}

/** Reads the config, and makes of it what run.ts needs, which calls `open` and `serve`.
 *  @param reads what is read: topics or their dead letters, and how much */
async function load(
  configFile: string,
  reads: Pick<KafkaInputOptions, 'replays' | 'mostRecords'>,
  log: Log,
  io: Io,
): Promise<RunConfig<KafkaCheckpoint, KafkaOrigin>> {
  const config = await configOf(configFile, io, log)
  if (reads.replays && config.rejects.onRejected === 'stop')
    throw new ConnectorError('config', 'dead-letters.not-set', NO_LETTERS)
  const proxy = serviceRoute(config.service.baseUrl, io)
  if (proxy) await log('info', throughProxy(proxy))
  // it changes the digest of a replay alone, which has no limit of the share unless the file gives one
  const isShareGiven = reads.replays && config.rejectLimits.isShareGiven
  const { requestTimeoutMs, maxRequestBytes: mostBytes } = config.limits
  const isDebug = isWanted('debug', wantedBy(io.env['LOG_LEVEL']).least)
  const httpOptions = { requestTimeoutMs, scrub: io.scrubber.scrub, onExchange: isDebug ? requestLog(log) : undefined }
  const registry = config.registry && {
    ...config.registry,
    ...httpOptions,
    mostBytes,
    proxy: serviceRoute(config.registry.url, io),
  }
  return {
    service: { ...config.service, ...httpOptions, proxy },
    limits: config.limits,
    stallDeadlineMs: config.stallDeadlineMs,
    digest: configDigest(config.service, { ...config, rejectLimits: { ...config.rejectLimits, isShareGiven } }),
    reportLimits: changedOptions({ ...config.limits, ...config }, picked(streamSchema.shape, LIMITS)),
    open: (context) =>
      openKafkaInput({ config, registry, identity: { io, onExchange: httpOptions.onExchange }, ...reads }, context),
    // not for a replay: it soon ends, and the stream beside it serves its own
    serve: (facts) => (reads.replays ? Promise.resolve(undefined) : serveHealth(config, facts, log, io.usage)),
  }
}

/** Serves /healthz, /readyz and /metrics over HTTP until it is disposed of; nothing if the config does not ask for it.
 *  @throws ConnectorError config: it cannot listen there */
async function serveHealth(
  { health, stallDeadlineMs }: Pick<StreamConfig, 'health' | 'stallDeadlineMs'>,
  facts: () => RunFacts,
  log: Log,
  usage: Io['usage'],
): Promise<AsyncDisposable | undefined> {
  if (!health) return undefined
  await using stack = new AsyncDisposableStack()
  const pages = healthPages(facts, systemClock, stallDeadlineMs)
  const { startHealthServer } = await import('../../telemetry/health-server.ts')
  const lag = stack.use(new EventLoopLag(systemClock))
  pages.set('/metrics', await metricsPage(facts, usage, lag))
  const server = stack.use(await startHealthServer(health, pages))
  void log('info', `Health is served on port ${server.port}: ${[...pages.keys()].join(', ')}.`)
  return stack.move()
}

async function metricsPage(facts: () => RunFacts, usage: Io['usage'], lag: EventLoopLag): Promise<Page> {
  // both are loaded only here, because that takes a while
  const { streamMetrics } = await import('../../telemetry/metrics.ts')
  const { version } = await import('../../version.ts')
  const programVersion = version()
  // in seconds since 1970
  const startedAt = performance.timeOrigin / 1000
  return streamMetrics(() => ({
    ...facts(),
    now: systemClock.now(),
    version: programVersion,
    usage: usage && { ...usage(), startedAt, loopLagSeconds: lag.seconds },
  }))
}

interface DryStreamOptions extends DryRunChoices {
  readonly configFile: string
  /** Most records that are read. `undefined` when all that are there are read. */
  readonly mostRecords: number | undefined
}

/** Makes a dry run of `stream`. */
export async function dryStream({ configFile, mostRecords, ...choices }: DryStreamOptions, io: Io): Promise<Ended> {
  const { dryRun } = await import('../dry-run.ts')
  const reads = { replays: false, mostRecords }
  const dry = { name: 'stream', noun: 'topic', load: (log: Log) => load(configFile, reads, log, io) } as const
  return dryRun({ ...dry, ...choices }, io)
}

async function configOf(file: string, { scrubber, env }: Io, log: Log): Promise<StreamConfig> {
  const text = await readFileText(file, '--config')
  const learn = (secrets: readonly string[], of?: string): void => scrubber.learn(secrets, of)
  const { config, warnings } = await loadStreamConfig(text, { env, file, learn })
  for (const warning of warnings) await log('warn', `${warning}.`, { code: 'config.warning' })
  return config
}

/** Chooses how the run is shown on standard output: in place on a terminal, as plain lines on one that moves no cursor, else as JSON. */
export function displayFor(
  io: Pick<Io, 'stdout' | 'env' | 'scrubber' | 'isTty' | 'isDumb' | 'columns' | 'size'>,
): RunDisplay {
  const { stdout, env, size } = io
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  const paint = paintFor(io, io.isTty)
  const terminal = { write: (text: string) => stdout.write(text), least, wallClock: Date.now, paint }
  const isPlain = io.isDumb === true && io.columns !== undefined
  const logLines = (): Log =>
    isPlain ? plainTerminal(terminal).log : jsonLog({ ...terminal, output: stdout, scrub: io.scrubber.scrub })
  const progress = io.isTty ? runTerminal({ ...terminal, size: () => size?.() }) : streamLines(logLines())
  if (problem !== undefined) void progress.log('warn', problem)
  return progress
}
