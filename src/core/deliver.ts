// The main loop: read → buffer → send → settle → commit. All concurrency of a run is here.
//
// Three things run at once: one reader, which stops while the byte budget is spent; as many attempts (to send a request) as there are
// permits; and one committer, which gives checkpoints back to the source once everything before them is settled: stored, or durably kept as
// a reject. Every event (items were read, an attempt ended, a time was reached, a commit is done) ends in `#turn`, which starts everything
// that is due now and sets the timer for what is due next. So nothing that is due can be overlooked.

import type { Batch } from './batch.ts'
import { asConnectorError, type ConnectorError } from './errors.ts'
import { Ledger } from './ledger.ts'
import { Rejecting } from './refusal/rejecting.ts'
import { nextAttempt, retriesSpent, tableRefused } from './retry.ts'
import { RevokedTracks } from './revoked.ts'
import type { Share } from './segment.ts'
import { SendQueue } from './send-queue.ts'
import { settlePoints } from './shares.ts'
import { Tables, type TableLimits } from './tables.ts'
import type { EndingFacts, EngineFacts, Tally } from './tally.ts'
import type { Clock, ClosedItem, DeliveryWatch, Item, Outcome, Permits, Rejects, Request } from './types.ts'
import type { RejectedItem, Source, UnassignedTrack, Track, Transport } from './types.ts'
import { Timer, Wakeup } from './wakeup.ts'

export interface Limits extends TableLimits {
  /** Budget for points (row versions) that wait or are in flight, and for checkpoints. Reading stops while it is spent. */
  readonly bufferBytes: number
  /** How long a batch (a request and its attempts) is retried, from its first attempt. */
  readonly retryForMs: number
  /** How long newer values of a row wait after an attempt without an answer, which may still arrive (the late-write guard). */
  readonly guardMs: number
  /** How long attempts in flight may go on after the run was stopped. */
  readonly graceMs: number
}

/** The parts of a run. C: what the source wants back as checkpoints; O: where it read a record. Neither means anything to the engine. */
export interface Parts<C, O> {
  readonly source: Source<C, O>
  readonly transport: Transport
  readonly permits: Permits
  readonly rejects: Rejects<O>
  readonly clock: Clock
  readonly limits: Limits
  readonly tally: Tally
  readonly watches?: readonly DeliveryWatch<C>[]
  /** Any number of 32 bits. If it differs between processes, keys cannot be chosen so that they are slow to find. */
  readonly hashSeed: number
}

/** If every attempt has failed for this long, the service is down, and revoked tracks do not wait for it. */
const DOWN_MS = 5000
/** Reading stops when so many full bodies wait for a permit: `BODIES_AHEAD`, or one for every `IN_FLIGHT_A_BODY` attempts in flight if that
 *  is more, because many answers may come together. More would leave the processor's cache before they are sent (bench: small-dedup). */
const BODIES_AHEAD = 3
const IN_FLIGHT_A_BODY = 8
/** Reading also stops when so many records that never became points wait for their rejects to be durable. */
const REJECTS_AHEAD = 1000
/** The reason to reject a record that was too large alone in its request; rejects/reject-counts.ts knows it by its beginning. */
const TOO_LARGE = 'the service says the request is too large (413), and it held this record alone'
/** Items between two checks whether reading was stopped. */
const CHECK_EVERY = 32

/** Delivers everything that the source yields, and commits each checkpoint as soon as everything before it is settled.
 *  @param signal stops the run: nothing new is sent, attempts in flight get `graceMs`, and what is settled is committed
 *  @returns `stopped` if `signal` ended it
 *  @throws ConnectorError from the source (after everything read before was delivered and committed), from the service or from a
 *  reject (after what is settled was committed). See decisions.md#delivery */
export async function deliver<C, O>(parts: Parts<C, O>, signal: AbortSignal): Promise<'complete' | 'stopped'> {
  return new Delivery(parts).run(signal)
}

