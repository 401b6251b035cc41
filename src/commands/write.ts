// `write`: Airbyte messages on standard input, upserted tables out, STATE lines back. What a run is: a source, the engine
// (core/deliver.ts) and the service at its end; a log and a report beside them.

import { openAirbyteSource } from '../airbyte/airbyte-source.ts'
import { readFileText } from '../config/read-file.ts'
import { loadWriteConfig } from '../config/write/write-load.ts'
import type { WriteConfig } from '../config/write/write-load.ts'
import { limits } from '../config/write/write-options.ts'
import { deliver } from '../core/deliver.ts'
import { Tally } from '../core/tally.ts'
import type { Ended, Io } from '../process/io.ts'
import { writeFailure } from '../process/output.ts'
import { holdHeap, keepHeapSmall } from '../process/small-heap.ts'
import { HASH_SEED, systemClock } from '../process/system-clock.ts'
import type { ServiceOptions } from '../service/http/http.ts'
import { serviceRoute, throughProxy } from '../service/http/proxy.ts'
import { reportLimits } from '../telemetry/report/report-figures.ts'
import { openReport } from '../telemetry/report/report.ts'
import type { RunReport } from '../telemetry/report/report.ts'
import { summaryLines } from '../telemetry/run-lines.ts'
import type { RunFacts } from '../telemetry/run-facts.ts'
import { WriteFactsSource } from '../telemetry/write-facts.ts'
import { engineLimits, permitsOf, STOP_GRACE_MS } from './delivery-limits.ts'
import { openService } from './outages.ts'
import { hintAtTerminal, unreadWords } from './write-display.ts'
import { followRun, logFailure, openLog } from './write-log.ts'
import type { WriteLog } from './write-log.ts'

export interface WriteFiles {
  readonly configFile: string
  readonly catalogFile: string
  /** Where a report of the run is left; absent: nowhere. */
  readonly reportFile?: string | undefined
}

/** @returns 0; 1 after one TRACE ERROR, or when not all output could be written; `stopped` when the process was asked to stop.
 *  Never throws. */
export async function write(files: WriteFiles, io: Io): Promise<Ended> {
  const logs = await openLog(io)
  const ended = await reported(files, logs, io)
  try {
    await io.stdout.flush()
    return ended
  } catch (error) {
    // also where all was stored: who started this run does not know how far it came
    await io.stderr.write(`${unreadWords(logs.last, writeFailure(error))}\n`).catch(() => {})
    return ended === 'stopped' ? ended : 1
  }
}

async function reported(files: WriteFiles, logs: WriteLog, io: Io): Promise<Ended> {
  try {
    const about = { command: 'write', noun: 'stream', files: reservedPathsOf(files), log: logs.log } as const
    const report = await openReport(files.reportFile, about, io)
    try {
      const ended = await run(files, logs, report, io)
      await logs.display?.ended(ended, files.reportFile)
      return ended
    } catch (error) {
      await report.fail(error)
      throw error
    }
  } catch (error) {
    await logFailure(error, io)
    await logs.display?.failed(error)
    return 1
  }
}

/** No fault: a source may have nothing to say. But it is also what a pipe brings whose writer failed. */
const EMPTY =
  'Standard input was empty: no message came, so nothing was stored. Is a source at the other end of the pipe?'

/** From standard input to the service: source, engine, sink. */
async function run(files: WriteFiles, logs: WriteLog, report: RunReport, io: Io): Promise<Ended> {
  const { log, display } = logs
  const clock = systemClock
  const running = new AbortController()
  holdHeap()
  const { config, serviceOptions } = await load(files, logs, io)

  await using source = await openSource(files, config, logs, io)
  await using service = openService(serviceOptions, config.limits, { log, clock, signal: running.signal })
  const tally = new Tally()
  const permits = permitsOf(config.limits)
  const engine = {
    source: source.source,
    transport: service,
    rejects: source.rejects,
    permits,
    limits: engineLimits(config.limits, STOP_GRACE_MS),
    tally,
    clock,
    hashSeed: HASH_SEED,
  }

  const input = display?.input
  const { rejectsPlace } = source
  if (display) display.rejectsPlace = rejectsPlace
  const parts = { streams: source.mappings, tally, permits, transport: service, input }
  const facts = new WriteFactsSource(parts, clock.now())
  const factsNow = (): RunFacts => facts.take(clock.now())
  const watches = await report.begin({
    host: new URL(config.service.baseUrl).host,
    limits: reportLimits(config.limits, limits),
    permits,
    files: source.files,
    scopeOf: source.scopeOf,
    tally,
    rejects: source.rejectCounts,
    rejectsPlace,
    rows: factsNow,
  })
  void followRun(factsNow, logs, clock, running.signal)
  void keepHeapSmall(clock, running.signal)
  try {
    const ended = await report.follow(deliver({ ...engine, watches }, io.signal))
    if (ended === 'stopped') return ended
    if (source.isEmpty()) await log('warn', EMPTY)
    for (const warning of source.unfinished()) await log('warn', warning)
    return 0
  } finally {
    running.abort()
    for (const warning of source.ignored()) await log('warn', warning)
    const last = factsNow()
    logs.last = last
    display?.show(last)
    for (const line of summaryLines(last, rejectsPlace)) await log('info', line)
  }
}

interface Loaded {
  readonly config: WriteConfig
  readonly serviceOptions: ServiceOptions
}

async function load({ configFile }: WriteFiles, { log, onExchange }: WriteLog, io: Io): Promise<Loaded> {
  const { scrubber } = io
  const text = await readFileText(configFile, '--config')
  const { config, warnings } = loadWriteConfig(text, (secrets) => scrubber.learn(secrets))
  const proxy = serviceRoute(config.service.baseUrl, io)
  for (const warning of warnings) await log('warn', warning)
  if (proxy) await log('info', throughProxy(proxy))
  const { requestTimeoutMs } = config.limits
  return { config, serviceOptions: { ...config.service, proxy, requestTimeoutMs, scrub: scrubber.scrub, onExchange } }
}

/** Another kind of input is opened here: anything with the members of an AirbyteSource will do. */
function openSource(files: WriteFiles, config: WriteConfig, { log, display }: WriteLog, io: Io) {
  return openAirbyteSource({
    catalogFile: files.catalogFile,
    config,
    async openInput() {
      const input = await io.openInput()
      await hintAtTerminal(input, io)
      display?.reads(input)
      return input
    },
    stdout: io.stdout,
    log,
    scrub: io.scrubber.scrub,
    clock: systemClock,
    reservedPaths: reservedPathsOf(files),
  })
}

/** What is written must not go into these. */
function reservedPathsOf({ configFile, catalogFile }: WriteFiles): { file: string; what: string }[] {
  return [
    { file: configFile, what: 'that of --config' },
    { file: catalogFile, what: 'that of --catalog' },
  ]
}
