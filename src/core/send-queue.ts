// Decides what is sent next, and when: retries, parts of refused requests, and bodies of tables that are due. Also has the late-write
// guard: after an attempt without an answer, newer values of its rows wait until that attempt can no longer reach the service.
//
// A point is a version of a row; a share, some of the records that it stands for; a track, the stream or partition that these came from. A
// record is settled once it is stored, or kept as a reject. A body is due once it is full, or has waited long enough for more points.
//
// The engine's loop takes a batch by `next`, sends it, and reports the end of the attempt by `ended`. What it calls then depends on the
// outcome. Delivered: `quarantine.delivered` and `free`. To be sent again: `again`. Refused: `quarantine.refused`. Too large: `split`,
// which tells the quarantine itself; of a single point the loop tells it, by `quarantine.tooLarge`. A single point that is refused or too
// large ends by `freeIfLost`, or is rejected and then freed. Time is the `now` that callers pass. O: where a record was read (types.ts).

import { Batch } from './batch.ts'
import type { Body, Point } from './body.ts'
import type { Share } from './segment.ts'
import { dropShares, isLost } from './shares.ts'
import type { Tables } from './tables.ts'
import { Timed } from './queues.ts'
import { TableQuarantine } from './refusal/table-quarantine.ts'
import type { Permits } from './types.ts'

/** If nothing is in flight, a retry starts so long after the end of the last attempt at the latest, to see whether the service is back. */
const PROBE_MS = 2000

interface SendQueueParts {
  readonly permits: Permits
  /** How long newer values of a row wait after an ambiguous attempt: one without an answer, whose request may have arrived. */
  readonly guardMs: number
  /** Called with every share that is dropped. */
  readonly drop: (share: Share) => void
}

/** The batches to send, and the keys that the late-write guard holds. Never throws, never waits. See decisions.md#delivery. */
export class SendQueue<O> {
  /** Judges refusals. It is told what is `sent` and what is `dropped`, because its verdict waits for the answers of what is under way. */
  readonly quarantine: TableQuarantine<O>
  readonly #parts: SendQueueParts
  readonly #tables: Tables<O>
  readonly #retries = new Timed<Batch<O>>()
  /** Settled or dropped bodies of which an ambiguous attempt may still arrive, by the time until which newer values of their keys wait. */
  readonly #guarded = new Timed<Body<O>>()
  #inFlight = 0
  /** When an attempt last ended; -Infinity before the first. */
  #lastEnd = -Infinity
  /** Whether a track was ever lost, so that batches may hold records to be dropped. */
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

  /** Batches whose keys the late-write guard holds. */
  get guarded(): number {
    return this.#guarded.size
  }

  /** When the next retry is due; Infinity if there is none. While nothing is in flight, no later than PROBE_MS after the last attempt. */
  get nextRetryAt(): number {
    const at = this.#retries.nextAt
    return this.#inFlight === 0 && at !== Infinity ? Math.min(at, this.#lastEnd + PROBE_MS) : at
  }

