// THE loop: read → buffer → send → settle → commit, and the one place that owns concurrency.
//
// Three things run at once and meet only here: one reader, which stops while the byte budget is spent; up to a
// permit's worth of attempts; one committer, which commits what the ledger says is due. Whatever happens (items read,
// an attempt ended, a time reached, a commit done) ends in `#turn`, which starts everything that is due now and then
// says when it must be called next. So there is no state in which something is due and nobody looks.
// It knows nothing of Airbyte, Kafka, JSON or HTTP, and has no time but the clock it is given.

import { Alarm } from './alarm.ts'
import { asConnectorError } from './as-connector-error.ts'
import { Batch } from './batch.ts'
import type { Body } from './body.ts'
import type { ConnectorError } from './errors.ts'
import { Ledger } from './ledger.ts'
import { next } from './retry.ts'
import type { Share } from './point.ts'
import { send } from './send.ts'
import { settlePoints } from './settle-points.ts'
import { Signal } from './signal.ts'
import type { TableLimits } from './table-limits.ts'
import { Tables } from './tables.ts'
import type { Tally } from './tally.ts'
import { Timed } from './timed.ts'
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

/** While nothing is in flight, one attempt at least this often tells whether the service is back. */
const PROBE_MS = 2000
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
  readonly #retries = new Timed<Batch<O>>()
  /** Settled bodies whose keys the late-write guard still holds. */
  readonly #guarded = new Timed<Body<O>>()
  readonly #reading = new AbortController()
  readonly #attempting = new AbortController()
  readonly #life = new AbortController()
  readonly #room = new Signal()
  readonly #over = new Signal()
  readonly #alarm: Alarm
  #inFlight = 0
  #rejecting = 0
  #lastAttemptEnd = -Infinity
  #committing = false
  #commitFailed = false
  #inputEnded = false
  #stopping = false
  #error: ConnectorError | undefined

  constructor(parts: Parts<C, O>) {
    this.#parts = parts
    this.#tables = new Tables(parts.limits)
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
        while (this.#isFull() && !this.#stopping) await this.#room.wait()
        if (this.#stopping) break
      }
    } catch (error) {
      if (!this.#stopping) this.#error ??= asConnectorError(error)
    }
    this.#endInput()
  }

  #endInput(): void {
    this.#inputEnded = true
    this.#turn()
  }

  async #take(items: readonly Item<C, O>[]): Promise<void> {
    const now = this.#parts.clock.now()
    // by index: an iterator would cost an object a record
    for (let index = 0; index < items.length && !this.#stopping; index++) {
      const item = items[index]!
      if (item.kind === 'rejected') await this.#rejectUnsent(item)
      else this.#accept(item, now)
    }
  }

  #accept(item: Exclude<Item<C, O>, { kind: 'rejected' }>, now: number): void {
    if (item.kind === 'record') this.#tables.add(item, this.#ledger.receive(item.track), now)
    else if (item.kind === 'checkpoint') this.#ledger.checkpoint(item)
    else this.#close(item)
  }

  async #rejectUnsent(item: Extract<Item<C, O>, { kind: 'rejected' }>): Promise<void> {
    const segment = this.#ledger.receive(item.track)
    // what the chunk held so far does not wait for the reject
    this.#turn()
    try {
      await this.#parts.rejects.put({ ...item, superseded: 0 }, this.#reading.signal)
    } catch (error) {
      this.#ledger.drop(segment, 1)
      throw error
    }
    this.#ledger.settle(segment, 1, 'rejected')
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
    if (!this.#inputEnded || this.#inFlight > 0 || this.#rejecting > 0 || this.#committing) return false
    return this.#stopping || this.#ledger.outstanding === 0
  }

  /** Starts all that is due now, then sets the alarm for what is due next. */
  #turn(): void {
    const now = this.#parts.clock.now()
    while (this.#guarded.nextAt <= now) this.#tables.release(this.#guarded.take()!)
    while (!this.#stopping && this.#startOne(now));
    void this.#commit()
    if (!this.#stopping) this.#alarm.set(this.#nextTurn(now))
    if (this.#stopping || !this.#isFull()) this.#room.notify()
    if (this.#isOver()) this.#over.notify()
  }

  #startOne(now: number): boolean {
    const { permits } = this.#parts
    if (this.#retryAt() <= now) {
      if (!permits.take('retry', now)) return false
      void this.#attempt(this.#retries.take()!)
      return true
    }
    if (!this.#tables.hasDue(now, this.#inputEnded) || !permits.take('first', now)) return false
    const body = this.#tables.due(now, this.#inputEnded)!
    void this.#attempt(new Batch(body, body.finish(), now))
    return true
  }

  /** The earliest retry, brought forward when it is the only way to see whether the service is back. */
  #retryAt(): number {
    const at = this.#retries.nextAt
    return this.#inFlight === 0 && at !== Infinity ? Math.min(at, this.#lastAttemptEnd + PROBE_MS) : at
  }

  #nextTurn(now: number): number {
    // what is due and was not started waits for a permit: its return, or this, brings the next turn
    const change = this.#parts.permits.nextChange(now) ?? Infinity
    const retry = this.#retryAt()
    const cut = this.#tables.nextDue()
    return Math.min(retry <= now ? change : retry, cut <= now ? change : cut, this.#guarded.nextAt)
  }

  async #attempt(batch: Batch<O>): Promise<void> {
    const { clock, transport, permits, tally } = this.#parts
    this.#inFlight++
    batch.attempts++
    const started = clock.now()
    const outcome = await send(transport, batch.request, this.#attempting.signal)
    const now = clock.now()
    this.#inFlight--
    this.#lastAttemptEnd = now
    permits.give(outcome, now - started, now)
    tally.attempted(batch, outcome)
    this.#follow(batch, outcome, now)
    this.#turn()
  }

  #follow(batch: Batch<O>, outcome: Outcome, now: number): void {
    if (outcome.status === 'retry' && outcome.ambiguous) batch.ambiguousAt = now
    const then = next(outcome, batch, this.#parts.limits.retryForMs, now, this.#parts.clock.random())
    if (outcome.status === 'retry' && outcome.stale === true) batch.wasStale = true
    if (then.kind === 'settled') this.#settle(batch, now, 'written')
    else if (then.kind === 'again') this.#retries.put(then.at, batch)
    else if (then.kind === 'split') this.#split(batch, now)
    else if (then.kind === 'reject') void this.#reject(batch, then.reason)
    else this.#stop(then.error)
  }

  #split(batch: Batch<O>, now: number): void {
    for (const half of this.#tables.split(batch.body))
      this.#retries.put(now, new Batch(half, half.finish(), now, batch))
  }

  #settle(batch: Batch<O>, now: number, how: 'written' | 'rejected'): void {
    settlePoints(batch.body.points, this.#ledger, how)
    const free = batch.ambiguousAt === undefined ? now : batch.ambiguousAt + this.#parts.limits.guardMs
    if (free <= now) return this.#tables.release(batch.body)
    this.#tables.park(batch.body)
    this.#guarded.put(free, batch.body)
  }

  /** A point the service refuses although it is alone: policy decides; settled only when its reject is durable. */
  async #reject(batch: Batch<O>, reason: string): Promise<void> {
    const point = batch.body.points[0]!
    this.#rejecting++
    try {
      const rejected = {
        track: batch.track,
        table: batch.table,
        reason,
        origin: point.origin,
        superseded: point.superseded(),
      }
      await this.#parts.rejects.put(rejected, this.#attempting.signal)
      this.#settle(batch, this.#parts.clock.now(), 'rejected')
    } catch (error) {
      this.#stop(asConnectorError(error))
    }
    this.#rejecting--
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
    this.#reading.abort()
    this.#retries.clear()
    void this.#endGrace()
    this.#turn()
  }

  async #endGrace(): Promise<void> {
    await this.#parts.clock.wait(this.#parts.limits.graceMs, this.#life.signal)
    this.#attempting.abort()
  }
}
