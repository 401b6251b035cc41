// Decides whether a table or single points are to blame for refused requests (400 or 422), and which requests wait until that is known.
//
// As long as nothing of a table was accepted, the first refusal quarantines it: its requests are sent one after another, and if three
// different points (row versions) are refused alone, the table is to blame and the run stops. Otherwise points are to blame, and each
// refused request is taken apart until they stand alone, its bisection (bisection.ts). Refused points are rejected (rejecting.ts).
//
// The send queue reports each batch by `sent` when it is sent for the first time, by `tooLarge` if it is too large and has several points,
// and by `dropped` if it was lost. It gives due bodies of a quarantined table to `wait`, and takes from `next` what to send instead. The
// engine's loop reports batches by `delivered`, by `refused`, and by `tooLarge` if they have one point. It acts on the verdicts:
// `refusedTable` and `nextRefused`.

import { Batch } from '../batch.ts'
import type { Body } from '../body.ts'
import { Bisection, type Cut, type Part } from './bisection.ts'
import type { KeyAtom, Table } from '../types.ts'

/** So many different points refused alone, and none accepted, show that the table is to blame. */
const DISTINCT_REFUSALS = 3

/** A point that was refused alone. */
export interface Refused<O> {
  readonly batch: Batch<O>
  readonly reason: string
}

/** A table of which something was refused and nothing was accepted. Its bodies are sent or taken apart one after another until the cause
 *  is known, because if the table is to blame, all of them would be refused. */
interface QuarantinedTable<O> {
  /** Exact keys of the different points that were refused alone. */
  readonly refusedKeys: (KeyAtom | undefined)[]
  /** Points that were refused alone, to be rejected unless the table is to blame. */
  readonly undecided: Refused<O>[]
  /** The body whose turn it is, if there is one, and those that wait for theirs. */
  current: Bisection<O> | undefined
  readonly waiting: Bisection<O>[]
}

/** The part of a bisection that a batch was made of, and whether it was sent already. */
interface InBisection<O> {
  readonly part: Part<O>
  readonly bisection: Bisection<O>
  isSent: boolean
}

/** Finds out whether a table or its points are to blame, and which requests wait until that is known. Never throws, never waits.
 *  See decisions.md#three-refusals-alone-blame-the-table. */
export class TableQuarantine<O> {
  readonly #cut: Cut<O>
  /** Tables of which a point was accepted. */
  readonly #accepted = new Set<Table>()
  readonly #quarantined = new Map<Table, QuarantinedTable<O>>()
  /** Bisections that are not over, and whose parts may be sent. */
  readonly #bisections = new Set<Bisection<O>>()
  /** Batches that `next` gave, until they are delivered, refused, too large or dropped. */
  readonly #inBisection = new Map<Batch<O>, InBisection<O>>()
  /** Points that are known to be to blame, until `nextRefused` returns them. */
  readonly #refused: Refused<O>[] = []
  /** Number of requests of each table that were sent and have not ended, without parts of bisections. */
  readonly #underWay = new Map<Table, number>()

  constructor(cut: Cut<O>) {
    this.#cut = cut
  }

  /** Whether no request is being bisected and no table is quarantined. */
  get isIdle(): boolean {
    return this.#quarantined.size === 0 && this.#bisections.size === 0
  }

