// THE loop: read → buffer → send → settle → commit, and the one place that owns concurrency.
//
// Three things run at once and meet only here: one reader, which stops while the byte budget is spent; up to a
// permit's worth of attempts; one committer, which commits what the ledger says is due. Whatever happens (items read,
// an attempt ended, a time reached, a commit done) ends in `#turn`, which starts everything that is due now and then
// says when it must be called next. So there is no state in which something is due and nobody looks.
// It knows nothing of Airbyte, Kafka, JSON or HTTP, and has no time but the clock it is given.

import { Agenda } from './agenda.ts'
import { Alarm } from './alarm.ts'
import { asConnectorError } from './as-connector-error.ts'
import type { Batch } from './batch.ts'
import type { ConnectorError } from './errors.ts'
import { Ledger } from './ledger.ts'
import { next, tableRefused } from './retry.ts'
import type { Share } from './point.ts'
import { send } from './send.ts'
import { Rejecting } from './rejecting.ts'
import { settlePoints } from './settle-points.ts'
import { Signal } from './signal.ts'
import type { TableLimits } from './table-limits.ts'
import { Tables } from './tables.ts'
import type { Tally } from './tally.ts'
import type { Clock, ClosedItem, Item, Outcome, Permits, Rejects, Source, Transport } from './types.ts'

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
}

/** Full bodies that wait for a permit before reading stops: what waits longer than it must grows old in memory. */
const AHEAD = 16

/** Delivers everything the source yields, committing each checkpoint as soon as everything before it is settled.
 *  @param signal stops the run: nothing new is sent, what is in flight gets `graceMs`, what is settled is committed
 *  @returns `complete`, or `stopped` when `signal` ended it
 *  @throws ConnectorError: of the source (everything read before it delivered and committed first), of the service or
 *  of a reject (what is settled committed first). Architecture rules 1–13; assumptions 25–31 */
export async function deliver<C, O>(parts: Parts<C, O>, signal: AbortSignal): Promise<'complete' | 'stopped'> {
  return new Delivery(parts).run(signal)
}

class Delivery<C, O> {
  readonly #parts: Parts<C, O>
  readonly #tables: Tables<O>
  readonly #ledger = new Ledger<C>()
  readonly #agenda: Agenda<O>
  readonly #rejecting: Rejecting<O>
  readonly #reading = new AbortController()
  readonly #attempting = new AbortController()
  readonly #life = new AbortController()
  readonly #room = new Signal()
  readonly #over = new Signal()
  readonly #alarm: Alarm
  #rejects = 0
  #committing = false
  #commitFailed = false
  #inputEnded = false
  /** Nothing more of the input is taken, what was taken is delivered. */
  #closing = false
  #stopping = false
  #error: ConnectorError | undefined

  constructor(parts: Parts<C, O>) {
    this.#parts = parts
    this.#tables = new Tables(parts.limits)
    this.#agenda = new Agenda({ permits: parts.permits, guardMs: parts.limits.guardMs }, this.#tables)
    this.#rejecting = new Rejecting(parts, this.#ledger, this.#tables)
    this.#alarm = new Alarm(parts.clock, this.#life.signal, () => this.#turn())
    parts.tally.tracks = this.#ledger.tracks
  }

  async run(signal: AbortSignal): Promise<'complete' | 'stopped'> {
    const onAbort = (): void => this.#stop(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const reading = this.#stopping ? this.#endInput() : this.#read()
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

  async #read(): Promise<void> {
    try {
      const chunks = this.#parts.source.read(this.#reading.signal)
      for await (const items of chunks) {
        await this.#take(items)
        this.#turn()
        while (this.#isFull() && !this.#closing) await this.#room.wait()
        if (this.#closing) break
      }
    } catch (error) {
      if (!this.#closing) this.#error ??= asConnectorError(error)
    }
    this.#endInput()
  }

  #endInput(): void {
    this.#inputEnded = true
    this.#turn()
  }

  async #take(items: readonly Item<C, O>[]): Promise<void> {
    const now = this.#parts.clock.now()
    const rejecting: Promise<void>[] = []
    // by index: an iterator would cost an object a record
    for (let index = 0; index < items.length && !this.#closing; index++) {
      const item = items[index]!
      if (item.kind !== 'rejected') this.#accept(item, now)
      else if (this.#parts.rejects.overlaps) rejecting.push(this.#rejectUnsent(item))
      else await this.#rejectUnsent(item)
    }
    if (rejecting.length === 0) return
    // the rest of the chunk does not wait for them
    this.#turn()
    await Promise.all(rejecting)
  }

  #accept(item: Exclude<Item<C, O>, { kind: 'rejected' }>, now: number): void {
    if (item.kind === 'record') this.#tables.add(item, this.#ledger.receive(item.track), now)
    else if (item.kind === 'checkpoint') this.#ledger.checkpoint(item)
    else this.#close(item)
  }

  async #rejectUnsent(item: Extract<Item<C, O>, { kind: 'rejected' }>): Promise<void> {
    const segment = this.#ledger.receive(item.track)
    try {
      await this.#rejecting.unsent(item, segment, this.#reading.signal)
    } catch (error) {
      // never settled, and nobody is to wait for it
      if (!this.#stopping) this.#ledger.drop(segment, 1)
      throw error
    }
    this.#turn()
  }

  #close(item: ClosedItem): void {
    const state = this.#ledger.close(item.track, item.how, () => item.settled())
    const ofTrack = (share: Share): boolean => share.segment.state === state
    if (item.how === 'complete') this.#tables.expire(ofTrack)
    else for (const share of this.#tables.forget(ofTrack)) this.#ledger.drop(share.segment, share.count)
    this.#ledger.closeIfDone(state)
  }

  /** No more is read: the budget is spent, or enough waits already. Repeated keys need no more room, so they still merge. */
  #isFull(): boolean {
    return this.#tables.full >= AHEAD || this.#tables.bytes + this.#ledger.bytes >= this.#parts.limits.bufferBytes
  }

