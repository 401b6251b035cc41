// One run of `write` or `stream`, dry or not: its input is opened, delivered and reported. What differs between the commands is in a
// `Command`, and in the input that it opens.

import type { LimitsConfig } from '../config/write/write-load.ts'
import { FixedPermits } from '../core/concurrency/fixed-permits.ts'
import { AdaptivePermits } from '../core/concurrency/limit.ts'
import { deliver, type Limits } from '../core/deliver.ts'
import { asConnectorError, type ConnectorError, type ErrorKind } from '../core/errors.ts'
import { Tally } from '../core/tally.ts'
import type { Clock, DeliveryWatch, Transport } from '../core/types.ts'
import type { Io, Log } from '../process/io.ts'
import { brokenOutputError } from '../process/print.ts'
import { keepHeapSmall } from '../process/small-heap.ts'
import { busyMs, HASH_SEED, newRunId, systemClock } from '../process/system-clock.ts'
import type { ServiceOptions } from '../service/http/http.ts'
import { createTransport } from '../service/import/transport.ts'
import { RunFactsSource, type DeliveryParts } from '../run/facts-source.ts'
import type { Open, OpenInput, ReservedPath, RunContext } from '../run/open-input.ts'
import { lookForOutages, serviceOutage } from '../telemetry/outage-watch.ts'
import type { ReportFiles } from '../telemetry/report/report-file.ts'
import type { RunFiles } from '../telemetry/report/run-files.ts'
import type { ListedOutage, RunFacts } from '../run/run-facts.ts'
import type { RunLimits } from '../telemetry/summary/summary.ts'
import { WatchedTransport } from '../telemetry/watched-transport.ts'

/** A command's part of its run. C is a checkpoint of its source, O where a record came from, for messages. */
export interface Command<C, O> {
  /** With its mode, such as `stream --from-dead-letters`. */
  readonly name: string
  /** Files of the command line that nothing may be written to. */
  readonly files: readonly ReservedPath[]
  /** The files that tell of the run afterwards. */
  readonly reportFiles: ReportFiles
  readonly log: Log
  /** Called once a second. */
  show(facts: RunFacts): void
  /** Called when the run has ended, well or not. @param facts the last ones; of a group's member those it had when it left */
  ended(facts: RunFacts, input: OpenInput<C, O>): Promise<void>
  /** @throws ConnectorError config when the configuration cannot be used */
  load(): Promise<RunConfig<C, O>>
}

/** A run as a configuration describes it. */
export interface RunConfig<C, O> {
  /** `undefined` when nothing is sent, and all of it counts as delivered. */
  readonly service: ServiceOptions | undefined
  readonly limits: LimitsConfig
  /** The longest time in which nothing may be settled. `undefined` when only the limits of the engine count. */
  readonly stallDeadlineMs?: number | undefined
  /** The limits that a report shows, because they are not at their default. */
  readonly reportLimits: RunLimits
  /** Digest of its options (telemetry/summary/digests.ts); absent when it is not told. */
  readonly digest?: string
  readonly open: Open<C, O>
  /** Tells others over the network how the run does, until it is disposed of. */
  serve?(facts: () => RunFacts): Promise<AsyncDisposable | undefined>
}

/** Makes a run. Resolves when everything read is stored (complete), or when it was asked to stop and what was settled is committed.
 *  @throws ConnectorError: what is settled is committed first; the files tell the error, the log does not */
export async function run<C, O>(command: Command<C, O>, io: Io): Promise<'complete' | 'stopped'> {
  const runId = newRunId()
  const files = await openFiles(command, runId, io)
  try {
    const config = await command.load()
    const { limits, service } = config
    const { log } = command
    const [clock, tally, permits] = [systemClock, new Tally(), makePermits(limits)]
    const outages: ListedOutage[] = []
    let input: OpenInput<C, O> | undefined
    // called before each attempt: by then the input is open, though the service is made first
    const mayBegin = (): boolean => input?.group?.mayBegin() ?? true
    await using transport = service ? openService({ ...config, service }, mayBegin, { log, clock, outages }) : nowhere()
    const samplesFields = command.reportFiles.summary !== undefined
    const { scrub } = io.scrubber
    const context = { runId, tally, service: transport, log, outages, scrub, clock, samplesFields, signal: io.signal }
    await using opened = await config.open(context)
    input = opened
    const shared = { clock, tally, permits, transport, outages, stdout: io.stdout }
    const running = new Running({ command, config, input: opened, files, ...shared })
    const host = service ? new URL(service.baseUrl).host : ''
    const parts = { host, limits: config.reportLimits, files: opened.reserved, input: opened, permits, tally, outages }
    const facts = (): RunFacts => running.facts()
    const watch = await files?.begin<C>({ ...parts, configDigest: config.digest, facts })
    const ended = await running.run(watch ? [watch] : [], io.signal).catch(async (error: unknown) => {
      // before the input is closed, which may take its time; the same call below then changes nothing
      await files?.fail(error)
      throw error
    })
    await files?.end(ended)
    return ended
  } catch (error) {
    await files?.fail(error)
    throw error
  }
}

