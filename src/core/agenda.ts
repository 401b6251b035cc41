// What is to be sent, and when: repetitions, parts of refused requests, bodies of tables that are due, keys that a guard
// still holds. Knows no transport, no input, no ledger and no time but the `now` it is given.

import { Batch } from './batch.ts'
import type { Body } from './body.ts'
import type { Tables } from './tables.ts'
import { Timed } from './timed.ts'
import { Trials } from './trials.ts'
import type { Permits } from './types.ts'

/** While nothing is in flight, one attempt at least this often tells whether the service is back. */
const PROBE_MS = 2000

interface Parts {
  readonly permits: Permits
  /** How long newer values of an ambiguous attempt's keys wait. */
  readonly guardMs: number
}

/** Never throws, never waits. Architecture rules 6–9. */
export class Agenda<O> {
  readonly trials: Trials<O>
  readonly #parts: Parts
  readonly #tables: Tables<O>
  readonly #retries = new Timed<Batch<O>>()
  /** Settled bodies whose keys the late-write guard still holds. */
  readonly #guarded = new Timed<Body<O>>()
  #inFlight = 0
  #lastEnd = -Infinity

  constructor(parts: Parts, tables: Tables<O>) {
    this.#parts = parts
    this.#tables = tables
    this.trials = new Trials((body, size) => tables.cut(body, size))
  }

  /** Attempts between `next` and `ended`. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** The next batch to send, with a permit taken for it; undefined: nothing is due, or no permit free.
   *  @param all every open body is due (the input has ended) */
  next(now: number, all: boolean): Batch<O> | undefined {
    const { permits } = this.#parts
    while (this.#guarded.nextAt <= now) this.#tables.release(this.#guarded.take()!)
    this.#tryOn(now, all)
    let batch: Batch<O> | undefined
    if (this.#retryAt() <= now) {
      if (permits.take('retry', now)) batch = this.#retries.take()
    } else if (this.#tables.next(now, all) && permits.take('first', now)) {
      const body = this.#tables.due(now, all)!
      batch = new Batch(body, body.finish(), now)
    }
    if (!batch) return undefined
    this.#inFlight++
    if (batch.attempts === 0) this.trials.sent(batch)
    return batch
  }

  /** An attempt has ended. */
  ended(now: number): void {
    this.#inFlight--
    this.#lastEnd = now
  }

  /** When `next` may answer differently without an answer or an item; Infinity: never. What is due and was not started
   *  waits for a permit: its return, or this, brings the next turn. */
  nextChange(now: number): number {
    const change = this.#parts.permits.nextChange(now) ?? Infinity
    const retry = this.#retryAt()
    const cut = this.#tables.nextDue()
    return Math.min(retry <= now ? change : retry, cut <= now ? change : cut, this.#guarded.nextAt)
  }

  again(batch: Batch<O>, at: number): void {
    this.#retries.put(at, batch)
  }

  /** It was too large. */
  split(batch: Batch<O>, now: number): void {
    if (this.trials.tooLarge(batch)) return
    for (const half of this.#tables.cut(batch.body, Math.ceil(batch.body.points.length / 2)))
      this.#retries.put(now, new Batch(half, half.finish(), now, batch.ambiguousAt))
  }

  /** Lets go of a settled batch: newer values of its keys may go, as soon as nothing of it can land after them. */
  free(batch: Batch<O>, now: number): void {
    const at = batch.ambiguousAt === undefined ? now : batch.ambiguousAt + this.#parts.guardMs
    if (at <= now) return this.#tables.release(batch.body)
    this.#tables.park(batch.body)
    this.#guarded.put(at, batch.body)
  }

  /** Nothing more is to be sent. */
  clear(): void {
    this.#retries.clear()
  }

  /** What is to be told apart is tried like a repetition; what is due of a suspect table waits for that. */
  #tryOn(now: number, all: boolean): void {
    if (this.trials.isIdle) return
    for (let table = this.#tables.next(now, all); table && this.trials.isSuspect(table);) table = this.#waitOn(now, all)
    for (let part = this.trials.next(now); part; part = this.trials.next(now)) this.#retries.put(now, part)
  }

  #waitOn(now: number, all: boolean): ReturnType<Tables<O>['next']> {
    this.trials.wait(this.#tables.due(now, all)!)
    return this.#tables.next(now, all)
  }

  /** The earliest repetition, brought forward when it is the only way to see whether the service is back. */
  #retryAt(): number {
    const at = this.#retries.nextAt
    return this.#inFlight === 0 && at !== Infinity ? Math.min(at, this.#lastEnd + PROBE_MS) : at
  }
}
