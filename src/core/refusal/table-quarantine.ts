// What happens to a refused record.
//
// The service refuses a request with 400 or 422. The cause may be one of its up to 100 points, or the whole table. As long as nothing
// of the table was accepted, the table is quarantined: its requests are sent one after another, and if three different points are
// refused alone, the table is to blame and the run stops (`TableQuarantine`). Otherwise points are to blame, and the request is
// bisected until each refused point is alone (`Bisection`). Such points, and records that never became points, are rejected
// (rejecting.ts): the policy ends the run, keeps the record in a file or a topic, or delivers it as points of another table. The
// record is settled, as rejected, once that is durable.

import { Batch } from '../batch.ts'
import type { Body } from '../body.ts'
import type { KeyAtom, Table } from '../types.ts'

/** After this many different points were refused alone and none was accepted, blame the table
 *  (decisions.md#three-refusals-alone-blame-the-table). */
const DISTINCT_REFUSALS = 3

/** A point that was refused alone. */
export interface Refused<O> {
  readonly batch: Batch<O>
  readonly reason: string
}

/** A body of a quarantined table that waits for its turn. */
interface WaitingBody<O> {
  readonly body: Body<O>
  /** The answer to the whole body; undefined if it was not sent. */
  readonly answered: { readonly ambiguousAt: number | undefined; readonly isRefused: boolean } | undefined
}

/** A table of which something was refused and nothing was accepted. Its requests are sent one after another until the cause is
 *  known, because if it is the table, all of them would be refused. */
interface QuarantinedTable<O> {
  /** Exact keys of points that were refused alone. */
  readonly refusedKeys: (KeyAtom | undefined)[]
  /** Points that were refused alone, to be rejected unless the table is to blame. */
  readonly undecided: Refused<O>[]
  readonly waiting: WaitingBody<O>[]
  current: Bisection<O> | undefined
}

/** What is known of a batch under way that is part of a bisection. */
interface InBisection<O> {
  readonly part: Part<O>
  readonly bisection: Bisection<O>
  isSent: boolean
}

/** Finds out whether the table or its points are to blame, and which requests wait until that is known. Never throws, never waits.
 *  See decisions.md#three-refusals-alone-blame-the-table. */
export class TableQuarantine<O> {
  readonly #cut: Cut<O>
  readonly #accepted = new Set<Table>()
  readonly #quarantined = new Map<Table, QuarantinedTable<O>>()
  readonly #bisections = new Set<Bisection<O>>()
  readonly #inBisection = new Map<Batch<O>, InBisection<O>>()
  readonly #refused: Refused<O>[] = []
  /** Requests of each table that are under way or wait for a retry, without parts of bisections. */
  readonly #underWay = new Map<Table, number>()

  /** @param cut cuts a sent body into bodies of `size` points, in order */
  constructor(cut: Cut<O>) {
    this.#cut = cut
  }

  /** Whether no request is being bisected and no table is quarantined. */
  get isIdle(): boolean {
    return this.#quarantined.size === 0 && this.#bisections.size === 0
  }

