// What must hold of refusals: when it is the table's, when a point's, and how gently that is found out. Sees only requests
// and answers; knows nothing of how the engine works.

import type { Outcome } from '../../src/core/types.ts'
import { inWords } from './book.ts'
import type { Book } from './book.ts'
import type { Fact } from './script.ts'

/** Different points refused alone that make it the table's. */
const ENOUGH = 3
/** Requests of a suspect table in flight at once. */
const AT_ONCE = 2

interface TableTrial {
  /** A point of it was accepted in this run. */
  isAccepted: boolean
  isRefused: boolean
  /** Exact keys, or records without one, that were refused alone. */
  readonly alone: Set<string>
  /** Of the requests that are made because it is suspect, those in flight. */
  inFlight: number
  /** Records sent and not answered for good. */
  readonly open: Set<Fact>
}

export class TrialLaws {
  readonly #book: Book
  readonly #tables = new Map<number, TableTrial>()
  /** Records first sent when their table was suspect already, and what was refused or too large since: all else that is sent
   *  of it repeats what was under way by then. */
  readonly #onTrial = new Set<Fact>()
  /** Requests of such, by their first record. */
  readonly #tried = new Set<number>()

  constructor(book: Book) {
    this.#book = book
  }

  /** It was refused, and nothing of it was ever accepted. */
  isSuspect(table: number): boolean {
    const trial = this.#tables.get(table)
    return trial !== undefined && trial.isRefused && !trial.isAccepted
  }

  sent(facts: readonly Fact[]): void {
    const { table, v } = facts[0]!
    for (const fact of facts) this.#of(table).open.add(fact)
    if (!this.isSuspect(table)) return
    for (const fact of facts) if (fact.sentAt === undefined) this.#onTrial.add(fact)
    if (!facts.every((fact) => this.#onTrial.has(fact))) return
    const trial = this.#of(table)
    this.#tried.add(v)
    if (++trial.inFlight > AT_ONCE)
      this.#book.break('a suspect table is tried by two requests at a time', inWords(facts))
  }

  /** @returns whether it is the table that is refused; `perhaps`: abandoned records may be what kept it open */
  answered(facts: readonly Fact[], { status }: Outcome): boolean | 'perhaps' {
    const { table, v } = facts[0]!
    const trial = this.#of(table)
    if (this.#tried.delete(v)) trial.inFlight--
    if (status !== 'retry') for (const fact of facts) trial.open.delete(fact)
    if (status === 'delivered') trial.isAccepted = true
    if (status === 'refused') this.#refused(trial, facts)
    if (status === 'too-large' && this.isSuspect(table)) for (const fact of facts) this.#onTrial.add(fact)
    // what is under way may be accepted yet
    if (trial.isAccepted || trial.alone.size < ENOUGH) return false
    if (trial.open.size === 0 && !facts.some(({ track }) => this.#book.isGone(track))) return true
    return this.#book.script.hasLosses && 'perhaps'
  }

  #refused(trial: TableTrial, facts: readonly Fact[]): void {
    trial.isRefused = true
    const [fact] = facts
    if (!trial.isAccepted) for (const one of facts) this.#onTrial.add(one)
    // a reject that is refused is told at once, and no verdict about its table is waited for
    if (facts.length === 1 && !fact!.standsFor) trial.alone.add(fact!.exact ?? `record ${fact!.v}`)
  }

  #of(table: number): TableTrial {
    let trial = this.#tables.get(table)
    if (!trial)
      this.#tables.set(
        table,
        (trial = { isAccepted: false, isRefused: false, alone: new Set(), inFlight: 0, open: new Set() }),
      )
    return trial
  }
}