  /** Number of keys that the late-write guard holds. Takes time in proportion to its batches. */
  get guardedKeys(): number {
    let keys = 0
    for (const body of this.#guarded) keys += body.points.length
    return keys
  }

  /** Until when the guard holds any key; -Infinity if it holds none. */
  get guardedUntil(): number {
    return this.#guarded.lastAt
  }

  /** Takes a permit and the next batch to send, due retries first. `undefined` when nothing is due, or there is no permit.
   *  @param isInputOver whether the input has ended, so that every open body is due */
  next(now: number, isInputOver: boolean): Batch<O> | undefined {
    const { permits } = this.#parts
    while (this.#guarded.nextAt <= now) this.#tables.release(this.#guarded.take()!)
    this.#queueParts(now, isInputOver)
    let batch: Batch<O> | undefined
    if (this.nextRetryAt <= now) {
      if (permits.take('retry', now)) batch = this.#retries.take()
    } else if (this.#tables.dueTable(now, isInputOver) && permits.take('first', now)) {
      batch = new Batch(this.#tables.takeDue(now, isInputOver)!)
    }
    if (!batch) return undefined
    this.#inFlight++
    if (batch.attempts === 0) this.quarantine.sent(batch)
    return batch
  }

  ended(now: number): void {
    this.#inFlight--
    this.#lastEnd = now
  }

  /** When to call `next` again even if no answer and no item came; Infinity when never. What is due already waits for a permit: it can
   *  begin when one comes back, or when the permits may answer differently. */
  nextChange(now: number): number {
    const permitAt = this.#parts.permits.nextChange(now) ?? Infinity
    const retryAt = this.nextRetryAt
    const bodyAt = this.#tables.nextDue()
    return Math.min(retryAt <= now ? permitAt : retryAt, bodyAt <= now ? permitAt : bodyAt, this.#guarded.nextAt)
  }

  /** Queues a batch for an attempt at the time `at`, but drops its records of tracks that were lost: taken from this process. */
  again(batch: Batch<O>, at: number, now: number): void {
    if (this.#keepUnlost(batch, now)) this.#retries.put(at, batch)
  }

  /** Drops records of lost tracks from batches that wait for a retry. Must be called when tracks were lost. Attempts under way go on. */
  forget(now: number): void {
    this.#wasAnyLost = true
    this.#retries.filter((batch) => this.#keepUnlost(batch, now))
  }

  /** Drops and frees a refused point if all its records were lost; then it need not be rejected.
   *  @param batch holds this point alone
   *  @returns whether it did */
  freeIfLost(batch: Batch<O>, now: number): boolean {
    if (this.#dropLost(batch).size === 0) return false
    this.free(batch, now)
    return true
  }

  /** Queues the halves of a batch that was too large, unless `tooLarge` says that the quarantine has them, and gives them by its `next`. */
  split(batch: Batch<O>, now: number): void {
    if (this.quarantine.tooLarge(batch)) return
    for (const half of this.#tables.cut(batch.body, Math.ceil(batch.body.points.length / 2)))
      this.again(new Batch(half, batch.ambiguousAt), now, now)
  }

  /** Frees a settled or dropped batch, or part of one. Newer values of its keys may be sent as soon as nothing of it can arrive late.
   *  @param isReusable whether its buffer may be reused, because nothing reads it any more (Transport.isQuiet) */
  free({ body, ambiguousAt }: Pick<Batch<O>, 'body' | 'ambiguousAt'>, now: number, isReusable = false): void {
    const heldUntil = ambiguousAt === undefined ? now : ambiguousAt + this.#parts.guardMs
    if (heldUntil <= now) return this.#tables.release(body, isReusable)
    this.#tables.park(body) // gives back its memory, but holds its keys until `next` releases it
    this.#guarded.put(heldUntil, body)
  }

  /** Takes out of a batch the points of which all records were lost, and frees them.
   *  @returns whether anything is left to send */
  #keepUnlost(batch: Batch<O>, now: number): boolean {
    const gone = this.#dropLost(batch)
    if (gone.size === 0) return true
    if (gone.size < batch.body.points.length) {
      this.free({ body: batch.leaveOut(gone), ambiguousAt: batch.ambiguousAt }, now)
      return true
    }
    // the permits count the batches that wait for a retry; parts that were never attempted are not among them
    if (batch.attempts > 0) this.#parts.permits.drop()
    this.quarantine.dropped(batch)
    this.free(batch, now)
    return false
  }

  /** Drops lost records of a batch, except of points whose bytes are still needed for a record that is kept (`dropShares`).
   *  @returns the points that stand for no other records */
  #dropLost(batch: Batch<O>): Set<Point<O>> {
    if (!this.#wasAnyLost) return new Set()
    const dropped: Share[] = []
    const gone = new Set(batch.body.points.filter((point) => dropShares(point, isLost, dropped)))
    for (const share of dropped) this.#parts.drop(share)
    return gone
  }

  /** Forgets all retries, because the run was stopped. Nothing more is sent then, so neither keys nor permits need be given back. */
  clear(): void {
    this.#retries.filter(() => false)
  }

  /** Hands due bodies of quarantined tables to the quarantine, and queues what that wants sent, parts of refused requests, as retries. */
  #queueParts(now: number, isInputOver: boolean): void {
    const { quarantine } = this
    if (quarantine.isIdle) return
    for (;;) {
      const table = this.#tables.dueTable(now, isInputOver)
      if (table && quarantine.isQuarantined(table)) {
        quarantine.wait(this.#tables.takeDue(now, isInputOver)!)
        continue
      }
      const part = quarantine.next()
      if (!part) return
      // if all of it was lost, it is dropped, and a body that waited for it may be due now
      this.again(part, now, now)
    }
  }
}
