// The input's side of the engine: takes a source's items in while there is room, and says which tracks must wait where the
// source can hold them one by one. Knows no requests and no permits.

import { asConnectorError } from './errors.ts'
import { keptSegments } from './kept-segments.ts'
import type { Ledger, Segment, TrackState } from './ledger.ts'
import type { Rejecting } from './refusal/rejecting.ts'
import { isAbandoned } from './point.ts'
import type { ShareTest } from './point.ts'
import { Wakeup } from './wakeup.ts'
import type { Tables } from './tables.ts'
import type { Clock, ClosedItem, Item, Rejects, Source, TakenTrack, Track } from './types.ts'

interface Parts<C, O> {
  readonly source: Source<C, O>
  readonly rejects: Rejects<O>
  readonly clock: Clock
  readonly limits: { readonly bufferBytes: number }
}

interface Engine<C, O> {
  readonly ledger: Ledger<C>
  readonly tables: Tables<O>
  readonly rejecting: Rejecting<O>
  /** Aborts when no more of the input is wanted. */
  readonly signal: AbortSignal
  /** Aborts when what is under way is no longer waited for: rejects as well as attempts. */
  readonly underWay: AbortSignal
  /** Nothing new is sent any more. */
  isStopped(): boolean
  /** What was taken is still delivered, but the run ends with an error then. */
  isFailing(): boolean
  /** Attempts under way. */
  inFlight(): number
  /** What the checkpoint that is being committed costs. */
  committingBytes(): number
  /** Something may be due. */
  turn(): void
  /** Tracks were abandoned: nothing of them is to be sent again. */
  forget(): void
  /** What was taken is to be delivered, then the run ends with the error. */
  fail(error: unknown): void
}

/** Full bodies that wait for a permit before reading stops, and for so many attempts in flight one of them: answers to many
 *  come together. More would only grow old, and leave the processor's cache before their turn (bench: small-dedup). */
const AHEAD = 3
const IN_FLIGHT_AN_AHEAD = 8
/** Records that wait for their rejects to be durable before more is taken, where others overtake them. */
const REJECTS_AHEAD = 1000
/** Items between two looks at whether to stop. */
const LOOK_EVERY = 32

/** Reads a source to its end, or until it is closed. See decisions.md#memory-is-bounded-by-bytes and
 *  decisions.md#what-was-read-is-delivered-before-the-error. */
export class Intake<C, O> {
  /** No more items will come. */
  ended = false
  /** Rejects of records that never became points, not yet durable. */
  rejects = 0
  readonly #parts: Parts<C, O>
  readonly #engine: Engine<C, O>
  readonly #room = new Wakeup()
  readonly #held = new Set<Track>()
  readonly #leaving = new Set<TrackState>()

  constructor(parts: Parts<C, O>, engine: Engine<C, O>) {
    this.#parts = parts
    this.#engine = engine
  }

  /** Never throws. */
  async read(): Promise<void> {
    const { signal } = this.#engine
    try {
      if (!signal.aborted) await this.#takeAll(signal)
    } catch (error) {
      if (!signal.aborted) this.#engine.fail(error)
    }
    this.ended = true
    this.#engine.turn()
  }

