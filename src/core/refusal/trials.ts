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

/** What is to be tried. */
interface Waiting<O> {
  readonly body: Body<O>
  /** undefined: it was not sent. */
  readonly answered: { readonly ambiguousAt: number | undefined; readonly isRefused: boolean } | undefined
}

/** A table of which something was refused and nothing was ever accepted. Its requests go one after another until it is
 *  known what is wrong, for a table that is refused is refused by all of them. */
interface Suspect<O> {
  /** Exact keys of the points refused alone. */
  readonly alone: (KeyAtom | undefined)[]
  /** Points refused alone whose fate depends on the table's. */
  readonly held: Refused<O>[]
  readonly waiting: Waiting<O>[]
  current: Bisection<O> | undefined
}

/** A batch under way that is part of a bisection. */
interface OnTrial<O> {
  readonly part: Part<O>
  readonly bisection: Bisection<O>
  isSent: boolean
}

/** Never throws, never waits. See decisions.md#three-refusals-alone-blame-the-table and
 *  decisions.md#a-refused-request-is-bisected. */
export class Trials<O> {
  readonly #cut: Cut<O>
  readonly #accepted = new Set<Table>()
  readonly #suspects = new Map<Table, Suspect<O>>()
  readonly #bisections = new Set<Bisection<O>>()
  readonly #onTrial = new Map<Batch<O>, OnTrial<O>>()
  readonly #refused: Refused<O>[] = []
  /** Requests of a table under way, those that wait for their repetition too, but for parts of bisections. */
  readonly #underWay = new Map<Table, number>()

  /** @param cut makes bodies of so many points each, in order, of a sent one */
  constructor(cut: Cut<O>) {
    this.#cut = cut
  }

  /** Nothing is on trial. */
  get isIdle(): boolean {
    return this.#suspects.size === 0 && this.#bisections.size === 0
  }