class Delivery<C, O> {
  readonly #parts: Parts<C, O>
  readonly #tables: Tables<O>
  readonly #ledger = new Ledger<C>()
  readonly #queue: SendQueue<O>
  readonly #rejecting: Rejecting<O>
  readonly #revoked: RevokedTracks<O>
  /** Aborts when no more input is wanted. */
  readonly #reading = new AbortController()
  /** Aborts when attempts and rejects under way are no longer waited for. */
  readonly #attempting = new AbortController()
  /** Aborts when the run is over. */
  readonly #life = new AbortController()
  /** Notified when the run may be over, and when there may be room to read on. */
  readonly #whenOver = new Wakeup()
  readonly #whenRoom = new Wakeup()
  readonly #timer: Timer
  #isReadingOver = false
  #isCommitting = false
  /** Tracks that the source was told to hold, so that it reads nothing of them for now. */
  readonly #heldTracks = new Set<Track>()
  /** Rejects that are not durable yet: of points that the service refused, and of records that never became points. */
  #pointRejects = 0
  #inputRejects = 0
  /** Bytes of memory that the checkpoint being committed takes. */
  #committingBytes = 0
  #commitFailed = false
  /** Whether nothing new is sent any more, and the time until which attempts in flight may go on then. */
  #stopping = false
  #stopsAt: number | undefined
  /** Since when every attempt has failed, answers of 429 left aside. `undefined` when the last one did not fail. */
  #failingSince: number | undefined
  /** The error that the run ends with. `undefined` when there is none so far. */
  #error: ConnectorError | undefined

  constructor(parts: Parts<C, O>) {
    this.#parts = parts
    this.#tables = new Tables(parts.limits, parts.hashSeed, parts.rejects)
    const drop = (share: Share): void => this.#ledger.drop(share)
    this.#queue = new SendQueue({ permits: parts.permits, guardMs: parts.limits.guardMs, drop }, this.#tables)
    this.#rejecting = new Rejecting(parts, this.#ledger, this.#tables)
    this.#revoked = new RevokedTracks(this.#ledger, this.#tables, this.#queue)
    this.#timer = new Timer(parts.clock, this.#life.signal, () => this.#turn())
    parts.tally.takeTracks = () => this.#ledger.takeChanged()
    parts.tally.receivedOf = (track) => this.#ledger.receivedOf(track)
    parts.tally.engine = () => this.#engineFacts()
    parts.tally.ending = () => this.#endingFacts()
  }