  /** Whether nothing that was refused has to be sent on or judged. A table may be quarantined nevertheless. */
  get isAtRest(): boolean {
    if (this.#bisections.size > 0) return false
    for (const { waiting, undecided } of this.#quarantined.values())
      if (waiting.length + undecided.length > 0) return false
    return true
  }

  isQuarantined(table: Table): boolean {
    return this.#quarantined.has(table)
  }

  /** Takes a due body of a quarantined table, to be sent when its turn comes. */
  wait(body: Body<O>): void {
    const bisection = new Bisection<O>(this.#cut)
    bisection.begin(body)
    this.#quarantined.get(body.points[0]!.table)!.waiting.push(bisection)
  }

  sent(batch: Batch<O>): void {
    const entry = this.#inBisection.get(batch)
    if (entry) entry.isSent = true
    else this.#countUnderWay(batch.table, 1)
  }

  /** Takes the next request to send. `undefined` when there is none until an answer comes. */
  next(): Batch<O> | undefined {
    // where three points were refused, the verdict only waits for answers under way, so nothing more of the table is sent
    const halted = new Set<Bisection<O>>()
    for (const quarantined of this.#quarantined.values()) {
      if (quarantined.refusedKeys.length < DISTINCT_REFUSALS) this.#startNext(quarantined)
      else if (quarantined.current) halted.add(quarantined.current)
    }
    for (const bisection of this.#bisections) {
      const part = halted.has(bisection) ? undefined : bisection.next()
      if (!part) continue
      const batch = new Batch(part.body, part.ambiguousAt)
      this.#inBisection.set(batch, { part, bisection, isSent: false })
      return batch
    }
    return undefined
  }

  /** Returns a point of a table that is to blame, so that the run must stop. `undefined` when there is none, or while requests of the table
   *  are under way: one may be accepted yet, because a service may be quick to refuse and slow to accept. */
  refusedTable(): Refused<O> | undefined {
    for (const [table, { refusedKeys, undecided, current }] of this.#quarantined)
      if (refusedKeys.length >= DISTINCT_REFUSALS && this.#isQuiet(table, current)) return undecided.at(-1)
    return undefined
  }

  /** Whether every request of the table that was sent has ended. */
  #isQuiet(table: Table, current: Bisection<O> | undefined): boolean {
    if ((this.#underWay.get(table) ?? 0) > 0) return false
    for (const { bisection, isSent } of this.#inBisection.values()) if (bisection === current && isSent) return false
    return true
  }

  /** Removes and returns the next point that is to be rejected. `undefined` when there is none. */
  nextRefused(): Refused<O> | undefined {
    return this.#refused.shift()
  }

  delivered(batch: Batch<O>): void {
    this.#accept(batch.table)
    const entry = this.#leave(batch)
    if (!entry) return this.#countUnderWay(batch.table, -1)
    entry.bisection.delivered(entry.part)
    this.#end(entry.bisection, batch.table)
  }

  refused(batch: Batch<O>, reason: string): void {
    const { table, body, ambiguousAt } = batch
    const quarantined = this.#quarantineOf(table)
    const isAlone = body.points.length === 1
    // a stand-in is a point of the table of rejects, which is never to blame: points that it refuses are rejected at once
    if (isAlone && (!quarantined || body.points[0]!.isStandIn)) this.#refused.push({ batch, reason })
    else if (isAlone) this.#hold(quarantined!, { batch, reason })
    const entry = this.#leave(batch)
    if (entry) {
      entry.bisection.refused(entry.part, ambiguousAt)
      this.#end(entry.bisection, table)
      return
    }
    this.#countUnderWay(table, -1)
    if (isAlone) return
    const bisection = this.#halved(batch, 'refused')
    if (quarantined) quarantined.waiting.push(bisection)
    else this.#bisections.add(bisection)
  }

  /** Notes that a batch was too large.
   *  @returns whether its halves come from `next`; if not, the caller halves it, unless it has one point */
  tooLarge(batch: Batch<O>): boolean {
    const { body, table, ambiguousAt } = batch
    const isAlone = body.points.length === 1
    const entry = this.#leave(batch)
    if (entry) {
      entry.bisection.tooLarge(entry.part, ambiguousAt)
      this.#end(entry.bisection, table)
      return !isAlone
    }
    this.#countUnderWay(table, -1)
    const quarantined = this.#quarantined.get(table)
    if (!quarantined || isAlone) return false
    quarantined.waiting.push(this.#halved(batch, 'too-large'))
    return true
  }

  /** Notes that a batch will not be sent again. */
  dropped(batch: Batch<O>): void {
    const entry = this.#leave(batch)
    if (!entry) {
      if (batch.attempts > 0) this.#countUnderWay(batch.table, -1)
      return
    }
    entry.bisection.dropped()
    this.#end(entry.bisection, batch.table)
  }

  /** Forgets which part of a bisection an ended batch was, and returns it. `undefined` when it was none. */
  #leave(batch: Batch<O>): InBisection<O> | undefined {
    if (this.#inBisection.size === 0) return undefined
    const entry = this.#inBisection.get(batch)
    this.#inBisection.delete(batch)
    return entry
  }

  #countUnderWay(table: Table, change: 1 | -1): void {
    this.#underWay.set(table, (this.#underWay.get(table) ?? 0) + change)
  }

  #halved({ body, ambiguousAt }: Batch<O>, cause: 'refused' | 'too-large'): Bisection<O> {
    const bisection = new Bisection<O>(this.#cut)
    bisection.halve(body, ambiguousAt, cause)
    return bisection
  }

  /** Forgets a bisection if it is over. */
  #end(bisection: Bisection<O>, table: Table): void {
    if (!bisection.isOver) return
    this.#bisections.delete(bisection)
    const quarantined = this.#quarantined.get(table)
    if (quarantined?.current === bisection) quarantined.current = undefined
  }

  /** Finds the table's quarantine, or begins one. `undefined` when a point of the table was accepted before. */
  #quarantineOf(table: Table): QuarantinedTable<O> | undefined {
    if (this.#accepted.has(table)) return undefined
    const quarantined = this.#quarantined.get(table) ?? {
      refusedKeys: [],
      undecided: [],
      current: undefined,
      waiting: [],
    }
    this.#quarantined.set(table, quarantined)
    return quarantined
  }

  /** Keeps a point that was refused alone until it is known whether the table is to blame. Versions of one row count as one point. */
  #hold(quarantined: QuarantinedTable<O>, refused: Refused<O>): void {
    quarantined.undecided.push(refused)
    const { exact } = refused.batch.body.points[0]!
    if (exact === undefined || !quarantined.refusedKeys.includes(exact)) quarantined.refusedKeys.push(exact)
  }

  /** Starts the next body of the table when the last one is done. When none is left, too few points were refused to blame the table. */
  #startNext(quarantined: QuarantinedTable<O>): void {
    if (quarantined.current) return
    const next = quarantined.waiting.shift()
    if (!next) {
      this.#refused.push(...quarantined.undecided.splice(0))
      return
    }
    quarantined.current = next
    this.#bisections.add(next)
  }

  /** Notes that the table accepted a point, so that the refused points are to blame. Bodies that waited go on at once. */
  #accept(table: Table): void {
    if (this.#accepted.has(table)) return
    this.#accepted.add(table)
    const quarantined = this.#quarantined.get(table)
    if (!quarantined) return
    this.#quarantined.delete(table)
    this.#refused.push(...quarantined.undecided)
    for (const waiting of quarantined.waiting) this.#bisections.add(waiting)
  }
}