  #isOver(): boolean {
    if (!this.#inputEnded || this.#agenda.inFlight > 0 || this.#rejects > 0 || this.#committing) return false
    return this.#stopping || this.#ledger.outstanding === 0
  }

  /** Starts all that is due now, then sets the alarm for what is due next. */
  #turn(): void {
    const now = this.#parts.clock.now()
    if (!this.#stopping) {
      this.#startAll(now)
      this.#rejectAll()
    }
    void this.#commit()
    if (!this.#stopping) this.#alarm.set(this.#agenda.nextChange(now))
    if (this.#closing || !this.#isFull()) this.#room.notify()
    if (this.#isOver()) this.#over.notify()
  }

  #startAll(now: number): void {
    for (
      let batch = this.#agenda.next(now, this.#inputEnded);
      batch;
      batch = this.#agenda.next(now, this.#inputEnded)
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
    this.#agenda.ended(now)
    permits.give(outcome, now - started, now)
    tally.attempted(batch, outcome)
    this.#follow(batch, outcome, now)
    this.#turn()
  }

  #follow(batch: Batch<O>, outcome: Outcome, now: number): void {
    if (outcome.status === 'retry' && outcome.ambiguous) batch.ambiguousAt = now
    const then = next(outcome, batch, this.#parts.limits.retryForMs, now, this.#parts.clock.random())
    if (outcome.status === 'retry' && outcome.stale === true) batch.wasStale = true
    const agenda = this.#agenda
    if (then.kind === 'settled') {
      agenda.trials.delivered(batch)
      settlePoints(batch.body.points, this.#ledger, 'written')
      agenda.free(batch, now)
    } else if (then.kind === 'again') agenda.again(batch, then.at)
    else if (then.kind === 'split') agenda.split(batch, now)
    else if (then.kind === 'reject') {
      agenda.trials.tooLarge(batch)
      void this.#reject(batch, then.reason)
    } else if (then.kind === 'stop') this.#stop(then.error)
    else agenda.trials.refused(batch, then.reason)
    if (agenda.trials.isIdle) return
    const table = agenda.trials.refusedTable()
    if (table) this.#stop(tableRefused(table.batch, table.reason))
  }

  #rejectAll(): void {
    const { trials } = this.#agenda
    for (let it = trials.nextRefused(); it; it = trials.nextRefused()) void this.#reject(it.batch, it.reason)
  }

  /** A point the service refuses although it is alone: policy decides. */
  async #reject(batch: Batch<O>, reason: string): Promise<void> {
    this.#rejects++
    try {
      await this.#rejecting.refused(batch, reason, this.#attempting.signal)
    } catch (error) {
      // with a part of a reject missing, the parts behind it must not pass for the whole
      if (batch.body.points[0]!.isStandIn || this.#stopping) this.#stop(asConnectorError(error))
      else {
        this.#rejecting.drop(batch)
        this.#fail(asConnectorError(error))
      }
    }
    if (!this.#stopping) this.#agenda.free(batch, this.#parts.clock.now())
    this.#rejects--
    this.#turn()
  }

  /** What was taken of the input is delivered, then the run ends with the error. */
  #fail(error: ConnectorError): void {
    this.#error ??= error
    this.#closing = true
    this.#reading.abort()
    this.#turn()
  }

  async #commit(): Promise<void> {
    let due = this.#committing || this.#commitFailed ? undefined : this.#ledger.take()
    if (!due) return
    this.#committing = true
    try {
      for (; due; due = this.#ledger.take()) await this.#parts.source.commit(due.checkpoint, due.counts)
    } catch (error) {
      this.#commitFailed = true
      this.#stop(asConnectorError(error))
    }
    this.#committing = false
    this.#turn()
  }

  /** Nothing new is sent; attempts in flight get the grace time. */
  #stop(error: ConnectorError | undefined): void {
    this.#error ??= error
    if (this.#stopping) return
    this.#stopping = true
    this.#closing = true
    this.#reading.abort()
    this.#agenda.clear()
    void this.#endGrace()
    this.#turn()
  }

  async #endGrace(): Promise<void> {
    await this.#parts.clock.wait(this.#parts.limits.graceMs, this.#life.signal)
    this.#attempting.abort()
  }
}