  /** Does what `deliver` promises. To be called once. */
  async run(signal: AbortSignal): Promise<'complete' | 'stopped'> {
    const onAbort = (): void => this.#stop(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const reading = this.#read()
    try {
      while (!this.#isOver()) await this.#whenOver.wait()
      await reading
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#life.abort()
    }
    if (this.#error) throw this.#error
    return this.#stopping ? 'stopped' : 'complete'
  }

  /** Starts all that is due now, then sets the timer for what is due next. */
  #turn(): void {
    const now = this.#parts.clock.now()
    this.#stopIfTableRefused()
    if (!this.#stopping) {
      // refused points that were lost meanwhile are dropped, which may free keys that other points wait for
      do this.#startAll(now)
      while (this.#rejectAll(now) && !this.#stopping)
    }
    void this.#commit()
    if (this.#revoked.isAny && !this.#isCommitting && this.#isVain(now)) this.#lose(this.#revoked.all)
    if (!this.#stopping) this.#timer.set(this.#queue.nextChange(now))
    this.#readOn()
    if (this.#isOver()) this.#whenOver.notify()
  }

  #isOver(): boolean {
    if (!this.#isReadingOver || this.#queue.inFlight > 0 || this.#isCommitting || this.#rejectsUnderWay > 0)
      return false
    return this.#stopping || this.#ledger.outstanding === 0
  }

  /** Takes all input. See decisions.md#memory-is-bounded-by-bytes, decisions.md#what-was-read-is-delivered-before-the-error. */
  async #read(): Promise<void> {
    const { signal } = this.#reading
    try {
      if (!signal.aborted) await this.#takeAll(signal)
    } catch (error) {
      if (!signal.aborted) this.#fail(asConnectorError(error))
    }
    this.#isReadingOver = true
    this.#tell((watch) => watch.readingEnded())
    this.#turn()
  }

  async #takeAll(signal: AbortSignal): Promise<void> {
    const { source } = this.#parts
    const lost = (tracks: readonly UnassignedTrack[]): void => this.#lose(tracks)
    for await (const items of source.read(signal, lost, (tracks) => this.#revoke(tracks))) {
      await this.#take(items)
      this.#turn()
      // a source that can hold single tracks is always pulled
      if (source.hold) this.#holdFor(items)
      else while (this.#isFull() && !signal.aborted) await this.#whenRoom.wait()
      if (signal.aborted) break
    }
  }

  /** Lets reading go on if there is room again. */
  #readOn(): void {
    if (!this.#reading.signal.aborted && this.#isFull()) return
    this.#whenRoom.notify()
    for (const track of this.#heldTracks) this.#parts.source.hold!(track, false)
    this.#heldTracks.clear()
  }

  /** Whether no more is to be read: the budget is spent, or enough is waiting. */
  #isFull(): boolean {
    const mostBodies = Math.max(BODIES_AHEAD, this.#queue.inFlight / IN_FLIGHT_A_BODY)
    if (this.#tables.fullCount >= mostBodies || this.#inputRejects >= REJECTS_AHEAD) return true
    return this.#bytes + this.#committingBytes >= this.#parts.limits.bufferBytes
  }

  /** Holds the track that these items came of, if no more is to be read; other tracks go on. */
  #holdFor(items: readonly Item<C, O>[]): void {
    const last = items.at(-1)
    if (last === undefined || !this.#isFull()) return
    const track = last.kind === 'checkpoint' ? last.scope : last.track
    // `all` and `none` are no tracks
    if (typeof track === 'string' || this.#heldTracks.has(track)) return
    this.#heldTracks.add(track)
    this.#parts.source.hold!(track, true)
  }

  async #take(items: readonly Item<C, O>[]): Promise<void> {
    const { rejects, clock, source } = this.#parts
    // a whole number, because it is stored with every point, and a number with a fraction takes an object
    const now = Math.floor(clock.now())
    const rejecting: Promise<void>[] = []
    let hasWaited = false
    // by index, because an iterator makes an object per record
    for (let index = 0; index < items.length; index++) {
      if ((hasWaited || index % CHECK_EVERY === 0) && this.#reading.signal.aborted) break
      hasWaited = false
      const item = items[index]!
      if (item.kind !== 'checkpoint' && this.#ledger.isUnassigned(item.track)) continue
      if (item.kind !== 'rejected') this.#accept(item, now)
      else if (rejects.overlaps) rejecting.push(this.#rejectItem(item))
      else {
        await this.#rejectItem(item)
        hasWaited = true
      }
    }
    if (rejecting.length === 0) return
    // so that the other items of the chunk do not wait for its rejects
    this.#turn()
    // a source that can hold single tracks is always pulled, so nothing waits for the rejects here
    if (source.hold) for (const reject of rejecting) reject.catch((error: unknown) => this.#itemNotRejected(error))
    else await Promise.all(rejecting)
  }

  #accept(item: Exclude<Item<C, O>, { kind: 'rejected' }>, now: number): void {
    if (item.kind === 'record') this.#tables.add(item, this.#ledger.receive(item.track), now)
    else if (item.kind === 'checkpoint') this.#ledger.checkpoint(item)
    else this.#close(item)
  }

  /** Ends a complete track, of which nothing more comes: makes its waiting points due at once. */
  #close(item: ClosedItem): void {
    this.#heldTracks.delete(item.track)
    const state = this.#ledger.close(item.track, 'complete', () => item.settled())
    this.#tables.expire(({ segment }) => segment.state === state)
    this.#ledger.closeIfDone(state)
  }

  /** Drops everything of lost tracks, except what is in flight. May be called even when reading is over. */
  #lose(tracks: readonly UnassignedTrack[]): void {
    for (const { track } of tracks) this.#heldTracks.delete(track)
    this.#revoked.lose(tracks, this.#parts.clock.now())
    this.#turn()
  }

  #revoke(tracks: readonly UnassignedTrack[]): void {
    // a failing run still delivers what was read, but makes no other process wait for revoked tracks
    if (this.#error !== undefined && !this.#stopping) return this.#lose(tracks)
    for (const { track } of tracks) this.#heldTracks.delete(track)
    this.#revoked.revoke(tracks, this.#parts.clock.now())
    this.#turn()
  }

  /** Whether waiting for revoked tracks is useless: the service is down, or only the late-write guard still waits. They are lost then. */
  #isVain(now: number): boolean {
    if (this.#failingSince !== undefined && now - this.#failingSince >= DOWN_MS) return true
    return this.#queue.isIdle && this.#rejectsUnderWay === 0
  }

  #startAll(now: number): void {
    let batch: Batch<O> | undefined
    while ((batch = this.#queue.next(now, this.#isReadingOver))) {
      void this.#attempt(batch)
      if (this.#stopping) return
    }
  }

  async #attempt(batch: Batch<O>): Promise<void> {
    const { clock, transport, permits, tally } = this.#parts
    const started = clock.now()
    if (batch.attempts++ === 0) batch.firstAt = started
    this.#tell((watch) => watch.attemptBegan(batch.request))
    const outcome = await send(transport, batch.request, this.#attempting.signal)
    const now = clock.now()
    this.#queue.ended(now)
    permits.give(outcome, now - started, now)
    tally.attempted(batch, outcome)
    this.#tell((watch) => watch.attemptEnded(batch.request, outcome, now - started))
    this.#follow(batch, outcome, now)
    this.#turn()
  }

  /** Does what the outcome of an attempt asks for. */
  #follow(batch: Batch<O>, outcome: Outcome, now: number): void {
    if (outcome.status === 'retry') return this.#retry(batch, outcome, now)
    this.#failingSince = undefined
    const queue = this.#queue
    if (outcome.status === 'delivered') {
      queue.quarantine.delivered(batch)
      settlePoints(batch.body, this.#ledger, 'written')
      queue.free(batch, now, this.#parts.transport.isQuiet?.())
    } else if (outcome.status === 'stop') this.#stop(outcome.error)
    else if (outcome.status === 'refused') queue.quarantine.refused(batch, outcome.reason)
    else if (batch.request.points > 1) queue.split(batch, now)
    else {
      queue.quarantine.tooLarge(batch)
      if (!queue.freeIfLost(batch, now)) void this.#rejectPoint(batch, TOO_LARGE)
    }
  }

  #retry(batch: Batch<O>, outcome: Outcome & { status: 'retry' }, now: number): void {
    if (outcome.cause !== 'throttled') this.#failingSince ??= now
    if (outcome.ambiguous) batch.ambiguousAt = now
    const { clock, limits } = this.#parts
    const at = nextAttempt(outcome, batch, limits.retryForMs, now, clock.random())
    if (outcome.stale === true) batch.wasStale = true
    if (at === undefined) this.#stop(retriesSpent(outcome, batch, limits.retryForMs, now))
    else this.#queue.again(batch, at, now)
  }

  #stopIfTableRefused(): void {
    const { quarantine } = this.#queue
    const refused = quarantine.isIdle ? undefined : quarantine.refusedTable()
    if (refused) this.#stop(tableRefused(refused.batch, refused.reason))
  }

  /** Rejects the points that are refused for good, and drops those that were lost meanwhile.
   *  @returns whether one was dropped */
  #rejectAll(now: number): boolean {
    const { quarantine } = this.#queue
    let isFreed = false
    for (let refused = quarantine.nextRefused(); refused; refused = quarantine.nextRefused()) {
      if (this.#queue.freeIfLost(refused.batch, now)) isFreed = true
      else void this.#rejectPoint(refused.batch, refused.reason)
    }
    return isFreed
  }

  /** Rejects the only point of a batch: the service refused it, or found it too large. */
  async #rejectPoint(batch: Batch<O>, reason: string): Promise<void> {
    this.#pointRejects++
    try {
      await this.#rejecting.refused(batch, reason, this.#attempting.signal)
    } catch (error) {
      // after the grace time, the record just stays unsettled
      if (!this.#attempting.signal.aborted) this.#pointNotRejected(batch, asConnectorError(error))
    }
    const { clock, transport } = this.#parts
    // once nothing new is sent, nothing waits for its key
    if (!this.#stopping) this.#queue.free(batch, clock.now(), transport.isQuiet?.())
    this.#pointRejects--
    this.#turn()
  }

  #pointNotRejected(batch: Batch<O>, error: ConnectorError): void {
    // several stand-ins (points) may be delivered in place of one rejected record: if one is missing, later ones must not settle it
    if (batch.body.points[0]!.isStandIn || this.#stopping) this.#stop(error)
    else {
      this.#rejecting.drop(batch)
      this.#fail(error)
    }
  }

  /** Rejects a record that never became a point. */
  async #rejectItem(item: RejectedItem<O>): Promise<void> {
    const segment = this.#ledger.receive(item.track)
    this.#inputRejects++
    try {
      await this.#rejecting.unsent(item, segment, this.#attempting.signal)
    } catch (error) {
      // the record is never settled, and nothing waits for it
      if (!this.#stopping) this.#ledger.drop({ segment, count: 1 })
      throw asConnectorError(error)
    } finally {
      this.#inputRejects--
    }
    this.#turn()
  }

  #itemNotRejected(error: unknown): void {
    // after the grace time, the record just stays unsettled
    if (!this.#attempting.signal.aborted) this.#fail(asConnectorError(error))
  }

  async #commit(): Promise<void> {
    let due = this.#isCommitting || this.#commitFailed ? undefined : this.#ledger.take()
    if (!due) return
    this.#isCommitting = true
    try {
      for (; due; due = this.#ledger.take()) {
        this.#committingBytes = due.bytes
        await this.#parts.source.settled(due.checkpoint, due.counts)
        this.#ledger.committed(due)
        const { checkpoint } = due
        this.#tell((watch) => watch.committed(checkpoint))
      }
    } catch (error) {
      this.#commitFailed = true
      this.#stop(asConnectorError(error))
    }
    this.#isCommitting = false
    this.#committingBytes = 0
    this.#turn()
  }

  /** Calls every watch. If one throws, the run ends with its error once all that was read is delivered. A turn must follow each call. */
  #tell(call: (watch: DeliveryWatch<C>) => void): void {
    for (const watch of this.#parts.watches ?? []) {
      try {
        call(watch)
      } catch (error) {
        this.#error ??= asConnectorError(error)
        this.#reading.abort()
      }
    }
  }

  /** Delivers what was read, then ends the run with the error. */
  #fail(error: ConnectorError): void {
    this.#error ??= error
    this.#reading.abort()
    this.#turn()
  }

  /** Sends nothing new, gives attempts in flight the grace time, and then ends the run.
   *  @param error `undefined` when the run was stopped from outside */
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

  /** Bytes of memory that points and checkpoints take. */
  get #bytes(): number {
    return this.#tables.bytes + this.#ledger.bytes
  }

  get #rejectsUnderWay(): number {
    return this.#pointRejects + this.#inputRejects
  }

  #engineFacts(): EngineFacts {
    const { outstanding, settled, checkpoints: heldCheckpoints } = this.#ledger
    const { inFlight, retrying, guarded } = this.#queue
    return { outstanding, settled, bufferedBytes: this.#bytes, heldCheckpoints, inFlight, retrying, guarded }
  }

  #endingFacts(): EndingFacts {
    const { nextRetryAt, guardedKeys, guardedUntil } = this.#queue
    return {
      isReadingOver: this.#isReadingOver,
      stopsAt: this.#stopsAt,
      isCommitting: this.#isCommitting,
      rejecting: this.#rejectsUnderWay,
      retryAt: finite(nextRetryAt),
      guardedKeys,
      guardedUntil: finite(guardedUntil),
    }
  }
}

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined
}

/** A transport must not throw; if it does, the run stops. */
async function send(transport: Transport, request: Request, signal: AbortSignal): Promise<Outcome> {
  try {
    return await transport.send(request, signal)
  } catch (error) {
    return { status: 'stop', error: asConnectorError(error) }
  }
}