/** Loads what writes files only where a file is asked for. */
async function openFiles<C, O>(command: Command<C, O>, runId: string, io: Io): Promise<RunFiles | undefined> {
  const { report, summary } = command.reportFiles
  if (report === undefined && summary === undefined) return undefined
  const { RunFiles } = await import('../telemetry/report/run-files.ts')
  return await RunFiles.open(command.reportFiles, { ...command, command: command.name, runId }, io)
}

/** The service as the sink of a run; its outages are logged. Opens nothing yet; disposing of it breaks off what is in flight. */
function openService<C, O>(
  { service, limits, stallDeadlineMs }: RunConfig<C, O> & { readonly service: ServiceOptions },
  mayBegin: () => boolean,
  parts: Pick<RunContext, 'log' | 'clock' | 'outages'>,
): WatchedTransport & AsyncDisposable {
  const client = createTransport(service)
  const outage = serviceOutage(service.baseUrl, { ...limits, stallDeadlineMs }, parts)
  const { clock } = parts
  const closed = new AbortController()
  void lookForOutages([outage], clock, closed.signal)
  const transport = new WatchedTransport({ transport: client, clock, outage, mayBegin })
  const close = async (): Promise<void> => {
    closed.abort()
    await client[Symbol.asyncDispose]()
  }
  return Object.assign(transport, { [Symbol.asyncDispose]: close })
}

type Sink = Transport & DeliveryParts['transport']

