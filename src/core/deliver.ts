// THE loop: read → buffer → send → settle → commit, and the one place that owns concurrency.
//
// Three things run at once and meet only here: one reader, which stops while the byte budget is spent; up to a
// permit's worth of attempts; one committer, which commits what the ledger says is due. Whatever happens (items read,
// an attempt ended, a time reached, a commit done) ends in `#turn`, which starts everything that is due now and then
// says when it must be called next. So there is no state in which something is due and nobody looks.
// It knows nothing of Airbyte, Kafka, JSON or HTTP, and has no time but the clock it is given.

import { SendQueue } from './send-queue.ts'
import { Timer, Wakeup } from './wakeup.ts'
import { asConnectorError } from './errors.ts'
import type { ConnectorError } from './errors.ts'
import type { Batch } from './batch.ts'
import { engineFacts } from './engine-facts.ts'
import { Intake } from './intake.ts'
import { Ledger } from './ledger.ts'
import { next, tableRefused } from './retry.ts'
import type { Share } from './point.ts'
import { send } from './send.ts'
import { Rejecting } from './refusal/rejecting.ts'
import { settlePoints } from './body.ts'
import { Tables } from './tables.ts'
import type { TableLimits } from './tables.ts'
import type { EndingFacts, Tally } from './tally.ts'
import type { Clock, Outcome, Permits, Rejects, Source, Transport } from './types.ts'

export interface Limits extends TableLimits {
  /** Pending + in flight + held checkpoints; reading stops while it is spent. */
  readonly bufferBytes: number
  /** A batch's budget from its first attempt. */
  readonly retryForMs: number
  /** How long newer values of an ambiguous attempt's keys wait. */
  readonly guardMs: number
  /** How long attempts in flight may go on once the run is stopped. */
  readonly graceMs: number
}

export interface Parts<C, O> {
  readonly source: Source<C, O>
  readonly transport: Transport
  readonly permits: Permits
  readonly rejects: Rejects<O>
  readonly clock: Clock
  readonly limits: Limits
  readonly tally: Tally
  /** Any number of 32 bits, best another one in each process: then nobody can send keys that are slow to find. */
  readonly hashSeed: number
}

/** A service of which no attempt has come to a good end for so long is down: nobody waits for it to let go of a track. */
const DOWN_MS = 5000

/** Delivers everything the source yields, committing each checkpoint as soon as everything before it is settled.
 *  @param signal stops the run: nothing new is sent, what is in flight gets `graceMs`, what is settled is committed
 *  @returns `complete`, or `stopped` when `signal` ended it
 *  @throws ConnectorError: of the source (everything read before it delivered and committed first), of the service or
 *  of a reject (what is settled committed first). See decisions.md#delivery */
export async function deliver<C, O>(parts: Parts<C, O>, signal: AbortSignal): Promise<'complete' | 'stopped'> {
  return new Delivery(parts).run(signal)
}

class Delivery<C, O> {
  readonly #parts: Parts<C, O>
  readonly #tables: Tables<O>
  readonly #ledger = new Ledger<C>()
  readonly #queue: SendQueue<O>
  readonly #rejecting: Rejecting<O>
  readonly #reading = new AbortController()
  readonly #attempting = new AbortController()
  readonly #life = new AbortController()
  readonly #over = new Wakeup()
  readonly #timer: Timer
  readonly #intake: Intake<C, O>
  #rejects = 0
  #committing = false
  /** What the checkpoint that is being committed costs. */
  #committingBytes = 0
  #commitFailed = false
  #stopping = false
  #stopsAt: number | undefined
  /** When the first of an unbroken row of failed attempts ended. */
  #failingSince: number | undefined
  #error: ConnectorError | undefined