  /** Nothing of what is on trial is still to be sent or judged, though a table may be suspect. */
  get isAtRest(): boolean {
    if (this.#bisections.size > 0) return false
    for (const { waiting, held } of this.#suspects.values()) if (waiting.length + held.length > 0) return false
    return true
  }

  isSuspect(table: Table): boolean {
    return this.#suspects.has(table)
  }

  /** A body of a suspect table that is due. */
  wait(body: Body<O>): void {
    this.#suspects.get(body.points[0]!.table)!.waiting.push({ body, answered: undefined })
  }

  /** The batch is sent for the first time. */
  sent(batch: Batch<O>): void {
    const trial = this.#onTrial.get(batch)
    if (trial) trial.isSent = true
    else this.#count(batch.table, 1)
  }

  /** The next request to send; undefined: none, until an answer comes. */
  next(now: number): Batch<O> | undefined {
    const done = new Set<Bisection<O>>()
    for (const suspect of this.#suspects.values()) {
      if (suspect.alone.length < ENOUGH) this.#goOn(suspect)
      else if (suspect.current) done.add(suspect.current)
    }
    for (const bisection of this.#bisections) {
      const part = done.has(bisection) ? undefined : bisection.next()
      if (!part) continue
      const { body, ambiguousAt } = part
      const batch = new Batch(body, body.finish(), now, ambiguousAt)
      this.#onTrial.set(batch, { part, bisection, isSent: false })
      return batch
    }
    return undefined
  }

  /** A point of a table that is refused as a whole: the run must stop. Not before everything of it that was under way is
   *  answered, for a service may be quick to refuse and slow to accept. */
  refusedTable(): Refused<O> | undefined {
    for (const [table, { alone, held, current }] of this.#suspects)
      if (alone.length >= ENOUGH && this.#isQuiet(table, current)) return held.at(-1)
    return undefined
  }

  #isQuiet(table: Table, current: Bisection<O> | undefined): boolean {
    if ((this.#underWay.get(table) ?? 0) > 0) return false
    for (const { bisection, isSent } of this.#onTrial.values()) if (bisection === current && isSent) return false
    return true
  }

  /** The next point that is to be rejected. */
  nextRefused(): Refused<O> | undefined {
    return this.#refused.shift()
  }

  delivered(batch: Batch<O>): void {
    this.#accept(batch.table)
    const trial = this.#leave(batch)
    if (!trial) return this.#count(batch.table, -1)
    trial.bisection.delivered(trial.part)
    this.#end(trial.bisection, batch.table)
  }

  refused(batch: Batch<O>, reason: string): void {
    const { table, body, ambiguousAt } = batch
    const suspect = this.#suspectOf(table)
    const isAlone = body.points.length === 1
    // where rejects go is no table of the source's: a point it refuses is told at once, whether it refuses others or not
    if (isAlone && (!suspect || body.points[0]!.isStandIn)) this.#refused.push({ batch, reason })
    else if (isAlone) this.#hold(suspect!, { batch, reason })
    const trial = this.#leave(batch)
    if (trial) {
      trial.bisection.refused(trial.part, ambiguousAt)
      this.#end(trial.bisection, table)
      return
    }
    this.#count(table, -1)
    if (isAlone) return
    if (suspect) suspect.waiting.push({ body, answered: { ambiguousAt, isRefused: true } })
    else this.#begin().halve(body, ambiguousAt, true)
  }

  /** @returns whether it is halved here */
  tooLarge(batch: Batch<O>): boolean {
    const { body, table, ambiguousAt } = batch
    const isAlone = body.points.length === 1
    const trial = this.#leave(batch)
    if (trial) {
      trial.bisection.tooLarge(trial.part, ambiguousAt)
      this.#end(trial.bisection, table)
      return !isAlone
    }
    this.#count(table, -1)
    const suspect = this.#suspects.get(table)
    if (!suspect || isAlone) return false
    suspect.waiting.push({ body, answered: { ambiguousAt, isRefused: false } })
    return true
  }

  /** It is not sent any more. */
  dropped(batch: Batch<O>): void {
    const trial = this.#leave(batch)
    if (!trial) {
      if (batch.attempts > 0) this.#count(batch.table, -1)
      return
    }
    trial.bisection.dropped()
    this.#end(trial.bisection, batch.table)
  }

  #leave(batch: Batch<O>): OnTrial<O> | undefined {
    if (this.#onTrial.size === 0) return undefined
    const trial = this.#onTrial.get(batch)
    this.#onTrial.delete(batch)
    return trial
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
    const suspect = this.#suspects.get(table)
    if (suspect?.current === bisection) suspect.current = undefined
  }

  /** The table's suspicion, unless a point of it was ever accepted. */
  #suspectOf(table: Table): Suspect<O> | undefined {
    if (this.#accepted.has(table)) return undefined
    let suspect = this.#suspects.get(table)
    if (!suspect) this.#suspects.set(table, (suspect = { alone: [], held: [], waiting: [], current: undefined }))
    return suspect
  }

  /** Versions of one row are not different points. */
  #hold(suspect: Suspect<O>, refused: Refused<O>): void {
    suspect.held.push(refused)
    const { exact } = refused.batch.body.points[0]!
    if (exact === undefined || !suspect.alone.includes(exact)) suspect.alone.push(exact)
  }

  /** One thing of it after another; when there is nothing more to try, what was refused is the points'. */
  #goOn(suspect: Suspect<O>): void {
    if (suspect.current) return
    const next = suspect.waiting.shift()
    if (!next) {
      this.#refused.push(...suspect.held.splice(0))
      return
    }
    suspect.current = this.#try(next)
  }

  /** Points of it are good, so it is the points that are refused; whatever waited goes on at once. */
  #accept(table: Table): void {
    if (this.#accepted.has(table)) return
    this.#accepted.add(table)
    const suspect = this.#suspects.get(table)
    if (!suspect) return
    this.#suspects.delete(table)
    this.#refused.push(...suspect.held)
    for (const waiting of suspect.waiting) this.#try(waiting)
  }
}
