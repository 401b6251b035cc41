// Decides what is sent next, and when: retries, parts of refused requests, and due bodies of tables. Also keeps the keys that the
// late-write guard holds. Time is the `now` that callers pass.

import { Batch } from './batch.ts'
import type { Body, Point, Share } from './body.ts'
import { dropShares, isLost } from './shares.ts'
import type { Tables } from './tables.ts'
import { Timed } from './queues.ts'
import { TableQuarantine } from './refusal/table-quarantine.ts'
import type { Permits } from './types.ts'

/** If nothing is in flight, the next retry starts after this time at the latest, to find out whether the service is back. */
const PROBE_MS = 2000

interface SendQueueParts {
  readonly permits: Permits
  /** How long newer values wait if an attempt with the same keys was ambiguous. */
  readonly guardMs: number
  /** Called with every share that is dropped. */
  readonly drop: (share: Share) => void
}

/** Never throws, never waits. See decisions.md#delivery. */
export class SendQueue<O> {
  readonly quarantine: TableQuarantine<O>
  readonly #parts: SendQueueParts
  readonly #tables: Tables<O>
  readonly #retries = new Timed<Batch<O>>()
  /** Settled bodies whose keys the late-write guard holds. */
  readonly #guarded = new Timed<Body<O>>()
  #inFlight = 0
  #lastEnd = -Infinity
  /** Whether any track was ever lost. */
  #forgets = false

  constructor(parts: SendQueueParts, tables: Tables<O>) {
    this.#parts = parts
    this.#tables = tables
    this.quarantine = new TableQuarantine((body, size) => tables.cut(body, size))
  }

  /** Attempts under way: between `next` and `ended`. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether nothing is in flight, due, or waiting for a retry. The guard may still hold keys. */
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

  /** When the next of them is due; Infinity if there is none. It is due sooner if that is the only way to find out whether the
   *  service is back. */
  get nextRetryAt(): number {
    const at = this.#retries.nextAt
    return this.#inFlight === 0 && at !== Infinity ? Math.min(at, this.#lastEnd + PROBE_MS) : at
  }

  /** Keys the guard holds. Takes time in proportion to its batches. */
  get guardedKeys(): number {
    let keys = 0
    for (const body of this.#guarded) keys += body.points.length
    return keys
  }

  /** Until when the guard holds the last of them; -Infinity if it holds none. */
  get guardedUntil(): number {
    return this.#guarded.lastAt
  }

  /** Takes a permit and the next batch to send. `undefined` when nothing is due, or there is no permit.
   *  @param all whether every open body is due (the input has ended) */
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

  /** When to call `next` again even if no answer and no item came; Infinity: never. What is due now but was not started waits for a
   *  permit, so the next turn comes with a returned permit or at this time. */
  nextChange(now: number): number {
    const change = this.#parts.permits.nextChange(now) ?? Infinity
    const retry = this.nextRetryAt
    const cut = this.#tables.nextDue()
    return Math.min(retry <= now ? change : retry, cut <= now ? change : cut, this.#guarded.nextAt)
  }

  again(batch: Batch<O>, at: number, now: number): void {
    if (this.#isWanted(batch, now)) this.#retries.put(at, batch)
  }

  /** Called when tracks were lost: nothing of them is sent again. Attempts under way go on. */
  forget(now: number): void {
    this.#forgets = true
    this.#retries.filter((batch) => this.#isWanted(batch, now))
  }

  /** Whether a refused point is still to be rejected; if its track was lost, it is freed instead.
   *  @param batch holds this one point */
  isRejectable(batch: Batch<O>, now: number): boolean {
    if (this.#forgotten(batch).size === 0) return true
    this.free(batch, now)
    return false
  }

  /** The batch was too large. */
  split(batch: Batch<O>, now: number): void {
    if (this.quarantine.tooLarge(batch)) return
    for (const half of this.#tables.cut(batch.body, Math.ceil(batch.body.points.length / 2)))
      this.again(new Batch(half, half.finish(), now, batch.ambiguousAt), now, now)
  }

  /** Frees a settled batch. Newer values of its keys may be sent as soon as nothing of it can arrive after them.
   *  @param isUnread whether its buffer may be reused */
  free({ body, ambiguousAt }: Pick<Batch<O>, 'body' | 'ambiguousAt'>, now: number, isUnread = false): void {
    const at = ambiguousAt === undefined ? now : ambiguousAt + this.#parts.guardMs
    if (at <= now) return this.#tables.release(body, isUnread)
    this.#tables.park(body)
    this.#guarded.put(at, body)
  }

  /** Removes what was lost.
   *  @returns whether anything is left to send */
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

  /** The points of which every record was lost. Drops all lost shares of the batch. */
  #forgotten(batch: Batch<O>): Set<Point<O>> {
    if (!this.#forgets) return new Set()
    const dropped: Share[] = []
    const gone = new Set(batch.body.points.filter((point) => dropShares(point, isLost, dropped)))
    for (const share of dropped) this.#parts.drop(share)
    return gone
  }

  /** No retry is to be sent any more. */
  clear(): void {
    this.#retries.clear()
  }

  /** Queues parts of refused requests as retries. Other bodies of their table wait until the parts are done. */
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
