// What is to be sent, and when: retries, parts of refused requests, bodies of tables that are due, and keys that the late-write
// guard still holds. No time but the `now` it is given.

import { Batch } from './batch.ts'
import type { Body } from './body.ts'
import { dropShares, isAbandoned } from './point.ts'
import type { Point, Share } from './point.ts'
import type { Tables } from './tables.ts'
import { Timed } from './queues.ts'
import { TableQuarantine } from './refusal/table-quarantine.ts'
import type { Permits } from './types.ts'

/** While nothing is in flight, an attempt starts at least this often, to find out whether the service is back. */
const PROBE_MS = 2000

interface Parts {
  readonly permits: Permits
  /** How long newer values of an ambiguous attempt's keys wait. */
  readonly guardMs: number
  /** Called with what is dropped. */
  readonly drop: (share: Share) => void
}

/** Never throws, never waits. See decisions.md#delivery. */
export class SendQueue<O> {
  readonly quarantine: TableQuarantine<O>
  readonly #parts: Parts
  readonly #tables: Tables<O>
  readonly #retries = new Timed<Batch<O>>()
  /** Settled bodies whose keys the late-write guard still holds. */
  readonly #guarded = new Timed<Body<O>>()
  #inFlight = 0
  #lastEnd = -Infinity
  /** Whether any track was ever abandoned. */
  #forgets = false

  constructor(parts: Parts, tables: Tables<O>) {
    this.#parts = parts
    this.#tables = tables
    this.quarantine = new TableQuarantine((body, size) => tables.cut(body, size))
  }

  /** Attempts between `next` and `ended`. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Nothing is in flight, waits for a retry, or is due: there is nothing, or the guard holds it. */
  get isIdle(): boolean {
    const { size } = this.#retries
    return this.#inFlight + size === 0 && this.quarantine.isAtRest && this.#tables.nextDue() === Infinity
  }

  /** Batches that wait for their next attempt. */
  get retrying(): number {
    return this.#retries.size
  }

  /** Batches whose keys the guard holds. */
  get guarded(): number {
    return this.#guarded.size
  }

  /** When the next of them is due; Infinity: there is none. Brought forward when it is the only way to find out whether the
   *  service is back. */
  get nextRetryAt(): number {
    const at = this.#retries.nextAt
    return this.#inFlight === 0 && at !== Infinity ? Math.min(at, this.#lastEnd + PROBE_MS) : at
  }

  /** Keys the guard holds. Looks at all of its batches. */
  get guardedKeys(): number {
    let keys = 0
    for (const body of this.#guarded) keys += body.points.length
    return keys
  }

  /** Until when the guard holds the last of them; -Infinity: it holds none. */
  get guardedUntil(): number {
    return this.#guarded.lastAt
  }

  /** The next batch to send, with a permit taken for it; undefined: nothing is due, or no permit free.
   *  @param all every open body is due (the input has ended) */
  next(now: number, all: boolean): Batch<O> | undefined {
    const { permits } = this.#parts
    while (this.#guarded.nextAt <= now) this.#tables.release(this.#guarded.take()!, false)
    this.#tryOn(now, all)
    let batch: Batch<O> | undefined
    if (this.nextRetryAt <= now) {
      if (permits.take('retry', now)) batch = this.#retries.take()
    } else if (this.#tables.next(now, all) && permits.take('first', now)) {
      const body = this.#tables.due(now, all)!
      batch = new Batch(body, body.finish(), now)
    }
    if (!batch) return undefined
    this.#inFlight++
    if (batch.attempts === 0) this.quarantine.sent(batch)
    return batch
  }

  /** An attempt has ended. */
  ended(now: number): void {
    this.#inFlight--
    this.#lastEnd = now
  }

  /** When `next` may return something else although no answer and no item came; Infinity: never. What is due and was not
   *  started waits for a permit: its return, or this time, brings the next turn. */
  nextChange(now: number): number {
    const change = this.#parts.permits.nextChange(now) ?? Infinity
    const retry = this.nextRetryAt
    const cut = this.#tables.nextDue()
    return Math.min(retry <= now ? change : retry, cut <= now ? change : cut, this.#guarded.nextAt)
  }

  again(batch: Batch<O>, at: number, now: number): void {
    if (this.#isWanted(batch, now)) this.#retries.put(at, batch)
  }

  /** Tracks were abandoned: nothing of them is sent again. Attempts under way go on. */
  forget(now: number): void {
    this.#forgets = true
    this.#retries.filter((batch) => this.#isWanted(batch, now))
  }

  /** Whether it is still to be rejected; if its track is abandoned it is freed.
   *  @param batch of one point, that the service refused */
  isRejectable(batch: Batch<O>, now: number): boolean {
    if (this.#forgotten(batch).size === 0) return true
    this.free(batch, now)
    return false
  }

  /** It was too large. */
  split(batch: Batch<O>, now: number): void {
    if (this.quarantine.tooLarge(batch)) return
    for (const half of this.#tables.cut(batch.body, Math.ceil(batch.body.points.length / 2)))
      this.again(new Batch(half, half.finish(), now, batch.ambiguousAt), now, now)
  }

  /** Frees a settled batch: newer values of its keys may be sent as soon as nothing of it can land after them.
   *  @param isUnread whether its bytes may be written over */
  free({ body, ambiguousAt }: Pick<Batch<O>, 'body' | 'ambiguousAt'>, now: number, isUnread = false): void {
    const at = ambiguousAt === undefined ? now : ambiguousAt + this.#parts.guardMs
    if (at <= now) return this.#tables.release(body, isUnread)
    this.#tables.park(body)
    this.#guarded.put(at, body)
  }

  /** Leaves out what was abandoned.
   *  @returns whether there is anything left to send */
  #isWanted(batch: Batch<O>, now: number): boolean {
    const gone = this.#forgotten(batch)
    if (gone.size === 0) return true
    if (gone.size < batch.body.points.length) {
      this.free({ body: batch.leaveOut(gone), ambiguousAt: batch.ambiguousAt }, now)
      return true
    }
    if (batch.attempts > 0) this.#parts.permits.drop()
    this.quarantine.dropped(batch)
    this.free(batch, now)
    return false
  }

  /** Its points that stand for nothing but what was abandoned; what they stood for is dropped. */
  #forgotten(batch: Batch<O>): Set<Point<O>> {
    if (!this.#forgets) return new Set()
    const dropped: Share[] = []
    const gone = new Set(batch.body.points.filter((point) => dropShares(point, isAbandoned, dropped)))
    for (const share of dropped) this.#parts.drop(share)
    return gone
  }

  /** Nothing more is to be sent. */
  clear(): void {
    this.#retries.clear()
  }

  /** Parts of refused requests go like retries; what is due of a quarantined table waits until they are through. */
  #tryOn(now: number, all: boolean): void {
    const { quarantine } = this
    if (quarantine.isIdle) return
    for (
      let table = this.#tables.next(now, all);
      table && quarantine.isQuarantined(table);
      table = this.#tables.next(now, all)
    )
      quarantine.wait(this.#tables.due(now, all)!)
    for (let part = quarantine.next(now); part; part = quarantine.next(now)) this.again(part, now, now)
  }
}