  /** Whether nothing that was refused has to be sent or judged. A table may be quarantined nevertheless. */
  get isAtRest(): boolean {
    if (this.#bisections.size > 0) return false
    for (const { waiting, undecided } of this.#quarantined.values())
      if (waiting.length + undecided.length > 0) return false
    return true
  }

  isQuarantined(table: Table): boolean {
    return this.#quarantined.has(table)
  }

  /** Takes a due body of a quarantined table. */
  wait(body: Body<O>): void {
    this.#quarantined.get(body.points[0]!.table)!.waiting.push({ body, answered: undefined })
  }

  /** Call this when a batch is sent for the first time. */
  sent(batch: Batch<O>): void {
    const entry = this.#inBisection.get(batch)
    if (entry) entry.isSent = true
    else this.#count(batch.table, 1)
  }

  /** The next request to send; undefined if there is none until an answer comes. */
  next(now: number): Batch<O> | undefined {
    const done = new Set<Bisection<O>>()
    for (const quarantined of this.#quarantined.values()) {
      if (quarantined.refusedKeys.length < DISTINCT_REFUSALS) this.#goOn(quarantined)
      else if (quarantined.current) done.add(quarantined.current)
    }
    for (const bisection of this.#bisections) {
      const part = done.has(bisection) ? undefined : bisection.next()
      if (!part) continue
      const { body, ambiguousAt } = part
      const batch = new Batch(body, body.finish(), now, ambiguousAt)
      this.#inBisection.set(batch, { part, bisection, isSent: false })
      return batch
    }
    return undefined
  }

  /** A point of a table that is to blame, so that the run must stop. Waits for the answers to all requests of that table, because a
   *  service may be quick to refuse and slow to accept. */
  refusedTable(): Refused<O> | undefined {
    for (const [table, { refusedKeys, undecided, current }] of this.#quarantined)
      if (refusedKeys.length >= DISTINCT_REFUSALS && this.#isQuiet(table, current)) return undecided.at(-1)
    return undefined
  }

  #isQuiet(table: Table, current: Bisection<O> | undefined): boolean {
    if ((this.#underWay.get(table) ?? 0) > 0) return false
    for (const { bisection, isSent } of this.#inBisection.values()) if (bisection === current && isSent) return false
    return true
  }

  /** The next point that is to be rejected. */
  nextRefused(): Refused<O> | undefined {
    return this.#refused.shift()
  }

  delivered(batch: Batch<O>): void {
    this.#accept(batch.table)
    const entry = this.#leave(batch)
    if (!entry) return this.#count(batch.table, -1)
    entry.bisection.delivered(entry.part)
    this.#end(entry.bisection, batch.table)
  }

  refused(batch: Batch<O>, reason: string): void {
    const { table, body, ambiguousAt } = batch
    const quarantined = this.#quarantineOf(table)
    const isAlone = body.points.length === 1
    // a table of rejects is never to blame: points that it refuses are rejected at once
    if (isAlone && (!quarantined || body.points[0]!.isStandIn)) this.#refused.push({ batch, reason })
    else if (isAlone) this.#hold(quarantined!, { batch, reason })
    const entry = this.#leave(batch)
    if (entry) {
      entry.bisection.refused(entry.part, ambiguousAt)
      this.#end(entry.bisection, table)
      return
    }
    this.#count(table, -1)
    if (isAlone) return
    if (quarantined) quarantined.waiting.push({ body, answered: { ambiguousAt, isRefused: true } })
    else this.#begin().halve(body, ambiguousAt, true)
  }

  /** @returns whether the batch is halved here */
  tooLarge(batch: Batch<O>): boolean {
    const { body, table, ambiguousAt } = batch
    const isAlone = body.points.length === 1
    const entry = this.#leave(batch)
    if (entry) {
      entry.bisection.tooLarge(entry.part, ambiguousAt)
      this.#end(entry.bisection, table)
      return !isAlone
    }
    this.#count(table, -1)
    const quarantined = this.#quarantined.get(table)
    if (!quarantined || isAlone) return false
    quarantined.waiting.push({ body, answered: { ambiguousAt, isRefused: false } })
    return true
  }

  /** The batch will not be sent again. */
  dropped(batch: Batch<O>): void {
    const entry = this.#leave(batch)
    if (!entry) {
      if (batch.attempts > 0) this.#count(batch.table, -1)
      return
    }
    entry.bisection.dropped()
    this.#end(entry.bisection, batch.table)
  }

  #leave(batch: Batch<O>): InBisection<O> | undefined {
    if (this.#inBisection.size === 0) return undefined
    const entry = this.#inBisection.get(batch)
    this.#inBisection.delete(batch)
    return entry
  }

  #count(table: Table, change: number): void {
    this.#underWay.set(table, (this.#underWay.get(table) ?? 0) + change)
  }

  #begin(): Bisection<O> {
    const bisection = new Bisection<O>(this.#cut)
    this.#bisections.add(bisection)
    return bisection
  }

  #try({ body, answered }: WaitingBody<O>): Bisection<O> {
    const bisection = this.#begin()
    if (answered) bisection.halve(body, answered.ambiguousAt, answered.isRefused)
    else bisection.begin(body, undefined)
    return bisection
  }

  #end(bisection: Bisection<O>, table: Table): void {
    if (!bisection.isOver) return
    this.#bisections.delete(bisection)
    const quarantined = this.#quarantined.get(table)
    if (quarantined?.current === bisection) quarantined.current = undefined
  }

  /** The table's quarantine, unless a point of it was accepted before. */
  #quarantineOf(table: Table): QuarantinedTable<O> | undefined {
    if (this.#accepted.has(table)) return undefined
    let quarantined = this.#quarantined.get(table)
    if (!quarantined)
      this.#quarantined.set(table, (quarantined = { refusedKeys: [], undecided: [], waiting: [], current: undefined }))
    return quarantined
  }

  /** Versions of one row do not count as different points. */
  #hold(quarantined: QuarantinedTable<O>, refused: Refused<O>): void {
    quarantined.undecided.push(refused)
    const { exact } = refused.batch.body.points[0]!
    if (exact === undefined || !quarantined.refusedKeys.includes(exact)) quarantined.refusedKeys.push(exact)
  }

  /** Sends the table's requests one at a time. When none is left, the refused points are to blame, not the table. */
  #goOn(quarantined: QuarantinedTable<O>): void {
    if (quarantined.current) return
    const next = quarantined.waiting.shift()
    if (!next) {
      this.#refused.push(...quarantined.undecided.splice(0))
      return
    }
    quarantined.current = this.#try(next)
  }

  /** The table accepted a point, so the refused points are to blame. Bodies that waited go on at once. */
  #accept(table: Table): void {
    if (this.#accepted.has(table)) return
    this.#accepted.add(table)
    const quarantined = this.#quarantined.get(table)
    if (!quarantined) return
    this.#quarantined.delete(table)
    this.#refused.push(...quarantined.undecided)
    for (const waiting of quarantined.waiting) this.#try(waiting)
  }
}

/** Parts of one request under way at most. With more, the first answer would make many of them needless. */
const AT_ONCE = 2
/** From this share of bad points on, sending points one by one takes fewer requests than halving. Some good points are added to the
 *  count, so that a few bad ones at the beginning do not decide. */
const MOSTLY_BAD = 0.3
const ASSUMED_GOOD = 25

/** Two halves of a refused request. If one is delivered, the other must contain what was refused. */
interface Pair {
  isHalfClean: boolean
}

/** Some of the points of a refused request. */
export interface Part<O> {
  readonly body: Body<O>
  /** When the last ambiguous attempt with these points ended. */
  readonly ambiguousAt: number | undefined
  readonly pair: Pair | undefined
}

export type Cut<O> = (body: Body<O>, size: number) => readonly Body<O>[]

/** Splits a refused request until it is known which points the service refuses: depth first, two parts at a time. Never throws,
 *  never waits. See decisions.md#a-refused-request-is-bisected. */
export class Bisection<O> {
  readonly #cut: Cut<O>
  /** The smallest one is next; of equally small ones, the last. */
  readonly #parts: Part<O>[] = []
  #underWay = 0
  #good = 0
  #bad = 0