  constructor(parts: Parts<C, O>) {
    this.#parts = parts
    this.#tables = new Tables(parts.limits, parts.hashSeed, parts.rejects)
    const drop = ({ segment, count }: Share): void => this.#ledger.drop(segment, count)
    this.#queue = new SendQueue({ permits: parts.permits, guardMs: parts.limits.guardMs, drop }, this.#tables)
    this.#rejecting = new Rejecting(parts, this.#ledger, this.#tables)
    this.#intake = new Intake(parts, {
      ledger: this.#ledger,
      tables: this.#tables,
      rejecting: this.#rejecting,
      signal: this.#reading.signal,
      underWay: this.#attempting.signal,
      isStopped: () => this.#stopping,
      isFailing: () => this.#error !== undefined && !this.#stopping,
      inFlight: () => this.#queue.inFlight,
      committingBytes: () => this.#committingBytes,
      turn: () => this.#turn(),
      forget: () => this.#queue.forget(parts.clock.now()),
      fail: (error) => this.#fail(asConnectorError(error)),
    })
    this.#timer = new Timer(parts.clock, this.#life.signal, () => this.#turn())
    parts.tally.tracks = this.#ledger.tracks
    Object.assign(
      parts.tally,
      engineFacts({
        ledger: this.#ledger,
        tables: this.#tables,
        queue: this.#queue,
        intake: this.#intake,
        loop: () => this.#facts(),
      }),
    )
  }

  async run(signal: AbortSignal): Promise<'complete' | 'stopped'> {
    const onAbort = (): void => this.#stop(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const reading = this.#intake.read()
    try {
      while (!this.#isOver()) await this.#over.wait()
      await reading
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#life.abort()
    }
    if (this.#error) throw this.#error
    return this.#stopping ? 'stopped' : 'complete'
  }

  #facts(): Pick<EndingFacts, 'stopsAt' | 'isCommitting' | 'rejecting'> {
    return {
      stopsAt: this.#stopsAt,
      isCommitting: this.#committing,
      rejecting: this.#rejects + this.#intake.rejects,
    }
  }

  #isOver(): boolean {
    if (!this.#intake.ended || this.#queue.inFlight > 0 || this.#committing) return false
    if (this.#rejects + this.#intake.rejects > 0) return false
    return this.#stopping || this.#ledger.outstanding === 0
  }

  /** Starts all that is due now, then sets the timer for what is due next. */
  #turn(): void {
    const now = this.#parts.clock.now()
    this.#judge()
    if (!this.#stopping) {
      // what is let go of instead of rejected may make room for what it held back
      do this.#startAll(now)
      while (this.#rejectAll(now) && !this.#stopping)
    }
    void this.#commit()
    if (this.#intake.isGivingAway && !this.#committing && this.#isVain(now)) this.#intake.giveUp()
    if (!this.#stopping) this.#timer.set(this.#queue.nextChange(now))
    this.#intake.goOn()
    if (this.#isOver()) this.#over.notify()
  }

  /** Whether what tracks that leave still wait for will not come soon. */
  #isVain(now: number): boolean {
    if (this.#failingSince !== undefined && now - this.#failingSince >= DOWN_MS) return true
    return this.#queue.isIdle && this.#rejects + this.#intake.rejects === 0
  }

  #startAll(now: number): void {
    for (
      let batch = this.#queue.next(now, this.#intake.ended);
      batch;
      batch = this.#queue.next(now, this.#intake.ended)
    ) {
      void this.#attempt(batch)
      if (this.#stopping) return
    }
  }

  async #attempt(batch: Batch<O>): Promise<void> {
    const { clock, transport, permits, tally } = this.#parts
    const started = clock.now()
    if (batch.attempts++ === 0) batch.firstAt = started
    const outcome = await send(transport, batch.request, this.#attempting.signal)
    const now = clock.now()
    this.#queue.ended(now)
    permits.give(outcome, now - started, now)
    tally.attempted(batch, outcome)
    this.#follow(batch, outcome, now)
    this.#turn()
  }

  #follow(batch: Batch<O>, outcome: Outcome, now: number): void {
    if (outcome.status !== 'retry') this.#failingSince = undefined
    else if (outcome.cause !== 'throttled') this.#failingSince ??= now
    if (outcome.status === 'retry' && outcome.ambiguous) batch.ambiguousAt = now
    const then = next(outcome, batch, this.#parts.limits.retryForMs, now, this.#parts.clock.random())
    if (outcome.status === 'retry' && outcome.stale === true) batch.wasStale = true
    const queue = this.#queue
    if (then.kind === 'settled') {
      queue.quarantine.delivered(batch)
      settlePoints(batch.body, this.#ledger, 'written')
      queue.free(batch, now, this.#parts.transport.isQuiet?.())
    } else if (then.kind === 'again') queue.again(batch, then.at, now)
    else if (then.kind === 'split') queue.split(batch, now)
    else if (then.kind === 'reject') {
      queue.quarantine.tooLarge(batch)
      if (queue.isRejectable(batch, now)) void this.#reject(batch, then.reason)
    } else if (then.kind === 'stop') this.#stop(then.error)
    else queue.quarantine.refused(batch, then.reason)
  }

  /** Whether it is a table that is refused. */
  #judge(): void {
    const { quarantine } = this.#queue
    const table = quarantine.isIdle ? undefined : quarantine.refusedTable()
    if (table) this.#stop(tableRefused(table.batch, table.reason))
  }

  /** @returns whether something was let go of at once */
  #rejectAll(now: number): boolean {
    const { quarantine } = this.#queue
    let isFreed = false
    for (let it = quarantine.nextRefused(); it; it = quarantine.nextRefused()) {
      if (this.#queue.isRejectable(it.batch, now)) void this.#reject(it.batch, it.reason)
      else isFreed = true
    }
    return isFreed
  }

  /** A point the service refuses although it is alone: policy decides. */
  async #reject(batch: Batch<O>, reason: string): Promise<void> {
    this.#rejects++
    try {
      await this.#rejecting.refused(batch, reason, this.#attempting.signal)
    } catch (error) {
      // out of time: it is not settled, and that is all
      if (!this.#attempting.signal.aborted) this.#notRejected(batch, asConnectorError(error))
    }
    const { clock, transport } = this.#parts
    if (!this.#stopping) this.#queue.free(batch, clock.now(), transport.isQuiet?.())
    this.#rejects--
    this.#turn()
  }

  #notRejected(batch: Batch<O>, error: ConnectorError): void {
    // with a part of a reject missing, the parts behind it must not pass for the whole
    if (batch.body.points[0]!.isStandIn || this.#stopping) this.#stop(error)
    else {
      this.#rejecting.drop(batch)
      this.#fail(error)
    }
  }

  /** What was taken of the input is delivered, then the run ends with the error. */
  #fail(error: ConnectorError): void {
    this.#error ??= error
    this.#reading.abort()
    this.#turn()
  }

  async #commit(): Promise<void> {
    let due = this.#committing || this.#commitFailed ? undefined : this.#ledger.take()
    if (!due) return
    this.#committing = true
    try {
      for (; due; due = this.#ledger.take()) {
        this.#committingBytes = due.bytes
        await this.#parts.source.settled(due.checkpoint, due.counts)
        this.#ledger.committed(due)
      }
    } catch (error) {
      this.#commitFailed = true
      this.#stop(asConnectorError(error))
    }
    this.#committing = false
    this.#committingBytes = 0
    this.#turn()
  }

  /** Nothing new is sent; attempts in flight get the grace time. */
  #stop(error: ConnectorError | undefined): void {
    this.#error ??= error
    if (this.#stopping) return
    this.#stopping = true
    this.#stopsAt = this.#parts.clock.now() + this.#parts.limits.graceMs
    this.#reading.abort()
    this.#queue.clear()
    void this.#endGrace()
    this.#turn()
  }

  async #endGrace(): Promise<void> {
    await this.#parts.clock.wait(this.#parts.limits.graceMs, this.#life.signal)
    this.#attempting.abort()
  }
}
