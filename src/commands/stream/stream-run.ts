// A stream from its start to its end: reads and delivers until it is asked to stop or cannot go on, commits while it does, and
// leaves the group in order.

import { FINISH_MS, streamLimits } from '../delivery-limits.ts'
import { metricsPage, StreamFactsSource } from './stream-facts-of.ts'
import { logReplayed } from './stream-parts.ts'
import type { StreamParts } from './stream-parts.ts'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { deliver } from '../../core/deliver.ts'
import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import type { ErrorKind } from '../../core/errors.ts'
import type { Clock, DeliveryWatch } from '../../core/types.ts'
import type { KafkaCheckpoint } from '../../kafka/source/kafka-source.ts'
import { within } from '../../kafka/client/waiting.ts'
import type { Io } from '../../process/io.ts'
import { keepHeapSmall } from '../../process/small-heap.ts'
import { HASH_SEED, systemClock } from '../../process/system-clock.ts'
import { healthPages } from '../../telemetry/health.ts'
import type { StoppedFacts, StreamFacts, RunDisplay } from '../../telemetry/run-facts.ts'
import { counted } from '../../text/figures.ts'

const TICK_MS = 1000
/** When the last commit is given up, from when the run was to end: what was under way may have taken most of it (STOP_GRACE_MS).
 *  A coordinator that does not answer would take all the time there is. */
const COMMITTED_BY_MS = 23_500
const LEAST_COMMIT_MS = 1500

/** One use. */
export class StreamRun {
  readonly #config: StreamConfig
  readonly #parts: StreamParts
  readonly #progress: RunDisplay<StreamFacts>
  readonly #usage: Io['usage']
  readonly #source: StreamFactsSource
  /** Nothing more is read and sent. */
  readonly #stop = new AbortController()
  /** The group may be left. */
  readonly #leave = new AbortController()
  /** The loops may end. */
  readonly #over = new AbortController()
  #latest: StreamFacts
  #failed: ErrorKind | undefined
  #stalled: ConnectorError | undefined
  #stoppedAt: number | undefined
  #isLoggedToStop = false
  #isComplete = false