/** A sink that sends nothing, and so is quiet: no bytes of a request wait to be sent. */
function nowhere(): Sink & AsyncDisposable {
  return {
    failingSince: undefined,
    throttledSince: undefined,
    pausedUntil: undefined,
    send: () => Promise.resolve({ status: 'delivered' }),
    isQuiet: () => true,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

interface RunningParts<C, O> {
  readonly command: Command<C, O>
  readonly config: RunConfig<C, O>
  readonly input: OpenInput<C, O>
  readonly files: RunFiles | undefined
  readonly clock: Clock
  readonly tally: Tally
  readonly permits: ReturnType<typeof makePermits>
  readonly transport: Sink
  readonly outages: ListedOutage[]
  readonly stdout: Io['stdout']
}

/** The run is shown, and looked at for a stall, once in this time. */
const TICK_MS = 1000
/** How long attempts in flight may go on when a run is stopped. Of the 30 s that a stopped process has, it commits and leaves in the rest
 *  (COMMITTED_BY_MS, and LAST_MS in main.ts). An attempt that is given up may land later than what others send. */
const STOP_GRACE_MS = 22_000
/** Part of STOP_GRACE_MS in which a member of a group still begins attempts, for records that lie before one that was sent. */
const FINISH_MS = 3000
/** How long an open body waits for more points while a permit is free (core/linger.ts). */
const LINGER_MS = 20
/** When the last commit is given up, counted from when the end began: STOP_GRACE_MS may have passed before it. A coordinator that does
 *  not answer would take all the time there is. */
const COMMITTED_BY_MS = 23_500
/** The time that the last commit has at least, even if COMMITTED_BY_MS has passed. */
const LEAST_COMMIT_MS = 1500

/** A run from the first record to the last commit. One use. While it delivers, `#tick` shows it once a second. It ends when its input does,
 *  when a stop was asked for (`#stopInGoodOrder`), when nothing is settled for too long, or by an error. Then, in this order: nothing
 *  more is sent, the last commit, the group is left, the loops end, the command tells how it ended. */
class Running<C, O> {
  readonly #parts: RunningParts<C, O>
  readonly #source: RunFactsSource
  /** Aborts when nothing more may be read and sent. */
  readonly #stopDelivery = new AbortController()
  /** Aborts when the group may be left. */
  readonly #leaveGroup = new AbortController()
  /** Aborts when the loops (`#tick`, and what keeps the heap small) may end. */
  readonly #endLoops = new AbortController()
  /** The facts of the last tick or, once the group may be left, the last ones of all. */
  #latest: RunFacts
  #failed: ErrorKind | undefined
  #stallError: ConnectorError | undefined
  /** When the end began, by the clock. `undefined` until then. */
  #stoppedAt: number | undefined
  #wasStopAsked = false
  #isComplete = false

  constructor(parts: RunningParts<C, O>) {
    this.#parts = parts
    this.#source = new RunFactsSource(parts, parts.clock.now())
    this.#latest = this.#takeFacts()
  }

  /** Returns the current facts without waiting for the next tick; only their `at` is that of the last tick. */
  facts(): RunFacts {
    // once it has left its group, the last it knew as a member
    return this.#leaveGroup.signal.aborted ? this.#latest : { ...this.#takeFacts(), at: this.#latest.at }
  }

  async run(watches: readonly DeliveryWatch<C>[], signal: AbortSignal): Promise<'complete' | 'stopped'> {
    const { config, input } = this.#parts
    const { group } = input
    await using _server = await config.serve?.(() => this.facts())
    const stop = (): void => {
      this.#wasStopAsked = true
      void this.#stopInGoodOrder()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    void keepHeapSmall(this.#parts.clock, this.#endLoops.signal)
    const ticks = this.#tick()
    const membership = group?.run(this.#leaveGroup.signal)
    // it is awaited at the end; what it fails with before ends the run
    membership?.catch((error: unknown) => {
      this.#failed ??= asConnectorError(error).kind
      this.#stopNow()
    })
    try {
      const ended = await this.#deliver(watches)
      this.#isComplete = ended === 'complete'
      const lackError = this.#isComplete ? input.lackError?.() : undefined
      if (lackError) throw lackError
      return ended
    } catch (error) {
      this.#failed = asConnectorError(error).kind
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
      try {
        await this.#commitAndLeave(membership)
      } finally {
        await ticks
        await this.#tellEnd()
      }
    }
  }

  async #deliver(watches: readonly DeliveryWatch<C>[]): Promise<'complete' | 'stopped'> {
    const { config, input, clock, tally, permits, transport, stdout } = this.#parts
    const { source, rejects, group } = input
    const limits = engineLimits(config.limits, group ? STOP_GRACE_MS - FINISH_MS : STOP_GRACE_MS)
    const engine = { source, rejects, limits, watches, hashSeed: HASH_SEED, clock, tally, permits, transport }
    const ended = await deliver(engine, this.#stopDelivery.signal).catch(async (error: unknown): Promise<'stopped'> => {
      // a STATE that could not be written: #tellEnd says why
      if (error instanceof Error && error.cause && error.cause === (await stdout.failure())) return 'stopped'
      throw error
    })
    if (this.#stallError) throw this.#stallError
    return ended
  }

  /** Ends a run that is asked to stop: a member of a group in good order, so that nothing is sent again that the service acknowledged. */
  async #stopInGoodOrder(): Promise<void> {
    this.#beginStop()
    await this.#parts.input.group?.finish(AbortSignal.any([AbortSignal.timeout(FINISH_MS), this.#stopDelivery.signal]))
    this.#stopNow()
  }

  /** Begins the end: nothing more is fetched. May be called again. */
  #beginStop(): void {
    this.#stoppedAt ??= this.#parts.clock.now()
    this.#parts.input.group?.halt()
  }

  #stopNow(): void {
    this.#beginStop()
    this.#stopDelivery.abort()
  }

  /** Makes the last commit, takes the last facts, and only then leaves the group. */
  async #commitAndLeave(membership: Promise<void> | undefined): Promise<void> {
    const { group } = this.#parts.input
    this.#stopNow()
    const leftMs = this.#stoppedAt! + COMMITTED_BY_MS - this.#parts.clock.now()
    await group?.commit(Math.max(LEAST_COMMIT_MS, leftMs))
    this.#latest = this.#takeFacts()
    this.#leaveGroup.abort()
    try {
      await membership
    } finally {
      if (this.#wasStopAsked && this.#failed === undefined)
        this.#latest = { ...this.#latest, stopped: this.#parts.input.stopFacts?.() }
      this.#endLoops.abort()
    }
  }

  /** Tells the user how the run ended. @throws ConnectorError when output is broken, unless its reader left or the run failed already */
  async #tellEnd(): Promise<void> {
    const { command, input, stdout } = this.#parts
    for (const words of input.endWords(this.#isComplete)) await command.log(...words)
    await command.ended(this.#latest, input)
    const error = brokenOutputError(await stdout.failure())
    if (error && this.#failed === undefined) throw error
  }

  #takeFacts(): RunFacts {
    const stopping = this.#stoppedAt !== undefined && !this.#isComplete
    return { ...this.#source.take(this.#parts.clock.now()), stopping, failed: this.#failed }
  }

  /** Shows the run once a second until `#endLoops` aborts, and stops it when it has stalled. */
  async #tick(): Promise<void> {
    const { command, input, files, clock } = this.#parts
    for (let nth = 0; !this.#endLoops.signal.aborted; nth++) {
      if (nth > 0) files?.tick(nth)
      if (!this.#leaveGroup.signal.aborted) this.#latest = this.#takeFacts()
      command.show({ ...this.#latest, at: clock.now() })
      if (this.#stoppedAt === undefined) this.#stallError = input.stallError?.(this.#latest)
      if (this.#stallError) this.#stopNow()
      await clock.wait(TICK_MS, this.#endLoops.signal)
    }
  }
}

/** Returns the engine's limits as a config gives them. @param graceMs how long attempts in flight may go on once the run is stopped */
export function engineLimits(limits: LimitsConfig, graceMs: number): Limits {
  const { maxRequestBytes: maxBytes, lateWriteGuardMs: guardMs } = limits
  return { ...limits, maxBytes, guardMs, lingerMs: LINGER_MS, graceMs }
}

/** Makes as many permits as the user fixed, or permits that tune themselves. */
function makePermits({ concurrency, maxRequestsPerSecond: perSecond }: LimitsConfig) {
  return concurrency === undefined
    ? new AdaptivePermits({ perSecond, busyMs })
    : new FixedPermits({ limit: concurrency, perSecond })
}