  /** @param cut cuts a sent body into bodies of `size` points, in order */
  constructor(cut: Cut<O>) {
    this.#cut = cut
  }

  get isOver(): boolean {
    return this.#underWay === 0 && this.#parts.length === 0
  }

  /** Begins with a body that was not sent yet. */
  begin(body: Body<O>, ambiguousAt: number | undefined): void {
    this.#parts.push({ body, ambiguousAt, pair: undefined })
  }

  /** The next part to send. Call `delivered`, `refused`, `tooLarge` or `dropped` afterwards. */
  next(): Part<O> | undefined {
    if (this.#underWay >= AT_ONCE) return undefined
    let part = this.#smallest()
    while (part && part.body.points.length > 1) {
      if (this.#isMostlyBad()) this.#push(this.#cut(part.body, 1), part.ambiguousAt, undefined)
      // the other half was delivered, so this one will be refused and need not be sent
      else if (part.pair?.isHalfClean === true) this.halve(part.body, part.ambiguousAt, true)
      else break
      part = this.#smallest()
    }
    if (part) this.#underWay++
    return part
  }

  delivered({ pair, body }: Part<O>): void {
    this.#underWay--
    this.#good += body.points.length
    if (pair) pair.isHalfClean = true
  }

  refused({ body }: Part<O>, ambiguousAt: number | undefined): void {
    this.#underWay--
    if (body.points.length > 1) this.halve(body, ambiguousAt, true)
    else this.#bad++
  }

  /** The part was too large, which says nothing about its points. */
  tooLarge({ body }: Part<O>, ambiguousAt: number | undefined): void {
    this.#underWay--
    if (body.points.length > 1) this.halve(body, ambiguousAt, false)
  }

  /** The part will not be sent again. */
  dropped(): void {
    this.#underWay--
  }

  /** @param isRefused whether at least one of the points is refused */
  halve(body: Body<O>, ambiguousAt: number | undefined, isRefused: boolean): void {
    const halves = this.#cut(body, Math.ceil(body.points.length / 2))
    this.#push(halves, ambiguousAt, isRefused ? { isHalfClean: false } : undefined)
  }

  /** The smallest part, so that the search is depth first in whatever order answers come. */
  #smallest(): Part<O> | undefined {
    let found = this.#parts.length - 1
    for (let at = found - 1; at >= 0; at--)
      if (this.#parts[at]!.body.points.length < this.#parts[found]!.body.points.length) found = at
    return this.#parts.splice(found, 1)[0]
  }

  #push(bodies: readonly Body<O>[], ambiguousAt: number | undefined, pair: Pair | undefined): void {
    for (const body of bodies.toReversed()) this.#parts.push({ body, ambiguousAt, pair })
  }

  #isMostlyBad(): boolean {
    return this.#bad / (this.#bad + this.#good + ASSUMED_GOOD) >= MOSTLY_BAD
  }
}
