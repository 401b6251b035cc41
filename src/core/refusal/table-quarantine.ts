// Whether it is a table that the service refuses, or points of it, and who must wait until that is known.
// Knows requests and answers; no permits, no time of its own, and nothing of what becomes of a refused point.

import { Batch } from '../batch.ts'
import { Bisection } from './bisection.ts'
import type { Cut, Part } from './bisection.ts'
import type { Body } from '../body.ts'
import type { KeyAtom, Table } from '../types.ts'

/** So many different points refused alone, and none ever accepted, and it is the table
 *  (decisions.md#three-refusals-alone-blame-the-table). */
const ENOUGH = 3

/** A point that is refused alone. */
export interface Refused<O> {
  readonly batch: Batch<O>
  readonly reason: string
}

/** A body that waits for its turn. */
interface Waiting<O> {
  readonly body: Body<O>
  /** undefined: it was not sent. */
  readonly answered: { readonly ambiguousAt: number | undefined; readonly isRefused: boolean } | undefined
}

/** A table of which something was refused and nothing was ever accepted. Its requests go one after another until it is
 *  known what is wrong, for a table that is refused is refused by all of them. */
interface QuarantinedTable<O> {
  /** Exact keys of the points refused alone. */
  readonly alone: (KeyAtom | undefined)[]
  /** Points refused alone whose fate depends on the table's. */
  readonly held: Refused<O>[]
  readonly waiting: Waiting<O>[]
  current: Bisection<O> | undefined
}

/** A batch under way that is part of a bisection. */
interface InBisection<O> {
  readonly part: Part<O>
  readonly bisection: Bisection<O>
  isSent: boolean
}

/** Never throws, never waits. See decisions.md#three-refusals-alone-blame-the-table and
 *  decisions.md#a-refused-request-is-bisected. */
export class TableQuarantine<O> {
  readonly #cut: Cut<O>
  readonly #accepted = new Set<Table>()
  readonly #quarantined = new Map<Table, QuarantinedTable<O>>()
  readonly #bisections = new Set<Bisection<O>>()
  readonly #inBisection = new Map<Batch<O>, InBisection<O>>()
  readonly #refused: Refused<O>[] = []
  /** Requests of a table under way, those that wait for their repetition too, but for parts of bisections. */
  readonly #underWay = new Map<Table, number>()

  /** @param cut makes bodies of so many points each, in order, of a sent one */
  constructor(cut: Cut<O>) {
    this.#cut = cut
  }

  /** No request is being bisected, no table is quarantined. */
  get isIdle(): boolean {
    return this.#quarantined.size === 0 && this.#bisections.size === 0
  }

  /** Nothing that was refused is still to be sent or judged, though a table may be quarantined. */
  get isAtRest(): boolean {
    if (this.#bisections.size > 0) return false
    for (const { waiting, held } of this.#quarantined.values()) if (waiting.length + held.length > 0) return false
    return true
  }

  isQuarantined(table: Table): boolean {
    return this.#quarantined.has(table)
  }

  /** A body of a quarantined table that is due. */
  wait(body: Body<O>): void {
    this.#quarantined.get(body.points[0]!.table)!.waiting.push({ body, answered: undefined })
  }

  /** The batch is sent for the first time. */
  sent(batch: Batch<O>): void {
    const entry = this.#inBisection.get(batch)
    if (entry) entry.isSent = true
    else this.#count(batch.table, 1)
  }

  /** The next request to send; undefined: none, until an answer comes. */
  next(now: number): Batch<O> | undefined {
    const done = new Set<Bisection<O>>()
    for (const quarantined of this.#quarantined.values()) {
      if (quarantined.alone.length < ENOUGH) this.#goOn(quarantined)
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

  /** A point of a table that is refused as a whole: the run must stop. Not before everything of it that was under way is
   *  answered, for a service may be quick to refuse and slow to accept. */
  refusedTable(): Refused<O> | undefined {
    for (const [table, { alone, held, current }] of this.#quarantined)
      if (alone.length >= ENOUGH && this.#isQuiet(table, current)) return held.at(-1)
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
    // where rejects go is no table of the source's: a point it refuses is told at once, whether it refuses others or not
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

  /** @returns whether it is halved here */
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

  /** It is not sent any more. */
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

  #try({ body, answered }: Waiting<O>): Bisection<O> {
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

  /** The table's quarantine, unless a point of it was ever accepted. */
  #quarantineOf(table: Table): QuarantinedTable<O> | undefined {
    if (this.#accepted.has(table)) return undefined
    let quarantined = this.#quarantined.get(table)
    if (!quarantined)
      this.#quarantined.set(table, (quarantined = { alone: [], held: [], waiting: [], current: undefined }))
    return quarantined
  }

  /** Versions of one row are not different points. */
  #hold(quarantined: QuarantinedTable<O>, refused: Refused<O>): void {
    quarantined.held.push(refused)
    const { exact } = refused.batch.body.points[0]!
    if (exact === undefined || !quarantined.alone.includes(exact)) quarantined.alone.push(exact)
  }

  /** One thing of it after another; when there is nothing more to try, what was refused is the points'. */
  #goOn(quarantined: QuarantinedTable<O>): void {
    if (quarantined.current) return
    const next = quarantined.waiting.shift()
    if (!next) {
      this.#refused.push(...quarantined.held.splice(0))
      return
    }
    quarantined.current = this.#try(next)
  }

  /** Points of it are good, so it is the points that are refused; whatever waited goes on at once. */
  #accept(table: Table): void {
    if (this.#accepted.has(table)) return
    this.#accepted.add(table)
    const quarantined = this.#quarantined.get(table)
    if (!quarantined) return
    this.#quarantined.delete(table)
    this.#refused.push(...quarantined.held)
    for (const waiting of quarantined.waiting) this.#try(waiting)
  }
}