  async #takeAll(signal: AbortSignal): Promise<void> {
    const { source } = this.#parts
    const abandon = (taken: readonly TakenTrack[]): void => this.#abandon(taken)
    for await (const items of source.read(signal, abandon, (taken) => this.#giveAway(taken))) {
      await this.#take(items)
      this.#engine.turn()
      if (source.hold) this.#holdFor(items)
      else while (this.#isFull() && !signal.aborted) await this.#room.wait()
      if (signal.aborted) break
    }
  }

  /** There may be room again. */
  goOn(): void {
    if (!this.#engine.signal.aborted && this.#isFull()) return
    this.#room.notify()
    for (const track of this.#held) this.#parts.source.hold!(track, false)
    this.#held.clear()
  }

  /** No more is read: the budget is spent, or enough waits already. Repeated keys need no more room, so they still merge. */
  #isFull(): boolean {
    const { tables, ledger } = this.#engine
    if (tables.full >= Math.max(AHEAD, this.#engine.inFlight() / IN_FLIGHT_AN_AHEAD) || this.rejects >= REJECTS_AHEAD)
      return true
    return tables.bytes + ledger.bytes + this.#engine.committingBytes() >= this.#parts.limits.bufferBytes
  }

  /** What comes of other tracks is still taken. */
  #holdFor(items: readonly Item<C, O>[]): void {
    const last = items.at(-1)
    if (last === undefined || !this.#isFull()) return
    const track = last.kind === 'checkpoint' ? last.scope : last.track
    if (typeof track === 'string' || this.#held.has(track)) return
    this.#held.add(track)
    this.#parts.source.hold!(track, true)
  }

  async #take(items: readonly Item<C, O>[]): Promise<void> {
    const { rejects, clock, source } = this.#parts
    // whole, for it is kept with every point, and a number with a fraction is an object of its own
    const now = Math.floor(clock.now())
    const rejecting: Promise<void>[] = []
    let waited = false
    // by index: an iterator would cost an object a record
    for (let index = 0; index < items.length; index++) {
      if ((waited || index % LOOK_EVERY === 0) && this.#engine.signal.aborted) break
      waited = false
      const item = items[index]!
      if (item.kind !== 'checkpoint' && this.#engine.ledger.isGone(item.track)) continue
      if (item.kind !== 'rejected') this.#accept(item, now)
      else if (rejects.overlaps) rejecting.push(this.#reject(item))
      else {
        await this.#reject(item)
        waited = true
      }
    }
    if (rejecting.length === 0) return
    // the rest of the chunk does not wait for them
    this.#engine.turn()
    // nor do other tracks
    if (source.hold) for (const reject of rejecting) reject.catch((error: unknown) => this.#failed(error))
    else await Promise.all(rejecting)
  }

  #accept(item: Exclude<Item<C, O>, { kind: 'rejected' }>, now: number): void {
    const { tables, ledger } = this.#engine
    if (item.kind === 'record') tables.add(item, ledger.receive(item.track), now)
    else if (item.kind === 'checkpoint') ledger.checkpoint(item)
    else this.#close(item)
  }

  async #reject(item: Extract<Item<C, O>, { kind: 'rejected' }>): Promise<void> {
    const { ledger, rejecting, underWay } = this.#engine
    const segment = ledger.receive(item.track)
    this.rejects++
    try {
      await rejecting.unsent(item, segment, underWay)
    } catch (error) {
      // never settled, and nobody is to wait for it
      if (!this.#engine.isStopped()) ledger.drop(segment, 1)
      throw asConnectorError(error)
    } finally {
      this.rejects--
    }
    this.#engine.turn()
  }

  #failed(error: unknown): void {
    // out of time: it is not settled, and that is all
    if (!this.#engine.underWay.aborted) this.#engine.fail(error)
  }

  #close(item: ClosedItem): void {
    const { ledger, tables } = this.#engine
    this.#held.delete(item.track)
    const state = ledger.close(item.track, 'complete', () => item.settled())
    tables.expire(({ segment }) => segment.state === state)
    ledger.closeIfDone(state)
  }

  /** Tracks leave of which something is still to be delivered. */
  get isGivingAway(): boolean {
    return this.#leaving.size > 0
  }

  /** What is still waited for of tracks that leave may not come: it is let go of, but for what is in flight. */
  giveUp(): void {
    this.#abandon([...this.#leaving].map(({ track, settled }) => ({ track, settled: () => settled?.() })))
  }

  /** At once, and whether anything is still read or not. */
  #abandon(taken: readonly TakenTrack[]): void {
    const { ledger } = this.#engine
    for (const { track } of taken) this.#held.delete(track)
    const states = taken.map((one) => ledger.close(one.track, 'abandoned', () => one.settled()))
    for (const state of states) this.#leaving.delete(state)
    // a point may stand for records of several tracks: what was kept for one of them goes with the last
    this.#letGo(states, isAbandoned)
  }

  /** Of what lies behind the last record that was sent nothing was acknowledged: it is let go of. */
  #giveAway(taken: readonly TakenTrack[]): void {
    if (this.#engine.isFailing()) return this.#abandon(taken)
    const { ledger, tables } = this.#engine
    const states = taken.map((one) => ledger.close(one.track, 'leaving', () => this.#left(one)))
    const lines = states.map(({ track }) => ledger.segments(track))
    const kept = keptSegments(lines, tables.unsent())
    const behind = new Set<Segment>(lines.flat().filter((segment) => !kept.has(segment)))
    ledger.forget([...behind])
    for (const state of states) {
      this.#held.delete(state.track)
      this.#leaving.add(state)
    }
    tables.expire(({ segment }) => segment.state.phase === 'leaving')
    this.#letGo(states, ({ segment }) => behind.has(segment))
  }

  #left(one: TakenTrack): void {
    for (const state of this.#leaving) if (state.track === one.track) this.#leaving.delete(state)
    one.settled()
  }

  #letGo(states: readonly TrackState[], matches: ShareTest): void {
    const { ledger, tables } = this.#engine
    for (const share of tables.forget(matches)) ledger.drop(share.segment, share.count)
    this.#engine.forget()
    for (const state of states) ledger.closeIfDone(state)
    this.#engine.turn()
  }
}
