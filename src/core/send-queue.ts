// Decides what is sent next, and when: retries, parts of refused requests, and due bodies of tables. Also keeps the keys that the
// late-write guard holds: after an attempt without an answer, newer values of its rows wait until it can no longer arrive.
//
// The engine's loop takes a batch by `next`, sends it, and says so by `ended`. Then it calls `quarantine.delivered` and `free` when
// the batch was delivered, `again` when it is to be sent once more, `quarantine.refused` when it was refused, and when it was too large
// `split`, or `quarantine.tooLarge` for a single point. A point that is refused or too large goes by `freeIfLost`, or is rejected and
// freed. Time is the `now` that callers pass.

import { Batch } from './batch.ts'
import type { Body, Point } from './body.ts'
import type { Share } from './segment.ts'
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
  /** When an attempt last ended. */
  #lastEnd = -Infinity
  #wasAnyLost = false

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

  /** When the next retry is due; Infinity if there is none. It is due sooner if that is the only way to find out whether the
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

  /** Takes a permit and the next batch to send, due retries first. `undefined` when nothing is due, or there is no permit.
   *  @param all whether every open body is due (the input has ended) */
  next(now: number, all: boolean): Batch<O> | undefined {
    const { permits } = this.#parts
    while (this.#guarded.nextAt <= now) this.#tables.release(this.#guarded.take()!, false)
    this.#tryOn(now, all)
    let batch: Batch<O> | undefined
    if (this.nextRetryAt <= now) {
      if (permits.take('retry', now)) batch = this.#retries.take()
    } else if (this.#tables.next(now, all) && permits.take('first', now)) {
      batch = new Batch(this.#tables.due(now, all)!)
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

  /** Queues a batch for its next attempt, without what was lost of it. */
  again(batch: Batch<O>, at: number, now: number): void {
    if (this.#keepUnlost(batch, now)) this.#retries.put(at, batch)
  }

  /** Drops what waits for a retry and was lost. To be called when tracks were lost. Attempts under way go on. */
  forget(now: number): void {
    this.#wasAnyLost = true
    this.#retries.filter((batch) => this.#keepUnlost(batch, now))
  }

  /** Drops and frees a refused point whose records were lost; it need not be rejected.
   *  @param batch holds this one point
   *  @returns whether it was lost */
  freeIfLost(batch: Batch<O>, now: number): boolean {
    if (this.#dropLost(batch).size === 0) return false
    this.free(batch, now)
    return true
  }

  /** Queues the halves of a batch that was too large. */
  split(batch: Batch<O>, now: number): void {
    if (this.quarantine.tooLarge(batch)) return
    for (const half of this.#tables.cut(batch.body, Math.ceil(batch.body.points.length / 2)))
      this.again(new Batch(half, batch.ambiguousAt), now, now)
  }

  /** Frees a settled batch. Newer values of its keys may be sent as soon as nothing of it can arrive after them.
   *  @param isReusable whether nothing reads its buffer any more (Transport.isQuiet) */
  free({ body, ambiguousAt }: Pick<Batch<O>, 'body' | 'ambiguousAt'>, now: number, isReusable = false): void {
    const heldUntil = ambiguousAt === undefined ? now : ambiguousAt + this.#parts.guardMs
    if (heldUntil <= now) return this.#tables.release(body, isReusable)
    this.#tables.park(body)
    this.#guarded.put(heldUntil, body)
  }

  /** Takes lost points out of a batch that waits for a retry, and frees them.
   *  @returns whether anything is left to send */
  #keepUnlost(batch: Batch<O>, now: number): boolean {
    const gone = this.#dropLost(batch)
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

  /** Drops all lost records of a batch.
   *  @returns the points of which none is left */
  #dropLost(batch: Batch<O>): Set<Point<O>> {
    if (!this.#wasAnyLost) return new Set()
    const dropped: Share[] = []
    const gone = new Set(batch.body.points.filter((point) => dropShares(point, isLost, dropped)))
    for (const share of dropped) this.#parts.drop(share)
    return gone
  }

  /** Forgets all retries: the run was stopped. */
  clear(): void {
    this.#retries.filter(() => false)
  }

  /** Queues parts of refused requests as retries. Due bodies of their tables wait until the parts are done. */
  #tryOn(now: number, all: boolean): void {
    const { quarantine } = this
    if (quarantine.isIdle) return
    for (;;) {
      const table = this.#tables.next(now, all)
      if (table && quarantine.isQuarantined(table)) {
        quarantine.wait(this.#tables.due(now, all)!)
        continue
      }
      const part = quarantine.next()
      if (!part) return
      // if all of it was lost, it is dropped, and what it held up may be due now
      this.again(part, now, now)
    }
  }
}