  constructor(config: StreamConfig, parts: StreamParts, progress: RunDisplay<StreamFacts>, usage: Io['usage']) {
    this.#config = config
    this.#parts = parts
    this.#progress = progress
    this.#usage = usage
    this.#source = new StreamFactsSource({
      ...parts,
      clock: systemClock,
      stopping: () => this.#stoppedAt !== undefined && !this.#isComplete,
      failed: () => this.#failed,
    })
    this.#latest = this.#source.take()
  }

  /** The newest there are; of its end, the last it knew as a member. */
  get facts(): StreamFacts {
    return this.#latest
  }

  /** Resolves when what was settled is committed: `stopped` because of `signal`, `complete` when all dead letters are replayed.
   *  @throws ConnectorError: what is settled is committed first */
  async run(signal: AbortSignal, watches: readonly DeliveryWatch<KafkaCheckpoint>[]): Promise<'complete' | 'stopped'> {
    await using _server = await this.#startServer()
    const stop = (): void => {
      this.#isLoggedToStop = true
      void this.#finish()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    void keepHeapSmall(systemClock, this.#over.signal)
    const loops = [
      this.#tick(),
      commitSteadily(this.#parts.source, this.#config.commitEveryMs, systemClock, this.#over.signal),
      this.#parts.membership.run(this.#leave.signal),
    ]
    try {
      return await this.#deliver(watches)
    } catch (error) {
      this.#failed = asConnectorError(error).kind
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
      await this.#close(loops)
    }
  }

  async #startServer(): Promise<AsyncDisposable | undefined> {
    const { health, stallDeadlineMs } = this.#config
    // dead letters are replayed beside a stream that runs, and end
    if (!health || this.#parts.replaying) return undefined
    await using stack = new AsyncDisposableStack()
    const now = { facts: () => this.#now(), clock: systemClock }
    const pages = healthPages({ ...now, stallDeadlineMs })
    const { startHealthServer } = await import('../../telemetry/health-server.ts')
    pages.set('/metrics', stack.use(await metricsPage(now.facts, systemClock, this.#usage)).page)
    const server = stack.use(await startHealthServer({ ...health, pages }))
    void this.#progress.log('info', `Health is served on port ${server.port}: ${[...pages.keys()].join(', ')}.`)
    return stack.move()
  }

  async #deliver(watches: readonly DeliveryWatch<KafkaCheckpoint>[]): Promise<'complete' | 'stopped'> {
    const { source, transport, permits, policy, tally, replaying } = this.#parts
    const limits = streamLimits(this.#config.limits)
    const parts = {
      source,
      transport,
      permits,
      rejects: policy.rejects,
      clock: systemClock,
      limits,
      tally,
      watches,
      hashSeed: HASH_SEED,
    }
    const ended = await deliver(parts, this.#stop.signal)
    if (this.#stalled) throw this.#stalled
    this.#isComplete = ended === 'complete'
    if (replaying) await logReplayed(this.#progress.log, `${policy.place}`, replaying.counts)
    return ended
  }

  /** What it is doing at the moment: whoever asks need not wait for the next tick. */
  #now(): StreamFacts {
    // once it has left, the last it knew as a member
    if (this.#leave.signal.aborted) return this.#latest
    return { ...this.#source.take(), at: this.#latest.at }
  }

  /** In good order, while the service answers: then nothing is sent again that it acknowledged. */
  async #finish(): Promise<void> {
    this.#beginEnd()
    await this.#parts.source.finish(AbortSignal.any([AbortSignal.timeout(FINISH_MS), this.#stop.signal]))
    this.#end()
  }

  #beginEnd(): void {
    this.#stoppedAt ??= systemClock.now()
    this.#parts.membership.halt()
  }

  #end(): void {
    this.#beginEnd()
    this.#stop.abort()
  }

  async #close(loops: readonly Promise<void>[]): Promise<void> {
    const { source } = this.#parts
    this.#end()
    source.end()
    const leftMs = this.#stoppedAt! + COMMITTED_BY_MS - systemClock.now()
    await within(source.commit(), Math.max(LEAST_COMMIT_MS, leftMs), systemClock)
    this.#latest = this.#source.take()
    this.#leave.abort()
    const left = loops.at(-1)!
    await left.catch(() => {})
    if (this.#isLoggedToStop && this.#failed === undefined) this.#latest = { ...this.#latest, stopped: this.#stopped() }
    this.#over.abort()
    await Promise.allSettled(loops)
    await left
  }

  #stopped(): StoppedFacts {
    const { source, membership } = this.#parts
    return {
      settled: source.settledRecords,
      unsettled: source.unsettledRecords,
      uncommitted: source.uncommittedPartitions,
      hasLeft: membership.hasLeft,
    }
  }

  async #tick(): Promise<void> {
    while (!this.#over.signal.aborted) {
      // once it has left, the last it knew as a member
      if (!this.#leave.signal.aborted) this.#latest = this.#source.take()
      this.#progress.show({ ...this.#latest, at: systemClock.now() })
      this.#checkStall(this.#latest)
      await systemClock.wait(TICK_MS, this.#over.signal)
    }
    this.#progress.show(this.#latest)
  }

  #checkStall({ at, delivery, group }: StreamFacts): void {
    if (this.#stoppedAt !== undefined) return
    const { stallDeadlineMs } = this.#config
    const isOver = (since: number): boolean => at - since >= stallDeadlineMs
    const seconds = `${Math.round(stallDeadlineMs / 1000)} s (stall_deadline_seconds)`
    if (delivery.outstanding > 0 && isOver(delivery.settledAt))
      this.#stall(
        `Nothing was settled for ${seconds} although ${counted(delivery.outstanding, 'record')} ${delivery.outstanding === 1 ? 'waits' : 'wait'}.`,
        'service',
      )
    else if (group.schemasSince !== undefined && isOver(group.schemasSince))
      this.#stall(`The schema registry did not answer for ${seconds} although records wait.`, 'schema registry')
  }

  #stall(found: string, who: string): void {
    const remedy = `Start it again when the ${who} answers: it continues from the committed offsets.`
    this.#stalled = new ConnectorError('transient', `${found} ${remedy}`)
    this.#end()
  }
}

/** Settled records that are committed without waiting for the time: a kill while much is caught up with repeats few. */
export const MANY = 1000
/** Between two commits at least, however much is settled; each costs the brokers a write. */
const APART_MS = 100

interface Committed {
  /** Records settled since the last commit began. */
  readonly uncommitted: number
  /** Commits what is settled, nothing where nothing is. Never throws. */
  commit(): Promise<void>
}

/** One commit after another, until `signal`. */
export async function commitSteadily(
  source: Committed,
  everyMs: number,
  clock: Pick<Clock, 'now' | 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (let last = clock.now(); !signal.aborted;) {
    await clock.wait(Math.min(APART_MS, Math.max(1, last + everyMs - clock.now())), signal)
    const now = clock.now()
    if (signal.aborted || (source.uncommitted < MANY && now - last < everyMs)) continue
    last = now
    await source.commit()
  }
}
